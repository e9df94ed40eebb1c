#include "deploy/table_shape.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "deploy/json_document.h"
#include "deploy/requests.h"
#include "table/definition.h"
#include "text/words.h"

namespace monotable::deploy {
namespace {

using table::KeyAttribute;
using table::KeySchema;

// The key that encrypts if the model does not name one.
constexpr std::string_view kManagedKey = "alias/aws/dynamodb";
constexpr int64_t kUsualUnits = 5;

std::string Parameter(const model::ParameterValues& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? std::string() : found->second;
}

int64_t Units(const model::ParameterValues& values, const std::string& name) {
  const std::string text = Parameter(values, name);
  const auto units = text::ParseNumber<int64_t>(text);
  return units && *units > 0 ? *units : kUsualUnits;
}

table::Projection Sorted(table::Projection projection) {
  std::sort(projection.non_key_attributes.begin(), projection.non_key_attributes.end());
  return projection;
}

// Reads one description of a table.
class Description {
 public:
  explicit Description(const json::Object& table) : table_(table) {
    for (const json::Object& each : Objects(table, "AttributeDefinitions")) {
      types_[std::string(TextOf(each, "AttributeName"))] = TypeOf(TextOf(each, "AttributeType"));
    }
  }

  TableShape Read() const {
    TableShape shape;
    shape.name = TextOf(table_, "TableName");
    shape.key = ReadKey(table_);
    ReadIndexes("LocalSecondaryIndexes", table::IndexKind::kLocal, &shape);
    ReadIndexes("GlobalSecondaryIndexes", table::IndexKind::kGlobal, &shape);
    const auto billing = ObjectIn(table_, "BillingModeSummary");
    if (billing && TextOf(*billing, "BillingMode") == "PAY_PER_REQUEST") {
      shape.billing = table::BillingMode::kPayPerRequest;
    }
    const auto stream = ObjectIn(table_, "StreamSpecification");
    if (stream && FlagOf(*stream, "StreamEnabled")) {
      shape.stream = ViewOf(TextOf(*stream, "StreamViewType"));
    }
    if (const auto sse = ObjectIn(table_, "SSEDescription")) {
      shape.encrypted = TextOf(*sse, "SSEType") == "KMS";
      shape.encryption_key = TextOf(*sse, "KMSMasterKeyArn");
    }
    shape.deletion_protection = FlagOf(table_, "DeletionProtectionEnabled");
    return shape;
  }

  bool IsActive() const {
    const auto sse = ObjectIn(table_, "SSEDescription");
    if (TextOf(table_, "TableStatus") != "ACTIVE") return false;
    if (sse && TextOf(*sse, "Status") == "UPDATING") return false;
    const auto indexes = Objects(table_, "GlobalSecondaryIndexes");
    return std::all_of(indexes.begin(), indexes.end(), [](const json::Object& index) {
      return TextOf(index, "IndexStatus") == "ACTIVE";
    });
  }

 private:
  static std::vector<json::Object> Objects(const json::Object& object, std::string_view name) {
    std::vector<json::Object> objects;
    const auto array = ArrayIn(object, name);
    if (!array) return objects;
    for (const json::Element each : *array) objects.push_back(json::ObjectOf(each));
    return objects;
  }

  static item::Type TypeOf(std::string_view name) {
    if (name == "N") return item::Type::kNumber;
    return name == "B" ? item::Type::kBinary : item::Type::kString;
  }

  static table::StreamViewType ViewOf(std::string_view name) {
    for (const auto view : {table::StreamViewType::kKeysOnly, table::StreamViewType::kNewImage,
                            table::StreamViewType::kOldImage}) {
      if (table::StreamViewName(view) == name) return view;
    }
    return table::StreamViewType::kNewAndOldImages;
  }

  KeySchema ReadKey(const json::Object& owner) const {
    KeySchema key;
    for (const json::Object& each : Objects(owner, "KeySchema")) {
      const std::string name(TextOf(each, "AttributeName"));
      const auto type = types_.find(name);
      auto& part = TextOf(each, "KeyType") == "HASH" ? key.hash : key.range;
      part.push_back({name, type == types_.end() ? item::Type::kString : type->second});
    }
    return key;
  }

  void ReadIndexes(std::string_view member, table::IndexKind kind, TableShape* shape) const {
    for (const json::Object& each : Objects(table_, member)) {
      if (TextOf(each, "IndexStatus") == "DELETING") continue;
      IndexShape index;
      index.name = TextOf(each, "IndexName");
      index.kind = kind;
      index.key = ReadKey(each);
      if (const auto projection = ObjectIn(each, "Projection")) {
        const std::string_view type = TextOf(*projection, "ProjectionType");
        if (type == "KEYS_ONLY") index.projection.type = table::ProjectionType::kKeysOnly;
        if (type == "INCLUDE") index.projection.type = table::ProjectionType::kInclude;
        if (const auto names = ArrayIn(*projection, "NonKeyAttributes")) {
          for (const json::Element name : *names) {
            index.projection.non_key_attributes.emplace_back(json::StringOf(name));
          }
        }
      }
      index.projection = Sorted(std::move(index.projection));
      shape->indexes.push_back(std::move(index));
    }
  }

