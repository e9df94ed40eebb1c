#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "entities/audit/audit_fixture.h"
#include "entities/write/copies.h"
#include "entities/write/ids.h"
#include "entities/write/unique_values.h"

// Tables are filled through their model and then damaged by raw writes. An audit must find each
// damage and nothing else, and a repair must undo what follows from other values.
namespace monotable::entities {
namespace {

using testing::ElementsAreArray;
using testing::IsEmpty;

// Several parents in one partition, tenants, copies, sums, unique values, counters, expiry.
constexpr std::string_view kTracker = R"yaml(format: stm/1
model: tracker
tenancy: {attribute: tenant, claim: tenant}
tables:
  main:
    name: tracker
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: type
    version_attribute: _v
    ttl_attribute: ttl
    rules: off
    indexes:
      GSI1: {hash: "GSI1PK S", range: "GSI1SK S", project: all}
enums:
  State: {values: [OPEN, DONE], initial: OPEN, transitions: any}
entities:
  Agent:
    path: agents
    id: {attribute: agent}
    keys: {primary: {PK: "T#{tenant}", SK: "AGENT#{agent}"}}
    attributes: {tenant: string!, agent: string!, name: string!, email: string}
    unique:
      - {name: agent_email, fields: ["{email|lower}"], scope: [tenant]}
  Project:
    path: projects
    id: {attribute: project}
    keys:
      primary: {PK: "T#{tenant}", SK: "PROJECT#{project}"}
      GSI1: {GSI1PK: "OWNER#{owner}", GSI1SK: "PROJECT#{project}"}
    attributes:
      tenant: string!
      project: string!
      owner: {type: string, ref: Agent}
      ownerName: string
      state: State!
      rate: {type: decimal, scale: 2}
      spent: integer
      hours: {type: decimal, derive: "sum(tasks.hours)"}
      cost: {type: decimal, scale: 2, derive: "hours * rate"}
    copies:
      - {set: ownerName, from: Agent.name, via: owner, freeze_when: "state == DONE"}
    assert:
      - {name: spent_little, that: "spent == null or spent <= 100"}
  Task:
    parent: Project
    path: tasks
    id: {attribute: task}
    keys: {primary: {PK: "T#{tenant}", SK: "TASK#{project}#{task:03}"}}
    attributes: {tenant: string!, project: string!, task: integer!, hours: decimal!}
  Plan:
    parent: Project
    path: plan
    cardinality: one
    keys: {primary: {PK: "T#{tenant}", SK: "PLAN#{project}#{number:03}"}}
    attributes: {tenant: string!, project: string!, number: integer!}
  Ticket:
    path: tickets
    id: {attribute: ticket, format: "TK{n:03}", generate: counter}
    keys: {primary: {PK: "TICKET#{ticket}", SK: TICKET}}
    attributes:
      tenant: string!
      ticket: string!
      opened: instant!
    ttl: {base: opened, after: 90d}
  Note:
    path: notes
    id: {attribute: note}
    keys: {primary: {PK: "NOTE#{note}", SK: NOTE}}
    attributes: {tenant: string!, note: string!, ticket: {type: string, ref: Ticket}}
collections:
  ProjectFull: {root: Project, members: {tasks: "Task[]", plan: Plan}, partition: "T#{tenant}"}
)yaml";

// A raw write that breaks the model, what an audit says then, and what a repair leaves.
struct Kind {
  std::string name;
  std::function<void(int group)> damage;
  std::vector<std::string> found;
  std::vector<std::string> left = {};
  bool restored = false;  // whether the items are as before, after the repair
};

class AuditPropertyTest : public AuditFixture {
 protected:
  using Change = std::function<void(item::Item*)>;

  static std::string Id(std::string_view letter, int group) {
    return std::string(letter) + std::to_string(group);
  }
  static Change Setting(std::string_view name, const item::Value& value) {
    return [name = std::string(name), value](item::Item* item) { item->Set(name, value); };
  }
  static Change Removing(std::string_view name) {
    return [name = std::string(name)](item::Item* item) { item->Remove(name); };
  }

  static std::vector<Kind> Some(const std::vector<Kind>& kinds, size_t count,
                                std::mt19937* random) {
    std::vector<Kind> some;
    for (size_t i = 0; i < count; ++i) some.push_back(kinds[(*random)() % kinds.size()]);
    return some;
  }

