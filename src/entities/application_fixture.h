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

#include "entities/application.h"
#include "json/base64.h"
#include "json/tree.h"
#include "model/load/load.h"

// Applications for tests: the designs of models/ with their sample items, and a small design that
// has every type and every setting of a codec.
namespace monotable::entities {

inline constexpr std::string_view kEveryType = R"yaml(format: stm/1
model: every
tables:
  main:
    name: every
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: kind
    version_attribute: _v
    ttl_attribute: ttl
    indexes:
      GSI1: {hash: "GSI1PK S", range: "GSI1SK S", project: all}
  plain:
    name: plain
    keys: {hash: "PK S", range: "SK S"}
enums:
  Status: {values: [DRAFT, CONFIRMED, DONE], initial: DRAFT, transitions: any}
  Color: {values: [RED, GREEN], open: true}
types:
  Address:
    type: object
    attributes:
      Street: string!
      City: {type: string, max: 20}
      Country: {type: string, required: true, default: BR}
      Since: {type: instant, stored: brazilian}
      Secret: {type: string, hidden: true}
entities:
  Thing:
    table: main
    path: things
    id: {attribute: Id}
    keys:
      primary: {PK: "THING#{Id}", SK: "THING"}
      GSI1: {GSI1PK: "GROUP#{Group|esc}", GSI1SK: "{Rank:03}#{Place.City}"}
    attributes:
      Id: string!
      Group: string
      Rank: integer
      Place: Address
      Name: {type: string, min: 2, max: 5}
      Code: {type: string, match: "[A-Z]{3}[0-9]"}
      Email: {type: string, format: email}
      Home: {type: string, format: uri}
      Uuid: {type: string, format: uuid}
      Ulid: {type: string, format: ulid}
      Count: {type: integer, min: 0, max: 100}
      Price: {type: decimal, precision: 6, scale: 2, min: -1000}
      Exact: decimal
      Flag: boolean
      At: instant
      AtMs: {type: instant, precision: milliseconds}
      AtBr: {type: instant, stored: brazilian}
      AtEpoch: {type: instant, stored: epoch}
      AtMillis: {type: instant, stored: epoch_millis}
      Day: date
      Data: binary
      Status: Status
      Color: Color
      Numbers: {type: list, of: integer, min: 1, max: 3}
      Addresses: "Address[]"
      Moments: {type: list, of: {type: instant, stored: epoch}}
      Tags: {type: set, of: string, max: 3}
      Primes: "set(integer)"
      Blobs: "set(binary)"
      Prices: {type: map, of: decimal, max: 2}
      Times: {type: map, of: {type: instant, stored: brazilian}}
      Anything: any
      Password: {type: string, hidden: true}
      Twice: {type: integer, derive: "Count * 2"}
      CreatedAt: {type: instant, set: on_create}
  Kept:
    table: main
    path: kept
    keys:
      primary: {PK: "KEPT#{Owner}#{Number:05}", SK: "AT#{Moment:iso}"}
    from_key: [Owner, Number, Moment]
    attributes:
      Owner: string!
      Number: integer!
      Moment: {type: instant, required: true, stored: epoch}
      Place: Address
    unknown_attributes: keep
  Dropped:
    table: main
    path: dropped
    keys:
      primary: {PK: "DROPPED#{Id}", SK: "DROPPED"}
    attributes:
      Id: string!
      Place: Address
    unknown_attributes: drop
  Wrapped:
    table: plain
    path: wrapped
    keys:
      primary: {PK: "WRAPPED#{Id}", SK: "WRAPPED"}
    envelope: {attribute: data, outside: [CreatedAt]}
    attributes:
      Id: string!
      Title: string
      At: {type: instant, stored: epoch_millis}
      CreatedAt: instant
operations:
  createAll:
    input:
      thing: Thing
      kept: "Kept[1..2]"
      dropped: "Dropped[]"
      note: string!
      code: {type: string, match: "[0-9]+"}
    transact:
      - {put: Thing, from: thing}
      - {put: Kept, each: kept}
      - {put: Dropped, each: dropped}
  touch:
    route: "POST /things/{Id}:touch"
    input: {Id: string!, at: instant!}
    transact:
      - {update: Thing, set: {At: input.at}}
)yaml";

inline std::unique_ptr<Application> MakeApplication(std::string_view model_text) {
  model::Findings findings;
  auto model = model::LoadModel(model_text, &findings);
  for (const model::Finding& finding : findings.all()) {
    EXPECT_NE(finding.severity, model::Severity::kError) << FormatFinding("model", finding);
  }
  if (!model) std::abort();
  auto application = Application::Create(*std::move(model), {});
  if (!application) std::abort();
  return std::move(*application);
}

inline std::string ReadModelsFile(const std::string& name) {
  const auto folder = std::filesystem::path(__FILE__).parent_path() / "../../models";
  std::ifstream file(folder / name);
  EXPECT_TRUE(file) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

// One of sales, orders, blog, trading and chat.
inline std::unique_ptr<Application> LoadDesign(const std::string& name) {
  return MakeApplication(ReadModelsFile(name + ".model.yaml"));
}

// A value of DynamoDB JSON: {"S": "x"}.
inline item::Value ValueOfJson(const json::Node& node) {
  const auto& [type, value] = node.members.at(0);
  const auto texts = [&value = value] {
    std::vector<std::string> members;
    for (const json::Node& member : value.items) members.emplace_back(member.text);
    return members;
  };
  if (type == "S") return item::Value(value.text);
  if (type == "N") return item::Value(*item::Number::Parse(value.text));
  if (type == "B") return item::Value(item::Binary{*json::DecodeBase64(value.text)});
  if (type == "BOOL") return item::Value(value.boolean);
  if (type == "SS") return item::Value(item::MakeStringSet(texts()));
  if (type == "L") {
    item::List list;
    for (const json::Node& member : value.items) list.push_back(ValueOfJson(member));
    return item::Value(std::move(list));
  }
  if (type == "M") {
    item::Map map;
    for (const json::Member& member : value.members)
      map.Set(member.name, ValueOfJson(member.value));
    return item::Value(std::move(map));
  }
  return item::Value();
}

struct SampleItem {
  std::string table;  // id
  item::Item item;
};

// The sample items of a design.
inline std::vector<SampleItem> LoadSamples(const std::string& name) {
  const std::string text = ReadModelsFile("samples/" + name + ".json");
  const auto tree = json::Tree::Parse(text);
  EXPECT_TRUE(tree) << tree.error().message();
  std::vector<SampleItem> samples;
  for (const json::Node& node : tree->root().items) {
    SampleItem sample{std::string(node.Find("table")->text), {}};
    for (const json::Member& attribute : node.Find("item")->members) {
      sample.item.Set(attribute.name, ValueOfJson(attribute.value));
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

}  // namespace monotable::entities