  const json::Object table_;
  std::map<std::string, item::Type> types_;
};

// Returns nullopt if there is no such table.
Result<std::optional<Document>> Describe(const Call& call, std::string_view name) {
  auto answer = call("DescribeTable", TableNameRequest(name));
  if (!answer) {
    if (answer.error().code() == ErrorCode::kResourceNotFound) return std::optional<Document>();
    return std::move(answer).error();
  }
  TRY_ASSIGN(Document document, Document::Parse(*answer));
  if (!ObjectIn(document.object(), "Table")) {
    return Error::Internal("the answer to DescribeTable does not describe a table");
  }
  return std::optional<Document>(std::move(document));
}

Status ReadTimeToLive(const Call& call, TableShape* shape) {
  TRY_ASSIGN(const std::string answer, call("DescribeTimeToLive", TableNameRequest(shape->name)));
  TRY_ASSIGN(const Document document, Document::Parse(answer));
  const auto description = ObjectIn(document.object(), "TimeToLiveDescription");
  if (!description) return {};
  const std::string_view status = TextOf(*description, "TimeToLiveStatus");
  if (status == "ENABLED" || status == "ENABLING") {
    shape->ttl_attribute = TextOf(*description, "AttributeName");
  }
  return {};
}

Status ReadRecovery(const Call& call, TableShape* shape) {
  const auto answer = call("DescribeContinuousBackups", TableNameRequest(shape->name));
  if (!answer) {
    if (answer.error().code() == ErrorCode::kUnknownOperation) return {};
    return answer.error();
  }
  TRY_ASSIGN(const Document document, Document::Parse(*answer));
  shape->recovery = false;
  const auto backups = ObjectIn(document.object(), "ContinuousBackupsDescription");
  if (!backups) return {};
  const auto recovery = ObjectIn(*backups, "PointInTimeRecoveryDescription");
  if (!recovery) return {};
  shape->recovery = TextOf(*recovery, "PointInTimeRecoveryStatus") == "ENABLED";
  if (const auto days = json::Find(*recovery, "RecoveryPeriodInDays")) {
    shape->recovery_days = static_cast<int>(json::IntegerOf(*days));
  }
  return {};
}

}  // namespace

const IndexShape* TableShape::FindIndex(std::string_view index_name) const {
  const auto found = std::find_if(indexes.begin(), indexes.end(), [&](const IndexShape& index) {
    return index.name == index_name;
  });
  return found == indexes.end() ? nullptr : &*found;
}

Result<TableShape> WantedTable(const model::Model& model, const model::TableModel& table,
                               const Target& target) {
  TRY_ASSIGN(const model::EnvironmentModel environment,
             model::EnvironmentIn(model, target.environment));
  TRY_ASSIGN(const model::ParameterValues values, model::ParametersIn(model, target.parameters));
  TableShape shape;
  TRY_ASSIGN(shape.name, model::TableNameIn(model, table, target.environment, target.parameters));
  shape.key = table.key;
  for (const model::IndexModel& index : table.indexes) {
    shape.indexes.push_back({index.name, index.kind, index.key, Sorted(index.projection)});
  }
  shape.billing = table.billing;
  shape.throughput = {Units(values, "ReadCapacityUnits"), Units(values, "WriteCapacityUnits")};
  shape.stream = table.stream;
  shape.encrypted = table.encrypted || values.contains("KmsKeyArn");
  shape.encryption_key = Parameter(values, "KmsKeyArn");
  if (shape.encryption_key.empty() && table.encryption_key != kManagedKey) {
    shape.encryption_key = table.encryption_key;
  }
  shape.deletion_protection =
      environment.deletion_protection || Parameter(values, "DeletionProtection") == "true";
  shape.ttl_attribute = table.ttl_attribute;
  shape.recovery = environment.pitr || Parameter(values, "EnablePITR") == "true";
  shape.recovery_days = environment.pitr_days;
  return shape;
}

Result<std::optional<TableShape>> ReadTable(const Call& call, std::string_view name) {
  TRY_ASSIGN(const auto document, Describe(call, name));
  if (!document) return std::optional<TableShape>();
  TableShape shape = Description(*ObjectIn(document->object(), "Table")).Read();
  TRY(ReadTimeToLive(call, &shape));
  TRY(ReadRecovery(call, &shape));
  return std::optional<TableShape>(std::move(shape));
}

Result<bool> IsActive(const Call& call, std::string_view name) {
  TRY_ASSIGN(const auto document, Describe(call, name));
  return document && Description(*ObjectIn(document->object(), "Table")).IsActive();
}

std::string DescribeKey(const table::KeySchema& key) {
  std::vector<std::string> attributes;
  for (const auto* part : {&key.hash, &key.range}) {
    for (const KeyAttribute& attribute : *part) {
      attributes.push_back(fmt::format("{} {}", attribute.name, item::TypeName(attribute.type)));
    }
  }
  return fmt::format("{}", fmt::join(attributes, ", "));
}

std::string DescribeProjection(const table::Projection& projection) {
  if (projection.type == table::ProjectionType::kAll) return "all attributes";
  if (projection.type == table::ProjectionType::kKeysOnly) return "keys only";
  return fmt::format("{} and the keys", fmt::join(projection.non_key_attributes, ", "));
}

}  // namespace monotable::deploy
