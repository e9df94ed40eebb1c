#include "engine/damage.h"

#include <gmock/gmock.h>

#include "encoding/keyspace.h"
#include "engine/engine_fixture.h"

namespace monotable::engine {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class DamageTest : public EngineFixture {};

TEST_F(DamageTest, NamesTheTableOfTheKeys) {
  const TablePtr music = *Create(catalog(), Definition("Music"));
  const TablePtr films = *Create(catalog(), Definition("Films"));
  const auto items = encoding::ItemsRange(music->id, encoding::kTableItems);
  EXPECT_THAT(WhatIsIn(items, store().Latest()), ElementsAre("items of the table Music"));
  EXPECT_THAT(WhatIsIn(encoding::ChangesRange(films->id), store().Latest()),
              ElementsAre("changes of the table Films"));
  EXPECT_THAT(WhatIsIn({items.begin, encoding::TableRange(films->id).end}, store().Latest()),
              AllOf(Contains("items of the table Music"), Contains("items of the table Films")));
  EXPECT_THAT(WhatIsIn(encoding::CatalogRange(), store().Latest()),
              ElementsAre("the catalog of tables"));
  EXPECT_THAT(WhatIsIn({encoding::FormatKey(), encoding::NextTableIdKey()}, store().Latest()),
              ElementsAre("records of the server"));
}

TEST_F(DamageTest, SaysWhereAndWhat) {
  const TablePtr music = *Create(catalog(), Definition("Music"));
  const auto items = encoding::ItemsRange(music->id, encoding::kTableItems);
  const std::string block =
      DescribeDamage({"/data/000012.sst", 4096, 8192, items}, store().Latest());
  EXPECT_THAT(block, HasSubstr("8192 bytes at position 4096 of the file /data/000012.sst"));
  EXPECT_THAT(block, HasSubstr("items of the table Music (keys from 03"));
  const std::string file = DescribeDamage({"/data/000012.sst", 0, 0, {}}, store().Latest());
  EXPECT_THAT(file, HasSubstr("The file /data/000012.sst cannot be read"));
  EXPECT_THAT(file, HasSubstr("keys from the first to the last"));
  EXPECT_THAT(file, Not(HasSubstr("position")));
}

}  // namespace
}  // namespace monotable::engine
