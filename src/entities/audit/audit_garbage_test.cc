#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/key_check.h"
#include "entities/audit/audit_fixture.h"

// An audit must end whatever the items hold, and a repair must come to rest.
namespace monotable::entities {
namespace {

// Samples whose attributes are anything at all, keys included.
class GarbageAuditTest : public AuditFixture, public testing::WithParamInterface<const char*> {
 protected:
  static item::Value Anything(std::mt19937* random) {
    switch ((*random)() % 9) {
      case 0:
        return N(-7);
      case 1:
        return S("a#b/ç");
      case 2:
        return S("");
      case 3:
        return item::Value(true);
      case 4:
        return item::Value(item::Null());
      case 5:
        return item::Value(Texts({{"x", "y"}}));
      case 6:
        return item::Value(item::List{N(1), S("x")});
      case 7:
        return S(std::string(3000, 'x'));
      default:
        return S("2026-01-30T10:00:00Z");
    }
  }

  std::vector<std::pair<std::string, item::Item>> Everything() {
    std::vector<std::pair<std::string, item::Item>> all;
    for (const engine::TablePtr& table : catalog().All()) {
      const auto cursor = store().Latest().Scan(
          encoding::ItemsRange(table->id, encoding::kTableItems), storage::Direction::kForward);
      for (; cursor->Valid(); cursor->Next()) {
        all.emplace_back(table->name, *encoding::DecodeItem(cursor->value()));
      }
    }
    return all;
  }
};

TEST_P(GarbageAuditTest, IsListedAndComesToRest) {
  Open(GetParam());
  std::mt19937 random(Seed());
  for (int round = 0; round < 25; ++round) {
    auto all = Everything();
    auto& [table_name, item] = all[random() % all.size()];
    const std::string name = (item.begin() + random() % item.size())->name;
    const engine::TablePtr table = catalog().Find(table_name);
    item::Item damaged = item;
    if (random() % 4 == 0) {
      damaged.Remove(name);
    } else {
      damaged.Set(name, Anything(&random));
    }
    // The engine takes any item whose keys are of their types.
    if (!engine::CheckItem(*table, damaged)) continue;
    PutItem(table_name, damaged);
  }
  const auto before = Items();
  Audit();
  EXPECT_EQ(Items(), before) << "verify must not write";
  const auto left = Lines(Repair());
  const auto repaired = Items();
  EXPECT_EQ(Lines(Repair()), left);
  EXPECT_EQ(Items(), repaired);
}

INSTANTIATE_TEST_SUITE_P(Designs, GarbageAuditTest,
                         testing::Values("sales", "orders", "blog", "trading", "chat"),
                         [](const auto& design) { return std::string(design.param); });

}  // namespace
}  // namespace monotable::entities
