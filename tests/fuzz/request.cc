// Request bodies of every operation, through the front door's checks and decoders. The first line
// names the operation. Reads and writes of items then run against an engine in memory, and what
// they answer must be JSON.

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "api/dynamodb/answer.h"
#include "api/dynamodb/codecs.h"
#include "api/dynamodb/operation_table.h"
#include "engine/engine.h"
#include "fuzz/fuzz_target.h"
#include "json/parse.h"
#include "storage/memory/memory_store.h"
#include "wire/attribute_value.h"
#include "wire/constraint_check.h"
#include "wire/type_check.h"

using namespace monotable;                 // NOLINT: a program of its own
using namespace monotable::api::dynamodb;  // NOLINT
using namespace monotable::wire;           // NOLINT
using monotable::fuzz::Check;
using monotable::fuzz::TakeUntil;

namespace {

// An engine with one table, t: a hash key p (S), a range key s (N), a global and a local index.
class World {
 public:
  World() : store_(storage::NewMemoryStore()) {
    engine_ = std::move(*engine::Engine::Open(*store_, clock_, {}));
    operations::CreateTableRequest request;
    request.table_name = "tbl";
    request.billing_mode = table::BillingMode::kPayPerRequest;
    request.attribute_definitions = {
        {"p", item::Type::kString}, {"s", item::Type::kNumber}, {"g", item::Type::kString}};
    request.key_schema = {{"p", false}, {"s", true}};
    operations::IndexParameter index;
    index.index_name = "idx";
    index.key_schema = {{"g", false}, {"s", true}};
    index.projection.type = table::ProjectionType::kAll;
    request.global_indexes = {index};
    index.index_name = "local";
    index.key_schema = {{"p", false}, {"g", true}};
    index.projection.type = table::ProjectionType::kKeysOnly;
    request.local_indexes = {index};
    Check(operations::CreateTable(*engine_, request).has_value(), "a table can be made");
  }

  engine::Engine& engine() { return *engine_; }

 private:
  engine::SystemClock clock_;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<engine::Engine> engine_;
};

engine::Engine& TheEngine() {
  static World world;
  return world.engine();
}

void CheckJson(std::string text) {
  static json::Parser parser;
  text.reserve(text.size() + json::kPadding);
  Check(parser.Parse(text).has_value(), "an answer is JSON");
}

template <auto kEncode, typename Response>
void CheckAnswer(const Result<Response>& result) {
  std::string body;
  if (result) {
    kEncode(*result, &body);
  } else {
    Check(result.error().code() != ErrorCode::kInternal, "no request is an internal error");
    EncodeError(result.error(), &body);
  }
  CheckJson(std::move(body));
}

template <auto kDecode, auto kRun, auto kEncode>
void Read(const json::Object& body) {
  const auto request = kDecode(body);
  if (!request) return CheckAnswer<kEncode>(decltype(kRun(TheEngine(), *request))(request.error()));
  CheckAnswer<kEncode>(kRun(TheEngine(), *request));
}

template <auto kDecode, auto kRun, auto kEncode>
void Write(const json::Object& body) {
  auto request = kDecode(body);
  if (!request) {
    std::string text;
    EncodeError(request.error(), &text);
    return CheckJson(std::move(text));
  }
  std::mutex mutex;
  std::condition_variable changed;
  bool answered = false;
  kRun(TheEngine(), std::move(*request), [&](auto make) {
    CheckAnswer<kEncode>(make());
    const std::lock_guard lock(mutex);
    answered = true;
    changed.notify_one();
  });
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return answered; });
}

// The table is deleted again, so that inputs do not depend on each other.
void CreateAndDrop(const json::Object& body) {
  const auto request = DecodeCreateTable(body);
  if (!request) return;
  const auto created = operations::CreateTable(TheEngine(), *request);
  CheckAnswer<EncodeChangedTable>(created);
  if (!created) return;
  operations::UpdateTableRequest unprotect;
  unprotect.table_name = request->table_name;
  unprotect.deletion_protection = false;
  if (request->deletion_protection == true) {
    Check(operations::UpdateTable(TheEngine(), unprotect).has_value(), "protection can be lifted");
  }
  Check(operations::DeleteTable(TheEngine(), request->table_name).has_value(),
        "a table that was made can be dropped");
}