  void DeleteMarkers(std::string_view entity_name, const item::Map& key) {
    ForMarkers(entity_name, key, [&](const std::string& table, const item::Item& marker) {
      DeleteItem(table, marker);
    });
  }
  void ForMarkers(std::string_view entity_name, const item::Map& key,
                  const std::function<void(const std::string&, const item::Item&)>& use) {
    const Entity& entity = EntityOf(entity_name);
    const auto record = Get(entity_name, key);
    ASSERT_TRUE(record);
    const auto names = UniqueNames(entity, &record->attributes);
    ASSERT_TRUE(names);
    for (const std::string& name : *names) use(entity.table_name, InternalKey(entity, name));
  }

  // Puts an item under another key, and leaves the original there or not.
  void MoveRaw(std::string_view entity_name, const item::Map& key, std::string_view attribute,
               const std::string& text, bool leave) {
    auto stored = Stored(entity_name, key);
    ASSERT_TRUE(stored);
    if (!leave) DeleteRaw(entity_name, key);
    stored->Set(attribute, S(text));
    PutItem(EntityOf(entity_name).table_name, *stored);
  }

  // Damages groups from the first on, each in one way, and looks at what comes of it.
  void Try(const std::vector<Kind>& kinds, size_t limit) {
    ASSERT_THAT(Lines(Audit()), IsEmpty()) << Told(Audit());
    const auto before = Items();
    std::vector<std::string> found;
    std::vector<std::string> left;
    std::string done;
    bool restored = true;
    for (size_t group = 0; group < kinds.size(); ++group) {
      const Kind& kind = kinds[group];
      kind.damage(static_cast<int>(group));
      done += std::to_string(group) + " " + kind.name + "\n";
      found.insert(found.end(), kind.found.begin(), kind.found.end());
      left.insert(left.end(), kind.left.begin(), kind.left.end());
      restored = restored && kind.restored;
    }
    std::ranges::sort(found);
    std::ranges::sort(left);
    SCOPED_TRACE(done);
    const auto damaged = Items();
    const auto first = Audit(false, limit);
    EXPECT_THAT(Lines(first), ElementsAreArray(found)) << Told(first);
    EXPECT_EQ(Items(), damaged) << "verify must not write";
    const auto rest = Repair();
    EXPECT_THAT(Lines(rest), ElementsAreArray(left)) << Told(rest);
    const auto repaired = Items();
    EXPECT_THAT(Lines(Audit(true)), ElementsAreArray(left));
    EXPECT_EQ(Items(), repaired) << "a second repair must change nothing";
    if (restored) EXPECT_EQ(repaired, before);
  }
};

class TrackerAuditTest : public AuditPropertyTest {
 protected:
  static constexpr int kGroups = 30;

  TrackerAuditTest() { OpenText(std::string(kTracker)); }

  void FillGroups(int count = kGroups) {
    for (int group = 0; group < count; ++group) Fill(group);
  }

  static std::string Tenant(int group) { return Id("inquilino ", group % 3); }
  static item::Map AgentKey(int group) {
    return Texts({{"tenant", Tenant(group)}, {"agent", Id("ação", group)}});
  }
  static item::Map ProjectKey(int group) {
    return Texts({{"tenant", Tenant(group)}, {"project", Id("p", group)}});
  }
  static item::Map ChildKey(int group, std::string_view name, int number) {
    item::Map key = ProjectKey(group);
    key.Set(name, N(number));
    return key;
  }
  static item::Map TaskKey(int group, int task) { return ChildKey(group, "task", task); }
  static item::Map NoteKey(int group) { return Texts({{"note", Id("n", group)}}); }
  static item::Map TicketKey(int group) {
    return Texts({{"ticket", (group < 9 ? "TK00" : "TK0") + std::to_string(group + 1)}});
  }

