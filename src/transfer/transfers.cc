#include "transfer/transfers.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "encoding/keyspace.h"
#include "engine/engine.h"
#include "engine/jobs.h"
#include "engine/key_check.h"
#include "engine/recovery/history.h"
#include "engine/write.h"
#include "error/result.h"
#include "item/value.h"
#include "json/json_writer.h"
#include "json/parse.h"
#include "operations/transfer_record.h"
#include "operations/transfers.h"
#include "transfer/bucket.h"
#include "transfer/export_files.h"
#include "transfer/item_reader.h"
#include "transfer/line_reader.h"
#include "wire/attribute_value.h"

namespace monotable::transfer {
namespace {

using encoding::ItemView;
using operations::ExportDescription;
using operations::ExportType;
using operations::ExportView;

class Export {
 public:
  Export(engine::Engine& engine, const Bucket& bucket, ExportDescription* transfer)
      : engine_(engine),
        transfer_(*transfer),
        bucket_(bucket),
        files_(bucket, DataPath(*transfer)) {}

  Status Write(const table::TableDefinition& table, const std::stop_token& stop) {
    TRY(BeginExport(bucket_, transfer_));
    const std::unique_ptr<storage::Reader> reader = engine_.store().Snapshot();
    if (transfer_.type == ExportType::kFull) {
      const auto visit = [this](std::string_view, ItemView item) { return AddItem(item); };
      TRY(engine::WalkPast(*reader, table, transfer_.time_ms, visit, stop));
    } else {
      // The window of a request includes its beginning and excludes its end. The window of the
      // walk excludes its beginning and includes its end.
      const auto visit = [&](const engine::PastChange& change) { return AddChange(table, change); };
      TRY(engine::WalkChanges(*reader, table, transfer_.from_ms - 1, transfer_.to_ms - 1, visit,
                              stop));
    }
    TRY(files_.Finish());
    transfer_.ended_at_ms = engine_.clock().NowMs();
    return WriteManifests(bucket_, transfer_, files_.files());
  }

 private:
  Status AddItem(const ItemView& item) {
    line_.clear();
    json::Writer writer(&line_);
    writer.BeginObject().Key("Item");
    wire::EncodeItem(item, &writer);
    writer.EndObject();
    transfer_.billed_bytes += static_cast<int64_t>(item.ChargedSize());
    return AddLine();
  }

  // An item that was created and deleted within the window leaves no line.
  Status AddChange(const table::TableDefinition& table, const engine::PastChange& change) {
    if (!change.old_item && !change.new_item) return {};
    TRY_ASSIGN(const item::Item keys, engine::KeyOf(table, change.key_image));
    line_.clear();
    json::Writer writer(&line_);
    writer.BeginObject().Key("Metadata").BeginObject().Key("WriteTimestampMicros").BeginObject();
    writer.Key("N").String(fmt::format("{}000", change.written_at_ms)).EndObject().EndObject();
    writer.Key("Keys");
    wire::EncodeItem(keys, &writer);
    if (change.new_item) WriteImage("NewImage", *change.new_item, &writer);
    if (change.old_item && transfer_.view == ExportView::kNewAndOldImages) {
      WriteImage("OldImage", *change.old_item, &writer);
    }
    writer.EndObject();
    return AddLine();
  }

  void WriteImage(std::string_view name, const ItemView& item, json::Writer* writer) {
    writer->Key(name);
    wire::EncodeItem(item, writer);
    transfer_.billed_bytes += static_cast<int64_t>(item.ChargedSize());
  }

  Status AddLine() {
    ++transfer_.item_count;
    return files_.Add(line_);
  }

  engine::Engine& engine_;
  ExportDescription& transfer_;
  const Bucket& bucket_;
  DataFiles files_;
  std::string line_;
};

// Recovery of the table may have been switched off and on since the export was requested.
Status CheckReach(const table::TableDefinition& table, const ExportDescription& transfer) {
  const int64_t begin_ms = transfer.type == ExportType::kFull ? transfer.time_ms : transfer.from_ms;
  if (table.point_in_time_recovery.enabled &&
      table.point_in_time_recovery.enabled_at_ms <= begin_ms) {
    return {};
  }
  return Error(ErrorCode::kPointInTimeRecoveryUnavailable,
               "Point in time recovery was disabled before the export was done");
}

Status RunExport(engine::Engine& engine, const std::string& root, const std::stop_token& stop,
                 ExportDescription* transfer) {
  const engine::TablePtr table = engine.catalog().FindById(transfer->table_id);
  if (table == nullptr) {
    return Error(ErrorCode::kTableNotFound, "The table was deleted before the export was done");
  }
  TRY(CheckReach(*table, *transfer));
  TRY_ASSIGN(const Bucket bucket, Bucket::Make(root, transfer->bucket));
  return Export(engine, bucket, transfer).Write(*table, stop);
}

std::string_view FailureCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::kTableNotFound:
      return "TableNotFound";
    case ErrorCode::kPointInTimeRecoveryUnavailable:
      return "PointInTimeRecoveryUnavailable";
    default:
      return "InternalServerError";
  }
}

