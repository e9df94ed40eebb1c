#include "item_store.h"

#include <cstdio>
#include <cstdlib>

namespace monotable::bench {
namespace {

namespace ondemand = simdjson::ondemand;

// There is nobody to give an error to: the load generator sends what is right, and a database that
// fails ends the measurement.
void CheckWritten(const rocksdb::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "floor_server: %s\n", status.ToString().c_str());
  std::abort();
}

void AppendAnswer(std::string_view body, std::string* answer) {
  AppendAnswerHead(body.size(), answer);
  answer->append(body);
}

}  // namespace

ItemStore::ItemStore(rocksdb::DB* db) : db_(*db) {}

bool ItemStore::Handle(const HttpRequest& request, std::string* answer) {
  ondemand::document document;
  const simdjson::padded_string_view text(request.body.data(), request.body.size(),
                                          request.body.size() + simdjson::SIMDJSON_PADDING);
  if (parser_.iterate(text).get(document) != simdjson::SUCCESS) {
    AppendAnswer("{}", answer);
  } else if (request.operation == "GetItem") {
    GetItem(document, answer);
  } else if (request.operation == "PutItem") {
    PutItem(document);
    AppendAnswer("{}", answer);
    return true;
  } else if (request.operation == "BatchWriteItem") {
    BatchWriteItem(document);
    AppendAnswer(R"({"UnprocessedItems":{}})", answer);
    return true;
  } else {
    AppendAnswer("{}", answer);
  }
  return false;
}

void ItemStore::GetItem(ondemand::document& request, std::string* answer) {
  std::string_view table;
  ondemand::object key;
  rocksdb::PinnableSlice item;
  if (request["TableName"].get(table) == simdjson::SUCCESS &&
      request["Key"].get(key) == simdjson::SUCCESS) {
    MakeKey(table, key);
    if (db_.Get(rocksdb::ReadOptions(), db_.DefaultColumnFamily(), key_, &item).ok()) {
      constexpr std::string_view kBefore = R"({"Item":)";
      AppendAnswerHead(kBefore.size() + item.size() + 1, answer);
      answer->append(kBefore).append(item.data(), item.size()).append("}");
      return;
    }
  }
  AppendAnswer("{}", answer);
}

void ItemStore::PutItem(ondemand::document& request) {
  std::string_view table;
  ondemand::object item;
  if (request["TableName"].get(table) == simdjson::SUCCESS &&
      request["Item"].get(item) == simdjson::SUCCESS) {
    Put(table, item);
  }
}

void ItemStore::BatchWriteItem(ondemand::document& request) {
  ondemand::object tables;
  if (request["RequestItems"].get(tables) != simdjson::SUCCESS) return;
  for (auto table : tables) {
    std::string_view name;
    ondemand::array writes;
    if (table.unescaped_key().get(name) != simdjson::SUCCESS) return;
    if (table.value().get(writes) != simdjson::SUCCESS) return;
    for (auto write : writes) {
      ondemand::object item;
      if (write["PutRequest"]["Item"].get(item) == simdjson::SUCCESS) Put(name, item);
    }
  }
}

void ItemStore::Put(std::string_view table, ondemand::object item) {
  std::string_view json;
  bool has_members = false;
  if (item.raw_json().get(json) != simdjson::SUCCESS) return;
  if (item.reset().get(has_members) != simdjson::SUCCESS || !has_members) return;
  MakeKey(table, item);
  CheckWritten(batch_.Put(key_, rocksdb::Slice(json.data(), json.size())));
}

void ItemStore::MakeKey(std::string_view table, ondemand::object item) {
  std::string_view partition;
  std::string_view sort;
  if (item["PK"]["S"].get(partition) != simdjson::SUCCESS) return key_.clear();
  if (item["SK"]["S"].get(sort) != simdjson::SUCCESS) return key_.clear();
  key_.assign(table).push_back('\0');
  key_.append(partition).push_back('\0');
  key_.append(sort);
}

void ItemStore::Commit() {
  if (batch_.Count() == 0) return;
  rocksdb::WriteOptions options;
  options.sync = true;
  CheckWritten(db_.Write(options, &batch_));
  batch_.Clear();
}

}  // namespace monotable::bench
