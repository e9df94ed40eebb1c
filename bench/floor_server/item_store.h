#pragma once

#include <string>
#include <string_view>

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>
#include <simdjson.h>

#include "http.h"

namespace monotable::bench {

// Items as their JSON, in RocksDB, under table, PK and SK with zero bytes between. Believes every
// request. Puts are gathered until Commit. Not thread-safe: each thread has one of its own on the
// same database.
class ItemStore {
 public:
  explicit ItemStore(rocksdb::DB* db);

  // Does what the request asks, appends the answer, and tells whether the answer must wait for the
  // next Commit. What follows the body must be readable for simdjson's padding.
  bool Handle(const HttpRequest& request, std::string* answer);

  // Writes what was put since the last time, in one batch, and returns when it is on the disk.
  void Commit();

 private:
  void GetItem(simdjson::ondemand::document& request, std::string* answer);
  void PutItem(simdjson::ondemand::document& request);
  void BatchWriteItem(simdjson::ondemand::document& request);
  void Put(std::string_view table, simdjson::ondemand::object item);
  void MakeKey(std::string_view table, simdjson::ondemand::object item);

  rocksdb::DB& db_;
  rocksdb::WriteBatch batch_;
  simdjson::ondemand::parser parser_;
  std::string key_;
};

}  // namespace monotable::bench
