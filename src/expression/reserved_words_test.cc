#include "expression/reserved_words.h"

#include <string>

#include <gtest/gtest.h>

namespace monotable::expression {
namespace {

TEST(ReservedWords, InAnyCase) {
  for (const char* word : {"ABORT", "zone", "Status", "lOcAlTiMeStAmP", "name", "TTL", "INNTER"}) {
    EXPECT_TRUE(IsReservedWord(word)) << word;
  }
}

TEST(ReservedWords, NothingElse) {
  for (const char* word : {"", "id", "pk", "statuses", "statu", "NAME_", "description", "email"}) {
    EXPECT_FALSE(IsReservedWord(word)) << word;
  }
  EXPECT_FALSE(IsReservedWord(std::string(100000, 'A')));
}

}  // namespace
}  // namespace monotable::expression
