#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "entities/write/write_fixture.h"

// Tenants that use the same ids do not see, block or change each other.
namespace monotable::entities {
namespace {

const Caller kOne{"ana", "um"};
const Caller kTwo{"bia", "dois"};

class ChatTenantsTest : public WriteFixture {
 protected:
  ChatTenantsTest() {
    Open("chat");
    for (const Caller& caller : {kOne, kTwo}) {
      EXPECT_TRUE(Create("Tenant", R"({"tenantId": ")" + *caller.tenant + R"(", "name": "T"})"));
      EXPECT_TRUE(Create("Conversation", R"({"conversationId": "c", "userId": "u"})", caller));
    }
  }
  Result<WriteAnswer> Post(const Caller& caller) {
    return Create("Message",
                  R"({"id": "00000000-0000-4000-8000-000000000000", "conversationId": "c",
                      "role": "USER", "content": "Olá"})",
                  caller);
  }
  Result<WriteAnswer> RemoveAs(const Caller& caller) {
    return Write(Change::Kind::kDelete, "Conversation", Texts({{"conversationId", "c"}}), "",
                 caller);
  }
};

TEST_F(ChatTenantsTest, MessagesOfAnotherTenantDoNotKeepAConversation) {
  const auto posted = Post(kOne);
  ASSERT_TRUE(posted) << posted.error().message();
  const auto removed = RemoveAs(kTwo);
  ASSERT_TRUE(removed) << removed.error().message();
  ExpectProblem(RemoveAs(kOne), ProblemCode::kRestricted);
  ExpectProblem(Post(kTwo), ProblemCode::kMissingReference);
}

// Agents have ids within their tenant; tickets keep the name of their agent.
class HelpdeskTest : public WriteFixture {
 protected:
  void OpenHelpdesk(const std::string& partition) {
    OpenModel(R"yaml(format: stm/1
model: helpdesk
defaults: {key_values: {forbid: "#"}}
tenancy: {attribute: tenantId, claim: tenant}
tables:
  main:
    name: helpdesk
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: type
    indexes: {GSI1: {hash: "GSI1PK S", range: "GSI1SK S", project: all}}
entities:
  Agent:
    path: agents
    id: {attribute: agentId}
    keys: {primary: {PK: "T#{tenantId}", SK: "AGENT#{agentId}"}}
    attributes: {tenantId: string!, agentId: string!, name: string!}
  Ticket:
    path: tickets
    id: {attribute: ticketId}
    keys:
      primary: {PK: "T#{tenantId}#TICKET#{ticketId}", SK: TICKET}
      GSI1: {GSI1PK: ")yaml" +
              partition + R"yaml(", GSI1SK: "TICKET#{ticketId}"}
    attributes:
      tenantId: string!
      ticketId: string!
      agentId: {type: string, ref: Agent}
      agentName: string
    copies:
      - {set: agentName, from: Agent.name, via: agentId, mode: live}
)yaml");
    writer_ = std::make_unique<Writer>(engine(), executor(), application());
    for (const Caller& caller : {kOne, kTwo}) {
      EXPECT_TRUE(Create("Agent", R"({"agentId": "a", "name": "Zé"})", caller));
      const auto ticket = Create("Ticket", R"({"ticketId": "t", "agentId": "a"})", caller);
      EXPECT_TRUE(ticket) << ticket.error().message();
    }
  }
  std::string NameFor(const Caller& caller) {
    return TextOf("Ticket", Texts({{"tenantId", *caller.tenant}, {"ticketId", "t"}}), "agentName");
  }
  void RenameOne() {
    const auto renamed = Patch("Agent", Texts({{"agentId", "a"}}), R"({"name": "José"})", kOne);
    ASSERT_TRUE(renamed) << renamed.error().message();
  }
};

TEST_F(HelpdeskTest, CopiesFollowThroughAnIndexThatIsScopedByTenant) {
  OpenHelpdesk("T#{tenantId}#AGENT#{agentId}");
  EXPECT_EQ(NameFor(kOne), "Zé");
  RenameOne();
  EXPECT_EQ(NameFor(kOne), "José");
  EXPECT_EQ(NameFor(kTwo), "Zé");
}

TEST_F(HelpdeskTest, CopiesStayInTheirTenantWhereTheIndexIsNotScoped) {
  OpenHelpdesk("AGENT#{agentId}");
  RenameOne();
  EXPECT_EQ(NameFor(kOne), "José");
  EXPECT_EQ(NameFor(kTwo), "Zé");
}

TEST_F(HelpdeskTest, AReferenceNamesAnItemOfItsOwnTenant) {
  OpenHelpdesk("AGENT#{agentId}");
  ASSERT_TRUE(Create("Agent", R"({"agentId": "b", "name": "Só do um"})", kOne));
  ExpectProblem(Create("Ticket", R"({"ticketId": "u", "agentId": "b"})", kTwo),
                ProblemCode::kMissingReference, "/agentId");
  EXPECT_TRUE(Create("Ticket", R"({"ticketId": "u", "agentId": "b"})", kOne));
}

}  // namespace
}  // namespace monotable::entities