  void Made(const Result<WriteAnswer>& answer) { ASSERT_TRUE(answer) << answer.error().message(); }
  void Fill(int group) {
    const std::string in_tenant = R"({"tenant": ")" + Tenant(group) + R"(", )";
    const std::string in_project = in_tenant + R"("project": ")" + Id("p", group) + R"(", )";
    Made(Create("Agent", in_tenant + R"("agent": ")" + Id("ação", group) +
                             R"(", "name": "João", "email": ")" + Id("Zé", group) + "@x.br\"}"));
    Made(Create("Project", in_project + R"("owner": ")" + Id("ação", group) +
                               R"(", "rate": 12.5, "spent": 7})"));
    Made(Create("Task", in_project + R"("task": 1, "hours": 2.5})"));
    Made(Create("Task", in_project + R"("task": 2, "hours": 4})"));
    Made(Create("Plan", in_project + R"("number": 1})"));
    Made(Create("Ticket", in_tenant + R"("opened": "2026-11-01T10:00:00Z"})"));
    Made(Create("Note", in_tenant + R"("note": ")" + Id("n", group) + R"(", "ticket": ")" +
                            TicketKey(group).Find("ticket")->string() + "\"}"));
  }

  std::vector<Kind> Kinds() {
    const auto change = [this](std::string_view entity, item::Map (*key)(int), Change how) {
      return [this, entity, key, how = std::move(how)](int g) { Damage(entity, key(g), how); };
    };
    const std::vector<std::string> sums = {"derived Project cost repairable",
                                           "derived Project hours repairable"};
    const auto and_sums = [&sums](std::vector<std::string> more) {
      more.insert(more.end(), sums.begin(), sums.end());
      return more;
    };
    return {
        {"index key",
         change("Project", ProjectKey, Setting("GSI1SK", S("x"))),
         {"index_key Project GSI1SK repairable"},
         {},
         true},
        {"no index key",
         change("Project", ProjectKey, Removing("GSI1PK")),
         {"index_key Project GSI1PK repairable"},
         {},
         true},
        {"sum",
         change("Project", ProjectKey, Setting("hours", N(99))),
         {"derived Project hours repairable"},
         {},
         true},
        {"sum of another type",
         change("Project", ProjectKey, Setting("cost", S("muito"))),
         {"derived Project cost repairable"},
         {},
         true},
        {"what is summed", [this](int g) { Damage("Task", TaskKey(g, 1), Setting("hours", N(9))); },
         sums},
        {"what is required",
         [this](int g) { Damage("Task", TaskKey(g, 1), Removing("hours")); },
         and_sums({"value Task hours undecided"}),
         {"value Task hours undecided"}},
        {"copy",
         change("Project", ProjectKey, Setting("ownerName", S("Maria"))),
         {"copy Project ownerName repairable"},
         {},
         true},
        {"source of a copy",
         change("Agent", AgentKey, Setting("name", S("Inês"))),
         {"copy Project ownerName repairable"}},
        {"frozen copy",
         change("Project", ProjectKey,
                [](item::Item* item) {
                  item->Set("state", S("DONE"));
                  item->Set("ownerName", S("Maria"));
                }),
         {}},
        {"state",
         change("Project", ProjectKey, Setting("state", S("PERDIDO"))),
         {"value Project state undecided"},
         {"value Project state undecided"}},
        {"assertion",
         change("Project", ProjectKey, Setting("spent", N(999))),
         {"assertion Project undecided"},
         {"assertion Project undecided"}},
        {"unknown attribute",
         [this](int g) { Damage("Task", TaskKey(g, 2), Setting("côr", S("azul"))); },
         {"unknown_attribute Task côr undecided"},
         {"unknown_attribute Task côr undecided"}},
        {"unknown item",
         [this](int g) {
           PutItem("tracker", Texts({{"PK", Id("lixo#", g)}, {"SK", "é"}}));
         },
         {"unknown_item undecided"},
         {"unknown_item undecided"}},
        {"type",
         [this](int g) { Damage("Task", TaskKey(g, 1), Removing("type")); },
         {"type Task type repairable"},
         {},
         true},
        {"version",
         [this](int g) { Damage("Plan", ChildKey(g, "number", 1), Setting("_v", S("x"))); },
         {"version Plan _v repairable"},
         {},
         true},
        {"expiry",
         change("Ticket", TicketKey, Setting("ttl", N(4'000'000'000))),
         {"expiry Ticket ttl repairable"},
         {},
         true},
        {"marker",
         [this](int g) { DeleteMarkers("Agent", AgentKey(g)); },
         {"missing_marker Agent email repairable"},
         {},
         true},
        {"marker of nothing",
         [this](int g) {
           ForMarkers("Agent", AgentKey(g), [&](const std::string& table, item::Item marker) {
             marker.Set("owner", item::Value(Texts({{"PK", "T#x"}, {"SK", "AGENT#x"}})));
             PutItem(table, marker);
           });
         },
         {"missing_marker Agent email repairable", "stale_marker repairable"},
         {},
         true},
        {"owner of a marker",
         [this](int g) { DeleteRaw("Agent", AgentKey(g)); },
         {"missing_reference Project owner undecided", "stale_marker repairable"},
         {"missing_reference Project owner undecided"}},
        {"same unique value",
         [this](int g) {
           Damage("Agent", AgentKey(g), [g](item::Item* item) {
             item->Set("agent", S(Id("b", g)));
             item->Set("SK", S("AGENT#" + Id("b", g)));
           });
         },
         {"duplicate Agent email undecided"},
         {"duplicate Agent email undecided"}},
        {"parent",
         [this](int g) { DeleteRaw("Project", ProjectKey(g)); },
         {"missing_parent Plan undecided", "missing_parent Task undecided",
          "missing_parent Task undecided"},
         {"missing_parent Plan undecided", "missing_parent Task undecided",
          "missing_parent Task undecided"}},
        {"second child",
         [this](int g) {
           Damage("Plan", ChildKey(g, "number", 1), [g](item::Item* item) {
             item->Set("number", N(2));
             item->Set("SK", S("PLAN#" + Id("p", g) + "#002"));
           });
         },
         {"second_child Plan undecided"},
         {"second_child Plan undecided"}},
        {"other tenant",
         change("Note", NoteKey, Setting("tenant", S("alheio"))),
         {"missing_reference Note ticket undecided"},
         {"missing_reference Note ticket undecided"}},
        {"key",
         [this](int g) {
           MoveRaw("Task", TaskKey(g, 2), "SK", "TASK#" + Id("p", g) + "#009", false);
         },
         {"key Task repairable"},
         {},
         true},
        {"key that is taken",
         [this](int g) {
           MoveRaw("Task", TaskKey(g, 2), "SK", "TASK#" + Id("p", g) + "#009", true);
         },
         and_sums({"key Task undecided"}),
         {"key Task undecided"}},
        {"job",
         [this](int g) {
           item::Item job = *JobKey(*EntityOf("Agent").table, Id("COPIES#Lost#", g));
           job.Set("copies", item::Value(Texts({{"entity", "Lost"}})));
           PutItem("tracker", job);
         },
         {"stale_job repairable"},
         {},
         true},
        {"job without a source",
         [this](int g) {
           PutItem("tracker",
                   CopyJobItem({&EntityOf("Agent"),
                                Texts({{"PK", "T#0"}, {"SK", Id("AGENT#x", g)}}), "", ""}));
         },
         {"stale_job repairable"},
         {},
         true},
    };
  }
};

TEST_F(TrackerAuditTest, FindsEachKindOfDamage) {
  const std::vector<Kind> kinds = Kinds();
  ASSERT_LE(kinds.size(), kGroups);
  FillGroups();
  Try(kinds, 7);
}

TEST_F(TrackerAuditTest, FindsRandomDamageAndRepairsWhatFollows) {
  FillGroups();
  std::mt19937 random(Seed());
  Try(Some(Kinds(), kGroups, &random), 1 + random() % 60);
}

// Everything that only derived values, keys and internal items can lose comes back.
TEST_F(TrackerAuditTest, RestoresWhatFollows) {
  FillGroups();
  std::mt19937 random(Seed());
  std::vector<Kind> kinds = Kinds();
  std::erase_if(kinds, [](const Kind& kind) { return !kind.restored; });
  Try(Some(kinds, kGroups, &random), 1000);
}

TEST_F(TrackerAuditTest, AUniqueValueThatChangedTakesItsMarkerAlong) {
  FillGroups(5);
  Damage("Agent", AgentKey(4), Setting("email", S("outro@x.br")));
  EXPECT_THAT(Lines(Audit()), ElementsAreArray({"missing_marker Agent email repairable",
                                                "stale_marker repairable"}));
  EXPECT_THAT(Repair(), IsEmpty());
  ExpectProblem(Create("Agent", R"({"tenant": "inquilino 1", "agent": "z", "name": "Z",
                                    "email": "OUTRO@x.br"})"),
                ProblemCode::kNotUnique);
  EXPECT_TRUE(Create("Agent", R"({"tenant": "inquilino 1", "agent": "z", "name": "Z",
                                  "email": "Zé4@x.br"})"));
}

TEST_F(TrackerAuditTest, ACounterBehindTheIdsInUseIsNoted) {
  FillGroups(3);
  const item::Item counter = InternalKey(EntityOf("Ticket"), "COUNTER#Ticket");
  DeleteItem("tracker", counter);
  EXPECT_THAT(Lines(Audit()), ElementsAreArray({"counter Ticket n note"}));
  EXPECT_THAT(Repair(), IsEmpty());
  const auto made = Create("Ticket", R"({"tenant": "t", "opened": "2026-11-01T10:00:00Z"})");
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->changes[0].key.Find("ticket")->string(), "TK004");
}

