#include "deploy/samples.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "deploy/document.h"
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
    return Error::Validation("The samples are no JSON list of {\"table\": …, \"item\": …}.");
  }
  std::vector<Sample> samples;
  for (const json::Element each : json::ArrayOf(document->root())) {
    const size_t number = samples.size() + 1;
    if (!each.is_object()) return Malformed(number, "it is no object with a table and an item.");
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

}  // namespace

Result<SampleCounts> LoadSamples(const model::Model& model, std::string_view samples_json,
                                 const SampleOptions& options, const Call& call) {
  TRY_ASSIGN(const std::vector<Sample> samples, ReadSamples(model, samples_json, options.target));
  SampleCounts counts;
  for (size_t i = 0; i < samples.size(); ++i) {
    const auto answer = call("PutItem", PutRequest(samples[i], options.overwrite));
    if (answer) {
      ++counts.written;
    } else if (answer.error().code() == ErrorCode::kConditionalCheckFailed) {
      ++counts.kept;
    } else {
      return Error(answer.error().code(),
                   fmt::format("Sample {} into table {}: {}", i + 1, samples[i].table_name,
                               answer.error().message()));
    }
  }
  return counts;
}

}  // namespace monotable::deploy