// Writes the files of an export and returns its record with the outcome. A failed export is an
// outcome. The only errors are an unreadable record and a request to stop.
Result<item::Item> DoExport(engine::Engine& engine, const std::string& root, const engine::Job& job,
                            const std::stop_token& stop) {
  TRY_ASSIGN(ExportDescription transfer, operations::ToExport(job));
  const Status done = RunExport(engine, root, stop, &transfer);
  if (stop.stop_requested()) return Error(ErrorCode::kUnavailable, "The server is stopping");
  if (done) {
    transfer.status = operations::TransferStatus::kCompleted;
    transfer.manifest = SummaryKey(transfer);
  } else {
    const Error& error = done.error();
    transfer.status = operations::TransferStatus::kFailed;
    transfer.ended_at_ms = engine.clock().NowMs();
    transfer.failure = {std::string(FailureCode(error.code())), error.message()};
  }
  return operations::ToJob(transfer).record;
}

// The place in the source of an import where an item was read.
struct SourcePlace {
  std::string key;
  int64_t index = 0;  // of the item in its object, from 0
  std::string preview;
};

// A file beside the source of an import that lists what could not be imported. The service writes
// these lines to a log; the members are the same. Not thread-safe.
class ErrorReport {
 public:
  ErrorReport(const Bucket& bucket, const operations::ImportDescription& import);

  // Counts every error, and keeps only as many as somebody may read.
  Status Add(const SourcePlace& place, const std::string& message);
  // Writes the file, if there is anything to report.
  Status Finish();

  int64_t count() const { return count_; }
  const std::string& key() const { return key_; }

 private:
  static constexpr int64_t kKept = 10'000;

  const Bucket& bucket_;
  const operations::ImportDescription& import_;
  std::string key_;
  std::optional<NewObject> object_;
  int64_t count_ = 0;
};

constexpr std::string_view kReportName = "import-errors-";
constexpr std::string_view kReportEnding = ".jsonl";

// The names of files, and lines that are not items, may hold any bytes. JSON must be UTF-8.
std::string AsUtf8(std::string text) {
  constexpr size_t kLongestCut = 3;  // an incomplete character at the end
  for (size_t cut = 0; cut <= kLongestCut && cut <= text.size(); ++cut) {
    if (json::IsUtf8(std::string_view(text).substr(0, text.size() - cut))) {
      return text.substr(0, text.size() - cut);
    }
  }
  for (char& c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  }
  return text;
}

ErrorReport::ErrorReport(const Bucket& bucket, const operations::ImportDescription& import)
    : bucket_(bucket), import_(import) {
  const std::string prefix = import.source.prefix.value_or("");
  key_ = prefix.substr(0, prefix.rfind('/') + 1)
             .append(kReportName)
             .append(import.id)
             .append(kReportEnding);
}

Status ErrorReport::Add(const SourcePlace& place, const std::string& message) {
  if (++count_ > kKept) return {};
  if (!object_) {
    TRY_ASSIGN(NewObject object, bucket_.Create(key_));
    object_.emplace(std::move(object));
  }
  std::string line;
  json::Writer writer(&line);
  writer.BeginObject().Key("importArn").String(import_.arn);
  writer.Key("itemS3Pointer").BeginObject();
  writer.Key("bucket").String(import_.source.bucket).Key("key").String(AsUtf8(place.key));
  writer.Key("itemIndex").Integer(place.index).EndObject();
  writer.Key("itemPreview").String(AsUtf8(place.preview));
  writer.Key("errorMessages").BeginArray().String(AsUtf8(message)).EndArray().EndObject();
  return object_->Append(line + "\n");
}

Status ErrorReport::Finish() {
  if (!object_) return {};
  return object_->Finish();
}

// Whether an object of a bucket belongs to an export or import but holds no items.
bool HoldsNoItems(const std::string& key) {
  const std::string_view name = std::string_view(key).substr(key.rfind('/') + 1);
  const bool is_report = name.starts_with(kReportName) && name.ends_with(kReportEnding);
  return is_report || IsExportNote(name);
}