TEST_F(TrackerAuditTest, ACounterWithoutANumberBeginsAgain) {
  FillGroups(3);
  item::Item counter = InternalKey(EntityOf("Ticket"), "COUNTER#Ticket");
  counter.Set("n", S("muitos"));
  PutItem("tracker", counter);
  EXPECT_THAT(Lines(Audit()), ElementsAreArray({"counter n repairable"}));
  EXPECT_THAT(Repair(), IsEmpty());
  const auto made = Create("Ticket", R"({"tenant": "t", "opened": "2026-11-01T10:00:00Z"})");
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->changes[0].key.Find("ticket")->string(), "TK004");
}

// A design with sums of sums, copies that freeze, and a parent in each partition.
class SalesAuditTest : public AuditPropertyTest {
 protected:
  static constexpr int kGroups = 8;

  SalesAuditTest() {
    OpenText(Contents("models/sales.model.yaml"));
    for (int group = 0; group < kGroups; ++group) Fill(group);
  }

  static item::Map BuyerKey(int group) { return Texts({{"BuyerId", Id("B", group)}}); }
  static item::Map SaleKey(int group) { return Texts({{"SaleId", Id("S", group)}}); }
  static item::Map LineKey(int group) {
    item::Map key = SaleKey(group);
    key.Set("LineNumber", N(1));
    return key;
  }

