#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/instant.h"
#include "model/template/template.h"

// Random templates and values: what holds for all of them.
namespace monotable::model {
namespace {

using item::Item;
using item::Number;
using item::Value;

constexpr int kRounds = 5000;

class RandomTemplates {
 public:
  explicit RandomTemplates(unsigned seed) : random_(seed) {}

  size_t Below(size_t limit) { return random_() % limit; }

  // One of a few, so that two templates often have something in common.
  std::string Text() {
    const std::vector<std::string> pieces = {"A", "b", "#", "##", "-", "0", "é", "SALE", "%2"};
    return pieces[Below(pieces.size())];
  }

  std::string Value() {
    std::string text;
    for (size_t i = Below(3) + 1; i > 0; --i) text += Text();
    return text;
  }

  // Attributes are called by their kind: text, number, moment.
  std::string Attribute() {
    const std::vector<std::string> parts = {
        "{t1}",       "{t1}",       "{t2}",        "{t2|esc}",        "{t1|lower}",
        "{t1|upper}", "{t2|fold}",  "{t3|digits}", "{t1|shard(3)}",   "{n1}",
        "{n1:03}",    "{n2:02}",    "{m1:iso}",    "{m1:isoms}",      "{m2:yyyy-MM}",
        "{m2:yyyy}",  "{m1|lower}", "{n1:03|esc}", "{t3|fold|upper}", "{m1:dd|shard(2)}",
    };
    return parts[Below(parts.size())];
  }

  Template Make() {
    std::string text;
    for (size_t i = Below(4) + 1; i > 0; --i) text += Below(2) == 0 ? Text() : Attribute();
    return *Template::Parse(text);
  }

  Item MakeItem() {
    Item item;
    for (const char* name : {"t1", "t2", "t3"}) item.Set(name, item::Value(Value()));
    for (const char* name : {"n1", "n2"}) {
      item.Set(name, item::Value(Number::FromInt(static_cast<int64_t>(Below(100)))));
    }
    for (const char* name : {"m1", "m2"}) {
      const Instant moment{static_cast<int64_t>(Below(4'000'000'000)) * 1000};
      item.Set(name, StoreInstant(moment, InstantForm::kIso, Below(2) == 0));
    }
    return item;
  }

 private:
  std::mt19937_64 random_;
};

std::optional<std::string> Render(const Template& text, const Item& item,
                                  const std::string& forbidden) {
  const auto rendered =
      text.Render([&item](std::string_view path) { return item.Find(path); }, {forbidden});
  return rendered ? *rendered : std::nullopt;
}

// How Match gives a value back.
std::string Plain(const TemplatePart& part, const Value& value) {
  if (part.format.starts_with("iso")) return Spell(*ReadInstant(value), part.format);
  return value.is(item::Type::kNumber) ? value.number().ToString() : value.string();
}

const TemplatePart& FirstPart(const Template& text, const std::string& attribute) {
  return *std::find_if(
      text.parts().begin(), text.parts().end(),
      [&attribute](const TemplatePart& part) { return part.attribute == attribute; });
}

TEST(TemplatePropertyTest, MatchGivesBackWhatRenderWasGivenOrNothing) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  RandomTemplates random(seed);
  int matched = 0;
  for (int i = 0; i < kRounds; ++i) {
    const Template text = random.Make();
    const Item item = random.MakeItem();
    const std::string forbidden = random.Below(2) == 0 ? "#" : "";
    const auto rendered = Render(text, item, forbidden);
    if (!rendered || !text.reversible()) continue;
    const auto bindings = text.Match(*rendered, {forbidden});
    if (!bindings) continue;
    ++matched;
    std::vector<std::string> found;
    for (const auto& [attribute, value] : *bindings) {
      found.push_back(attribute);
      EXPECT_EQ(value, Plain(FirstPart(text, attribute), *item.Find(attribute))) << text.text();
    }
    EXPECT_EQ(found, text.attributes()) << text.text();
  }
  EXPECT_GT(matched, kRounds / 10);
}

// Keys as designs have them: values and separators with a forbidden character between them.
TEST(TemplatePropertyTest, SeparatedValuesAreAlwaysGivenBack) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  RandomTemplates random(seed);
  const Template text = *Template::Parse("A#{t1}#0#{n1:03}#{t2|esc}#{m1:isoms}{n2:02}");
  int rendered_count = 0;
  for (int i = 0; i < kRounds; ++i) {
    const Item item = random.MakeItem();
    const auto rendered = Render(text, item, "#");
    if (!rendered) continue;
    ++rendered_count;
    const auto bindings = text.Match(*rendered, {"#"});
    ASSERT_TRUE(bindings) << *rendered;
    ASSERT_EQ(bindings->size(), 5);
    EXPECT_EQ((*bindings)[0].text, item.Find("t1")->string());
    EXPECT_EQ((*bindings)[1].text, item.Find("n1")->number().ToString());
    EXPECT_EQ((*bindings)[2].text, item.Find("t2")->string());
    EXPECT_EQ(ParseIso((*bindings)[3].text), ReadInstant(*item.Find("m1")));
    EXPECT_EQ((*bindings)[4].text, item.Find("n2")->number().ToString());
  }
  EXPECT_GT(rendered_count, kRounds / 10);
}

}  // namespace
}  // namespace monotable::model
