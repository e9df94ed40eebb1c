#include "transfer/export_work.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "api/dynamodb/attribute_value.h"
#include "engine/key_check.h"
#include "engine/recovery/history.h"
#include "json/json_writer.h"
#include "operations/transfer/transfer_record.h"
#include "transfer/bucket.h"
#include "transfer/data_files.h"
#include "transfer/manifest.h"

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
    TRY(bucket_.Put(ExportFolder(transfer_) + "_started", ""));
    const std::unique_ptr<storage::Reader> reader = engine_.store().Snapshot();
    if (transfer_.type == ExportType::kFull) {
      const auto visit = [this](std::string_view, ItemView item) { return AddItem(item); };
      TRY(engine::WalkPast(*reader, table, transfer_.time_ms, visit, stop));
    } else {
      // The window of a request has its beginning and not its end; that of the walk the reverse.
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
    api::dynamodb::EncodeItem(item, &writer);
    writer.EndObject();
    transfer_.billed_bytes += static_cast<int64_t>(item.ChargedSize());
    return AddLine();
  }

  // An item that came and went within the window leaves nothing.
  Status AddChange(const table::TableDefinition& table, const engine::PastChange& change) {
    if (!change.old_item && !change.new_item) return {};
    TRY_ASSIGN(const item::Item keys, engine::KeyOf(table, change.key_image));
    line_.clear();
    json::Writer writer(&line_);
    writer.BeginObject().Key("Metadata").BeginObject().Key("WriteTimestampMicros").BeginObject();
    writer.Key("N").String(fmt::format("{}000", change.written_at_ms)).EndObject().EndObject();
    writer.Key("Keys");
    api::dynamodb::EncodeItem(keys, &writer);
    if (change.new_item) WriteImage("NewImage", *change.new_item, &writer);
    if (change.old_item && transfer_.view == ExportView::kNewAndOldImages) {
      WriteImage("OldImage", *change.old_item, &writer);
    }
    writer.EndObject();
    return AddLine();
  }

  void WriteImage(std::string_view name, const ItemView& item, json::Writer* writer) {
    writer->Key(name);
    api::dynamodb::EncodeItem(item, writer);
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

// How far back the log of a table reaches may have changed since the export was asked for.
Status CheckReach(const table::TableDefinition& table, const ExportDescription& transfer) {
  const int64_t begin_ms = transfer.type == ExportType::kFull ? transfer.time_ms : transfer.from_ms;
  if (table.point_in_time_recovery.enabled &&
      table.point_in_time_recovery.enabled_at_ms <= begin_ms) {
    return {};
  }
  return Error(ErrorCode::kPointInTimeRecoveryUnavailable,
               "Point in time recovery was disabled before the export was done");
}

Status Run(engine::Engine& engine, const std::string& root, const std::stop_token& stop,
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

}  // namespace

Result<item::Item> DoExport(engine::Engine& engine, const std::string& root, const engine::Job& job,
                            const std::stop_token& stop) {
  TRY_ASSIGN(ExportDescription transfer, operations::ToExport(job));
  const Status done = Run(engine, root, stop, &transfer);
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

}  // namespace monotable::transfer
