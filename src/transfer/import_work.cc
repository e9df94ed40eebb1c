#include "transfer/import_work.h"

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "operations/transfer_record.h"
#include "transfer/bucket.h"
#include "transfer/byte_source.h"
#include "transfer/error_report.h"
#include "transfer/item_reader.h"
#include "transfer/item_sink.h"
#include "transfer/manifest.h"

namespace monotable::transfer {
namespace {

using operations::ImportDescription;
using operations::TransferFailure;
using operations::TransferStatus;

constexpr int64_t kItemsBetweenSaves = 20'000;

class Import {
 public:
  Import(engine::Engine& engine, engine::TablePtr table, const Bucket& bucket,
         ImportDescription* import)
      : engine_(engine),
        table_(table),
        bucket_(bucket),
        import_(*import),
        report_(bucket, *import),
        sink_(engine, std::move(table), &report_) {}

  Status ReadAll(const std::vector<Object>& objects, const std::stop_token& stop) {
    Status done;
    for (const Object& object : objects) {
      done = ReadObject(object, stop);
      if (!done) break;
    }
    if (done) done = sink_.Flush();
    SetCounts();
    TRY(std::move(done));
    return report_.Finish();
  }

  const ErrorReport& report() const { return report_; }

 private:
  Status ReadObject(const Object& object, const std::stop_token& stop) {
    TRY_ASSIGN(http::FileDescriptor file, bucket_.Open(object.key));
    TRY_ASSIGN(auto source, OpenByteSource(std::move(file), import_.compression));
    const auto reader = NewItemReader(import_, *table_, std::move(source));
    const int64_t bytes_before = import_.processed_bytes;
    for (int64_t index = 0; !stop.stop_requested(); ++index) {
      auto next = reader->Next();
      import_.processed_bytes = bytes_before + reader->bytes_read();
      SourcePlace place{object.key, index, reader->Preview()};
      if (!next)
        return report_.Add(place, "The rest of the object is lost: " + next.error().message());
      if (!*next) return {};
      TRY(Take(**next, std::move(place)));
    }
    return {};
  }

  Status Take(const Result<item::Item>& item, SourcePlace place) {
    if (++import_.processed_items % kItemsBetweenSaves == 0) {
      SetCounts();
      TRY(engine_.jobs().Save(operations::ToJob(import_)));
    }
    if (!item) return report_.Add(place, item.error().message());
    return sink_.Add(*item, std::move(place));
  }

  void SetCounts() {
    import_.imported_items = sink_.imported();
    import_.errors = report_.count();
  }

  engine::Engine& engine_;
  const engine::TablePtr table_;
  const Bucket& bucket_;
  ImportDescription& import_;
  ErrorReport report_;
  ItemSink sink_;
};

Result<std::optional<TransferFailure>> Run(engine::Engine& engine, const std::string& root,
                                           const std::stop_token& stop, ImportDescription* import) {
  const engine::TablePtr table = engine.catalog().FindById(import->table.id);
  if (table == nullptr) {
    return std::optional(TransferFailure{"TableNotFound", "The table was deleted"});
  }
  const std::string prefix = import->source.prefix.value_or("");
  TRY_ASSIGN(const std::optional<Bucket> bucket, Bucket::Find(root, import->source.bucket));
  if (!bucket) {
    return std::optional(TransferFailure{
        "S3NoSuchBucket", "The specified bucket does not exist: " + import->source.bucket});
  }
  TRY_ASSIGN(std::vector<Object> objects, bucket->List(prefix));
  std::erase_if(objects, [](const Object& object) { return IsCompanion(object.key); });
  if (objects.empty()) {
    return std::optional(TransferFailure{
        "S3NoSuchKey", fmt::format("No object of the bucket {} has a key that begins with '{}'",
                                   import->source.bucket, prefix)});
  }
  Import run(engine, table, *bucket, import);
  TRY(run.ReadAll(objects, stop));
  if (import->errors == 0) return std::optional<TransferFailure>();
  return std::optional(TransferFailure{
      "ItemValidationError",
      fmt::format("Some of the items failed validation checks and were not imported. The errors "
                  "are in {} of the bucket {}.",
                  run.report().key(), import->source.bucket)});
}

// The table and the record of the job change in one commit: if the server ends in between, an
// import that is done again must not write over what has been written to a table that is in use.
Status Conclude(engine::Engine& engine, const ImportDescription& import) {
  const bool keep = import.status == TransferStatus::kCompleted || import.imported_items > 0;
  const auto decide = [&](const table::TableDefinition* current,
                          uint32_t) -> engine::Catalog::Decision {
    if (current == nullptr || current->id != import.table.id) {
      return Error(ErrorCode::kTableNotFound, "The table was deleted");
    }
    if (!keep) return std::optional<table::TableDefinition>();
    table::TableDefinition next = *current;
    next.status = table::TableStatus::kActive;
    return std::optional(std::move(next));
  };
  const auto also = [&import](const storage::Commit&, storage::Batch* batch) {
    engine::Jobs::Put(operations::ToJob(import), batch);
  };
  const auto changed = engine.catalog().Change(import.table.name, decide, also);
  if (changed || changed.error().code() == ErrorCode::kTableNotFound) return {};
  return changed.error();
}

}  // namespace

Result<item::Item> DoImport(engine::Engine& engine, const std::string& root, const engine::Job& job,
                            const std::stop_token& stop) {
  TRY_ASSIGN(ImportDescription import, operations::ToImport(job));
  import.processed_bytes = 0;
  import.processed_items = 0;
  import.imported_items = 0;
  import.errors = 0;
  auto done = Run(engine, root, stop, &import);
  if (stop.stop_requested()) return Error(ErrorCode::kUnavailable, "The server is stopping");
  if (done) {
    import.failure = std::move(*done);
  } else {
    import.failure = {"InternalServerError", done.error().message()};
  }
  import.status = import.failure ? TransferStatus::kFailed : TransferStatus::kCompleted;
  import.ended_at_ms = engine.clock().NowMs();
  TRY(Conclude(engine, import));
  return operations::ToJob(import).record;
}

}  // namespace monotable::transfer
