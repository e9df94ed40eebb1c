#include "deploy/samples.h"

#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "deploy/json_document.h"
#include "json/json_writer.h"
#include "model/environment.h"

namespace monotable::deploy {
namespace {

struct Sample {
  std::string table_name;
  std::string hash_attribute;
  std::string item;  // JSON
};

Error Malformed(size_t number, std::string_view what) {
  return Error::Validation(fmt::format("Sample {}: {}", number, what));
}

Result<std::vector<Sample>> ReadSamples(const model::Model& model, std::string_view text,
                                        const Target& target) {
  const auto document = Document::Parse(text);
  if (!document || !document->root().is_array()) {
    return Error::Validation("The samples are not a JSON list of {\"table\": …, \"item\": …}.");
  }
  std::vector<Sample> samples;
  for (const json::Element each : json::ArrayOf(document->root())) {
    const size_t number = samples.size() + 1;
    if (!each.is_object())
      return Malformed(number, "it is not an object with a table and an item.");
    const json::Object object = json::ObjectOf(each);
    const auto item = ObjectIn(object, "item");
    if (!item) return Malformed(number, "it has no item.");
    const std::string_view id = TextOf(object, "table");
    const model::TableModel* table = model.FindTable(id);
    if (table == nullptr) {
      return Malformed(number, fmt::format("the model {} has no table '{}'.", model.name, id));
    }
    TRY_ASSIGN(std::string name,
               model::TableNameIn(model, *table, target.environment, target.parameters));
    samples.push_back({std::move(name), table->key.hash.front().name, json::Minify(*item)});
  }
  return samples;
}

std::string PutRequest(const Sample& sample, bool overwrite) {
  std::string body;
  json::Writer out(&body);
  out.BeginObject().Key("TableName").String(sample.table_name).Key("Item").Raw(sample.item);
  if (!overwrite) {
    out.Key("ConditionExpression").String("attribute_not_exists(#hash)");
    out.Key("ExpressionAttributeNames").BeginObject();
    out.Key("#hash").String(sample.hash_attribute).EndObject();
  }
  out.EndObject();
  return body;
}

Error Refusal(size_t at, const Sample& sample, const Error& error) {
  return Error(error.code(), fmt::format("Sample {} into table {}: {}", at + 1, sample.table_name,
                                         error.message()));
}

}  // namespace

Result<SampleCounts> LoadSamples(const model::Model& model, std::string_view samples_json,
                                 const SampleOptions& options, const Call& call) {
  TRY_ASSIGN(const std::vector<Sample> samples, ReadSamples(model, samples_json, options.target));
  SampleCounts counts;
  std::vector<size_t> left(samples.size());
  std::iota(left.begin(), left.end(), size_t{0});
  // The rules of a table may refuse an item until the item that it refers to is there, which may be
  // a later one. What is refused is tried again for as long as others are taken.
  while (!left.empty()) {
    std::vector<size_t> refused;
    std::optional<Error> first;
    for (const size_t i : left) {
      const auto answer = call("PutItem", PutRequest(samples[i], options.overwrite));
      if (answer) {
        ++counts.written;
      } else if (answer.error().code() == ErrorCode::kConditionalCheckFailed) {
        ++counts.kept;
      } else {
        if (!first) first = Refusal(i, samples[i], answer.error());
        refused.push_back(i);
      }
    }
    if (refused.size() == left.size()) return *std::move(first);
    left = std::move(refused);
  }
  return counts;
}

}  // namespace monotable::deploy