// Writes the items of an import in batches. Of two items with the same key the later one stays, as
// if each item were written by itself. Not thread-safe.
class ItemSink {
 public:
  ItemSink(engine::Engine& engine, engine::TablePtr table, ErrorReport* report);

  // Adds an item that engine::CheckItem accepts.
  Status Add(const item::Item& item, SourcePlace place);
  // Writes the waiting items. Items that the write path refuses go to the report.
  Status Flush();

  int64_t imported() const { return imported_; }

 private:
  struct Waiting {
    item::Item key;
    encoding::EncodedItem item;
    SourcePlace place;
  };

  // True if the batch was written. False if the write path refused items; the refused items have
  // left the batch then.
  Result<bool> Write();

  engine::Engine& engine_;
  const engine::TablePtr table_;
  ErrorReport& report_;
  std::vector<Waiting> waiting_;
  std::set<std::string> keys_;  // of the waiting items
  size_t bytes_ = 0;
  int64_t imported_ = 0;
};

// Large enough for few waits on the disk, small enough that other writes do not wait long.
constexpr size_t kBatchItems = 500;
constexpr size_t kBatchBytes = 1024 * 1024;

ItemSink::ItemSink(engine::Engine& engine, engine::TablePtr table, ErrorReport* report)
    : engine_(engine), table_(std::move(table)), report_(*report) {}

Status ItemSink::Add(const item::Item& item, SourcePlace place) {
  Waiting next{engine::KeyOf(*table_, item), encoding::EncodeItem(item), std::move(place)};
  std::string key = encoding::ItemKey(*table_, next.key);
  if (waiting_.size() == kBatchItems || bytes_ >= kBatchBytes || keys_.contains(key)) TRY(Flush());
  bytes_ += next.item.bytes.size();
  keys_.insert(std::move(key));
  waiting_.push_back(std::move(next));
  return {};
}

Result<bool> ItemSink::Write() {
  engine::WriteRequest request;
  for (const Waiting& waiting : waiting_) {
    engine::ItemWrite& write = request.items.emplace_back();
    write.table = table_;
    write.table_name = table_->name;
    write.key = waiting.key;
    write.put = waiting.item;
  }
  TRY_ASSIGN(const engine::WriteOutcome outcome, engine::WriteAndWait(engine_, std::move(request)));
  if (!outcome.refused()) return true;
  std::vector<Waiting> accepted;
  for (size_t i = 0; i < waiting_.size(); ++i) {
    if (outcome.items[i].error) {
      TRY(report_.Add(waiting_[i].place, outcome.items[i].error->message()));
    } else {
      accepted.push_back(std::move(waiting_[i]));
    }
  }
  waiting_ = std::move(accepted);
  return false;
}

Status ItemSink::Flush() {
  while (!waiting_.empty()) {
    TRY_ASSIGN(const bool written, Write());
    if (written) break;
  }
  imported_ += static_cast<int64_t>(waiting_.size());
  waiting_.clear();
  keys_.clear();
  bytes_ = 0;
  return {};
}

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

Result<std::optional<TransferFailure>> RunImport(engine::Engine& engine, const std::string& root,
                                                 const std::stop_token& stop,
                                                 ImportDescription* import) {
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
  std::erase_if(objects, [](const Object& object) { return HoldsNoItems(object.key); });
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

// The table and the record of the job change in one commit. Otherwise a server that stops between
// two commits would repeat the import over a table that is already in use.
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

// Fills the table of an import and returns its record with the outcome; a failed import is an
// outcome. The table becomes active, or is deleted if nothing was imported. The errors are a
// request to stop, and an outcome that cannot be written.
Result<item::Item> DoImport(engine::Engine& engine, const std::string& root, const engine::Job& job,
                            const std::stop_token& stop) {
  TRY_ASSIGN(ImportDescription import, operations::ToImport(job));
  import.processed_bytes = 0;
  import.processed_items = 0;
  import.imported_items = 0;
  import.errors = 0;
  auto done = RunImport(engine, root, stop, &import);
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

}  // namespace

Status StartTransfers(engine::Engine& engine, const TransferOptions& options) {
  const std::string root = options.root_folder;
  TRY(engine.jobs().SetWork(engine::JobKind::kExport,
                            [&engine, root](const engine::Job& job, const std::stop_token& stop) {
                              return DoExport(engine, root, job, stop);
                            }));
  return engine.jobs().SetWork(
      engine::JobKind::kImport,
      [&engine, root](const engine::Job& job, const std::stop_token& stop) {
        return DoImport(engine, root, job, stop);
      });
}

}  // namespace monotable::transfer
