#include "error/suggestion.h"

#include <array>

#include <gtest/gtest.h>

namespace monotable {
namespace {

TEST(SuggestionTest, FindsWhatIsNear) {
  constexpr std::array<std::string_view, 4> kNames = {"serve", "version", "help", "in-memory"};
  EXPECT_EQ(Suggest("serv", kNames), "serve");
  EXPECT_EQ(Suggest("evrsion", kNames), "version");
  EXPECT_EQ(Suggest("in-memroy", kNames), "in-memory");
  EXPECT_EQ(Suggest("inmemory", kNames), "in-memory");
  EXPECT_EQ(Suggest("Serve", kNames), "serve");
  EXPECT_EQ(Suggest("hlep", kNames), "help");
  EXPECT_EQ(Suggest("help", kNames), "help");
  EXPECT_EQ(Suggest("x", kNames), std::nullopt);
  EXPECT_EQ(Suggest("", kNames), std::nullopt);
  EXPECT_EQ(Suggest("something else", kNames), std::nullopt);
}

}  // namespace
}  // namespace monotable
