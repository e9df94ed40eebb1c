#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "encoding/item.h"
#include "encoding/keyspace.h"
#include "engine/jobs.h"
#include "engine/key_check.h"
#include "engine/write.h"
#include "operations/tables_fixture.h"
#include "operations/transfers.h"
#include "transfer/bucket.h"
#include "transfer/file_fixture.h"
#include "transfer/line_reader.h"
#include "transfer/transfers.h"

// What the tests of exports and imports start from: an engine whose buckets are folders of a
// temporary one, and a clock that stands still.
namespace monotable::transfer {

class TransferFixture : public operations::TablesFixture {
 protected:
  TransferFixture() {
    const Status started = StartTransfers(engine(), {root()});
    EXPECT_TRUE(started);
  }
  // The jobs use the folder, which goes first.
  ~TransferFixture() override { engine_.reset(); }

  std::string root() const { return folder_.path() + "/s3"; }

  // A file in a bucket.
  void PutFile(const std::string& path, std::string_view bytes) {
    const std::filesystem::path file = root() + "/" + path;
    std::filesystem::create_directories(file.parent_path());
    WriteFile(file, bytes);
  }
  std::string File(const std::string& path) { return ReadFile(root() + "/" + path); }

  // The lines of all data files under a path of a bucket, sorted.
  std::vector<std::string> DataLines(const std::string& bucket_name, const std::string& prefix) {
    std::vector<std::string> lines;
    auto bucket = Bucket::Find(root(), bucket_name);
    EXPECT_TRUE(bucket && *bucket);
    const auto objects = (*bucket)->List(prefix);
    EXPECT_TRUE(objects);
    for (const Object& object : *objects) {
      if (!object.key.ends_with(".json.gz")) continue;
      auto source =
          OpenByteSource(std::move(*(*bucket)->Open(object.key)), operations::Compression::kGzip);
      LineReader reader(std::move(*source));
      while (auto line = *reader.Next()) lines.emplace_back(line->text);
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  // A table with PK and SK and point-in-time recovery.
  void CreateRecoverable(const std::string& name) {
    Create(Table(name));
    const auto decide = [](const table::TableDefinition* current,
                           uint32_t) -> engine::Catalog::Decision {
      table::TableDefinition next = *current;
      next.point_in_time_recovery.enabled = true;
      return std::optional(std::move(next));
    };
    ASSERT_TRUE(engine().catalog().Change(name, decide));
  }

  static item::Item Key(std::string pk, std::string sk) {
    item::Item key;
    key.Set("PK", item::Value(std::move(pk)));
    key.Set("SK", item::Value(std::move(sk)));
    return key;
  }
  static item::Item With(item::Item item, std::string_view name, item::Value value) {
    item.Set(name, std::move(value));
    return item;
  }

  void Write(const std::string& name, engine::WriteAction action, const item::Item& item) {
    engine::WriteRequest request;
    engine::ItemWrite& write = request.items.emplace_back();
    write.table = Find(name);
    write.table_name = name;
    write.action = action;
    write.key = engine::KeyOf(*write.table, item);
    if (action == engine::WriteAction::kPut) write.put = encoding::EncodeItem(item);
    const auto outcome = engine::WriteAndWait(engine(), std::move(request));
    ASSERT_TRUE(outcome && !outcome->refused());
  }
  void Put(const std::string& name, const item::Item& item) {
    Write(name, engine::WriteAction::kPut, item);
  }
  void Delete(const std::string& name, const item::Item& key) {
    Write(name, engine::WriteAction::kDelete, key);
  }

  // All items of a table, in key order.
  std::vector<item::Item> Items(const std::string& name) {
    std::vector<item::Item> items;
    const auto cursor = store_->Latest().Scan(
        encoding::ItemsRange(Find(name)->id, encoding::kTableItems), storage::Direction::kForward);
    for (; cursor->Valid(); cursor->Next()) items.push_back(*encoding::DecodeItem(cursor->value()));
    return items;
  }

  // Does what the jobs of this process left undone.
  void StartNextProcess() {
    engine_.reset();
    auto opened = engine::Engine::Open(*store_, clock_, {});
    ASSERT_TRUE(opened);
    engine_ = std::move(*opened);
    ASSERT_TRUE(StartTransfers(engine(), {root()}));
    engine().jobs().WaitUntilIdle();
  }

  void Advance(int64_t milliseconds) { clock_.now_ms += milliseconds; }

  operations::ExportDescription Export(const operations::ExportTableRequest& request) {
    const auto begun = operations::ExportTableToPointInTime(engine(), request);
    EXPECT_TRUE(begun) << begun.error().message();
    engine().jobs().WaitUntilIdle();
    const auto ended = operations::DescribeExport(engine(), begun->arn);
    EXPECT_TRUE(ended);
    return *ended;
  }

  operations::ImportDescription Import(const operations::ImportTableRequest& request) {
    const auto begun = operations::ImportTable(engine(), request);
    EXPECT_TRUE(begun) << begun.error().message();
    engine().jobs().WaitUntilIdle();
    const auto ended = operations::DescribeImport(engine(), begun->arn);
    EXPECT_TRUE(ended);
    return *ended;
  }

  operations::ExportTableRequest ExportOf(const std::string& name) {
    operations::ExportTableRequest request;
    request.table_arn = engine().TableArn(name);
    request.bucket = "exports";
    return request;
  }

  static operations::ImportTableRequest ImportOf(std::string bucket, std::string prefix,
                                                 std::string table) {
    operations::ImportTableRequest request;
    request.source = {std::move(bucket), std::nullopt, std::move(prefix)};
    request.table = Table(std::move(table));
    return request;
  }

  storage::TemporaryFolder folder_;
};

}  // namespace monotable::transfer
