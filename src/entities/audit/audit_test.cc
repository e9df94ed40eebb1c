#include "entities/audit/audit.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "entities/audit/audit_fixture.h"

namespace monotable::entities {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class DesignAuditTest : public AuditFixture, public testing::WithParamInterface<const char*> {};

TEST_P(DesignAuditTest, FindsNothingInTheSamples) {
  Open(GetParam());
  std::vector<Breach> found = Audit();
  std::erase_if(found, [](const Breach& breach) { return breach.state == Breach::State::kNote; });
  EXPECT_THAT(Lines(found), IsEmpty()) << Told(found);
}

INSTANTIATE_TEST_SUITE_P(Designs, DesignAuditTest,
                         testing::Values("sales", "orders", "blog", "trading", "chat"),
                         [](const auto& design) { return std::string(design.param); });

}  // namespace
}  // namespace monotable::entities