  void Make(std::string_view entity, const std::string& body) {
    const auto made = Create(entity, body);
    ASSERT_TRUE(made) << made.error().message();
  }
  void Fill(int group) {
    const std::string id = std::to_string(group) + "\"";
    const std::string document = R"(, "Document": "12.345.67)" + std::to_string(group);
    Make("Buyer", R"({"BuyerId": "B)" + id + R"(, "Name": "Açaí", "PaymentTerms": "CASH")" +
                      document + R"(/0001-99"})");
    Make("Producer",
         R"({"ProducerId": "P)" + id + R"(, "Name": "Sítio")" + document + R"(/0002-99"})");
    Make("Sale", R"({"SaleId": "S)" + id + R"(, "BuyerId": "B)" + id + R"(, "ProducerId": "P)" +
                     id + R"(, "SaleDate": "2026-01-30T10:00:00Z"})");
    for (const char* number : {"1", "2"}) {
      Make("SaleLine", R"({"SaleId": "S)" + id + R"(, "LineNumber": )" + number +
                           R"(, "ProductCode": "X", "ProductName": "Café", "Quantity": 2.5,
                              "Unit": "KG", "UnitPrice": 10.01, "Tax": 1})");
    }
  }

  std::vector<Kind> Kinds() {
    const auto change = [this](std::string_view entity, item::Map (*key)(int), Change how) {
      return [this, entity, key, how = std::move(how)](int g) { Damage(entity, key(g), how); };
    };
    return {
        {"index key",
         change("Sale", SaleKey, Setting("GSI3PK", S("STATUS#SHIPPED"))),
         {"index_key Sale GSI3PK repairable"},
         {},
         true},
        {"total",
         change("Sale", SaleKey, Setting("Total", N(1))),
         {"derived Sale Total repairable"},
         {},
         true},
        // The sale is right once the line is right.
        {"sum of a line",
         change("SaleLine", LineKey, Setting("Subtotal", N(1))),
         {"derived Sale Subtotal repairable", "derived Sale Total repairable",
          "derived SaleLine Subtotal repairable"},
         {},
         true},
        {"copy",
         change("Sale", SaleKey, Setting("BuyerName", S("outro"))),
         {"copy Sale BuyerName repairable"},
         {},
         true},
        {"no copy",
         change("Sale", SaleKey, Removing("ProducerName")),
         {"copy Sale ProducerName repairable"},
         {},
         true},
        // The document is unique, copied to sales, and the tax id of its buyer.
        {"source",
         change("Buyer", BuyerKey,
                [](item::Item* item) {
                  std::string document = item->Find("Document")->string();
                  document.replace(0, 2, "98");
                  item->Set("Document", S(document));
                }),
         {"copy Sale BuyerDocument repairable", "derived Buyer TaxId repairable",
          "missing_marker Buyer Document repairable", "stale_marker repairable"}},
        {"frozen",
         change("Sale", SaleKey,
                [](item::Item* item) {
                  item->Set("Status", S("INVOICED"));
                  item->Set("GSI3PK", S("STATUS#INVOICED"));
                  item->Set("BuyerName", S("como era"));
                }),
         {}},
        {"type of a value",
         change("Sale", SaleKey, Setting("Notes", N(1))),
         {"value Sale Notes undecided"},
         {"value Sale Notes undecided"}},
    };
  }
};

TEST_F(SalesAuditTest, FindsEachKindOfDamage) {
  Try(Kinds(), 1000);
}

TEST_F(SalesAuditTest, FindsRandomDamageAndRepairsWhatFollows) {
  std::mt19937 random(Seed());
  Try(Some(Kinds(), kGroups, &random), 1 + random() % 20);
}

}  // namespace
}  // namespace monotable::entities
