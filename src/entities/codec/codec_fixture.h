#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "entities/application_fixture.h"
#include "entities/codec/codec.h"

namespace monotable::entities {

// Tests of the codec, about the entities of kEveryType.
class CodecTest : public ::testing::Test {
 protected:
  const Entity& entity(std::string_view name) const { return *application_->Find(name); }

  Result<item::Map> Decode(std::string_view body, const DecodeOptions& options = {},
                           std::string_view name = "Thing") const {
    const auto tree = json::Tree::Parse(body);
    if (!tree) return tree.error();
    return DecodeAttributes(entity(name), tree->root(), options);
  }

  // The decoded attributes that must be good.
  item::Map Good(std::string_view body, std::string_view name = "Thing") const {
    auto attributes = Decode(body, {}, name);
    EXPECT_TRUE(attributes) << body << ": " << attributes.error().message();
    return attributes ? std::move(*attributes) : item::Map();
  }

  // The stored form of one attribute.
  item::Value GoodValue(const std::string& attribute, const std::string& json) const {
    const item::Map attributes = Good("{\"" + attribute + "\":" + json + "}");
    const item::Value* value = attributes.Find(attribute);
    return value == nullptr ? item::Value() : *value;
  }

  static std::vector<std::string> ProblemsOf(const Error& error) {
    std::vector<std::string> found;
    const ProblemDetail* detail = ProblemOf(error);
    EXPECT_NE(detail, nullptr) << error.message();
    if (detail == nullptr) return found;
    EXPECT_EQ(detail->code, ProblemCode::kInvalid);
    for (const FieldProblem& field : detail->fields) found.push_back(field.path + " " + field.code);
    return found;
  }

  // Path and code of everything that is wrong.
  std::vector<std::string> Problems(std::string_view body, const DecodeOptions& options = {},
                                    std::string_view name = "Thing") const {
    const auto attributes = Decode(body, options, name);
    if (attributes) return {};
    return ProblemsOf(attributes.error());
  }

  // The one code of what is wrong with a value; empty if nothing is.
  std::string Wrong(const std::string& attribute, const std::string& json) const {
    const auto problems = Problems("{\"" + attribute + "\":" + json + "}");
    if (problems.empty()) return "";
    EXPECT_EQ(problems.size(), 1u);
    return problems[0].substr(problems[0].find(' ') + 1);
  }

  std::string MessageOf(std::string_view body) const {
    const auto attributes = Decode(body);
    return attributes ? "" : attributes.error().message();
  }

  // How clients see a stored item.
  std::string Shown(std::string_view name, const item::Item& item,
                    const Presentation& presentation = {}) const {
    const encoding::EncodedItem encoded = encoding::EncodeItem(item);
    std::string out;
    AppendJson(entity(name), encoding::ItemView(encoded), presentation, &out);
    return out;
  }

  static item::Value Number(std::string_view text) {
    return item::Value(*item::Number::Parse(text));
  }

  std::unique_ptr<Application> application_ = MakeApplication(kEveryType);
};

}  // namespace monotable::entities