// Decoders of operations that would leave something behind.
template <auto kDecode>
void Decode(const json::Object& body) {
  const auto request = kDecode(body);
  if (request) return;
  std::string text;
  EncodeError(request.error(), &text);
  CheckJson(std::move(text));
}

using Handler = void (*)(const json::Object& body);

const std::map<std::string, Handler, std::less<>>& Handlers() {
  static const std::map<std::string, Handler, std::less<>> handlers = {
      {"GetItem", Read<DecodeGetItem, operations::GetItem, EncodeGetItem>},
      {"Query", Read<DecodeQuery, operations::Query, EncodePage>},
      {"Scan", Read<DecodeScan, operations::Scan, EncodePage>},
      {"BatchGetItem", Read<DecodeBatchGetItem, operations::BatchGetItem, EncodeBatchGetItem>},
      {"TransactGetItems",
       Read<DecodeTransactGetItems, operations::TransactGetItems, EncodeTransactGetItems>},
      {"PutItem", Write<DecodePutItem, operations::PutItem, EncodeWriteItem>},
      {"UpdateItem", Write<DecodeUpdateItem, operations::UpdateItem, EncodeWriteItem>},
      {"DeleteItem", Write<DecodeDeleteItem, operations::DeleteItem, EncodeWriteItem>},
      {"BatchWriteItem",
       Write<DecodeBatchWriteItem, operations::BatchWriteItem, EncodeBatchWriteItem>},
      {"TransactWriteItems",
       Write<DecodeTransactWriteItems, operations::TransactWriteItems, EncodeTransactWriteItems>},
      {"CreateTable", CreateAndDrop},
      {"UpdateTable", Decode<DecodeUpdateTable>},
      {"DeleteTable", Decode<DecodeTableName>},
      {"DescribeTable", Read<DecodeTableName, operations::DescribeTable, EncodeDescribedTable>},
      {"ListTables", Read<DecodeListTables, operations::ListTables, EncodeListTables>},
      {"TagResource", Decode<DecodeTagResource>},
      {"UntagResource", Decode<DecodeUntagResource>},
      {"ListTagsOfResource",
       Read<DecodeListTagsOfResource, operations::ListTagsOfResource, EncodeListTags>},
      {"UpdateTimeToLive", Decode<DecodeUpdateTimeToLive>},
      {"DescribeTimeToLive",
       Read<DecodeTableName, operations::DescribeTimeToLive, EncodeDescribeTimeToLive>},
  };
  return handlers;
}

// An item that decodes is printed and decoded to itself.
void CheckItem(const json::Object& body) {
  const auto element = json::Find(body, "Item");
  if (!element || !element->is_object()) return;
  const auto item = DecodeItem(json::ObjectOf(*element));
  if (!item) return;
  std::string text;
  json::Writer writer(&text);
  EncodeItem(encoding::ItemView(encoding::EncodeItem(*item)), &writer);
  std::string other;
  json::Writer other_writer(&other);
  EncodeItem(*item, &other_writer);
  Check(text == other, "an item prints the same from a record and from memory");
  static json::Parser parser;
  text.reserve(text.size() + json::kPadding);
  const auto root = parser.Parse(text);
  Check(root.has_value(), "a printed item is JSON");
  const auto again = DecodeItem(json::ObjectOf(*root));
  Check(again.has_value() && *again == *item, "a printed item decodes to itself");
}

}  // namespace

FUZZ_TARGET(request) {
  const std::string_view name = TakeUntil(&input, '\n');
  const Operation* operation = FindOperation(std::string(kDynamoDbTarget).append(name));
  const auto handler = Handlers().find(name);
  if (operation == nullptr || handler == Handlers().end()) return;
  static json::Parser parser;
  std::string padded(input);
  padded.reserve(input.size() + json::kPadding);
  const auto root = parser.Parse(padded);
  if (!root) return;
  const Status types = CheckTypes(operation->input, *root);
  json::Object body;
  if (!types || !root->Get(&body)) return;
  const Status constraints = CheckConstraints(operation->input, body);
  if (!constraints) return;
  CheckItem(body);
  handler->second(body);
}
