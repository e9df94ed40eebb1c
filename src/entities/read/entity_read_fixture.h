#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/engine_fixture.h"
#include "entities/application.h"
#include "entities/problem.h"
#include "entities/read/item_filter.h"
#include "entities/read/pattern_reader.h"
#include "entities/record.h"
#include "json/tree.h"
#include "model/load/load.h"

// An engine with the tables of one model, for tests that read what they put in.
namespace monotable::entities {

class ReadFixture : public engine::EngineFixture {
 protected:
  // A model of the repository, with its samples.
  void OpenDesign(const std::string& name, const ApplicationSettings& settings = {}) {
    OpenModel(Contents("models/" + name + ".model.yaml"), settings);
    PutSamples(Contents("models/samples/" + name + ".json"));
  }

  void OpenModel(const std::string& text, const ApplicationSettings& settings = {}) {
    model::Findings findings;
    auto loaded = model::LoadModel(text, &findings);
    std::string mistakes;
    for (const auto& finding : findings.all()) mistakes += finding.message + "\n";
    ASSERT_TRUE(loaded) << mistakes;
    auto made = Application::Create(*std::move(loaded), settings);
    ASSERT_TRUE(made) << made.error().message();
    application_ = *std::move(made);
    for (const model::TableModel& table : application_->model().tables) CreateTable(table);
  }

  const Application& application() const { return *application_; }
  const Entity& EntityOf(std::string_view name) const { return *application_->Find(name); }

  PatternReader Reader(std::string_view pattern) {
    return PatternReader(engine(), application(), *application().model().FindPattern(pattern));
  }

  // Puts an item that is made of attributes as a write makes it.
  void PutRecord(std::string_view entity_name, item::Map attributes) {
    const Entity& entity = EntityOf(entity_name);
    auto item = ItemOf(entity, {std::move(attributes), {}, 1});
    ASSERT_TRUE(item) << item.error().message();
    PutItem(entity.table_name, *item);
  }

  void PutItem(const std::string& table_name, const item::Item& item) {
    const Status put = Put(catalog().Find(table_name), item);
    ASSERT_TRUE(put) << put.error().message();
  }

  void DeleteItem(const std::string& table_name, const item::Item& key) {
    ASSERT_TRUE(Delete(catalog().Find(table_name), key));
  }

  static item::Value S(std::string_view text) { return item::Value(text); }
  static item::Value N(int64_t number) { return item::Value(item::Number::FromInt(number)); }

  static item::Map Texts(std::vector<std::pair<std::string, std::string>> members) {
    item::Map map;
    for (auto& [name, text] : members) map.Set(name, item::Value(std::move(text)));
    return map;
  }

  // One attribute of everything that was found, in its order.
  static std::vector<std::string> Of(const std::vector<Found>& found, std::string_view attribute) {
    std::vector<std::string> texts;
    for (const Found& one : found) texts.push_back(Of(one, attribute));
    return texts;
  }
  static std::string Of(const Found& found, std::string_view attribute) {
    ItemAttributes attributes(*found.entity, encoding::ItemView(found.item));
    const item::Value* value = attributes.Find(attribute);
    if (value == nullptr) return "(none)";
    return value->is(item::Type::kNumber) ? value->number().ToString() : value->string();
  }

  template <typename T>
  static void ExpectProblem(const Result<T>& result, ProblemCode code,
                            std::string_view field = "") {
    ASSERT_FALSE(result) << "no problem with " << field;
    const ProblemDetail* problem = ProblemOf(result.error());
    ASSERT_NE(problem, nullptr) << result.error().message();
    EXPECT_EQ(problem->code, code) << result.error().message();
    if (field.empty()) return;
    ASSERT_EQ(problem->fields.size(), 1u) << result.error().message();
    EXPECT_EQ(problem->fields[0].path, field) << result.error().message();
  }

  // A file of the repository.
  static std::string Contents(const std::string& path) {
    const auto root = std::filesystem::path(__FILE__).parent_path() / "../../..";
    std::ifstream file(root / path);
    EXPECT_TRUE(file) << path;
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

 private:
  void CreateTable(const model::TableModel& table) {
    table::TableDefinition definition;
    definition.name = application_->TableName(table.id);
    definition.uuid = "uuid-of-" + definition.name;
    definition.key = table.key;
    for (const model::IndexModel& index : table.indexes) {
      table::IndexDefinition made;
      made.id = definition.next_index_id++;
      made.name = index.name;
      made.kind = index.kind;
      made.key = index.key;
      if (made.key.hash.empty()) made.key.hash = table.key.hash;
      made.projection = index.projection;
      definition.indexes.push_back(std::move(made));
    }
    const auto created = Create(catalog(), definition);
    ASSERT_TRUE(created) << created.error().message();
  }

  void PutSamples(const std::string& text) {
    const auto tree = json::Tree::Parse(text);
    ASSERT_TRUE(tree) << tree.error().message();
    for (const json::Node& sample : tree->root().items) {
      item::Item item;
      for (const json::Member& member : sample.Find("item")->members) {
        item.Set(member.name, ValueOf(member.value));
      }
      PutItem(application_->TableName(sample.Find("table")->text), item);
    }
  }

  static item::Value ValueOf(const json::Node& node) {
    const std::string_view type = node.members.front().name;
    const json::Node& value = node.members.front().value;
    if (type == "S") return item::Value(value.text);
    if (type == "N") return item::Value(*item::Number::Parse(value.text));
    if (type == "BOOL") return item::Value(value.boolean);
    if (type == "M") {
      item::Map map;
      for (const json::Member& member : value.members) map.Set(member.name, ValueOf(member.value));
      return item::Value(std::move(map));
    }
    item::List list;
    if (type == "L") {
      for (const json::Node& one : value.items) list.push_back(ValueOf(one));
    } else {
      ADD_FAILURE() << "a sample of type " << type;
    }
    return item::Value(std::move(list));
  }

  std::unique_ptr<Application> application_;
};

}  // namespace monotable::entities
