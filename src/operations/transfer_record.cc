#include "operations/transfer_record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "encoding/item.h"
#include "encoding/stored_definition.h"
#include "item/value.h"

namespace monotable::operations {
namespace {

// A structure is stored as the record of a job. The structure names its fields once, in a function
// that shows each field to a visitor. One visitor writes the fields into an item and the other
// reads them back, so that writing and reading cannot differ. Fields that a record lacks keep their
// defaults.
class RecordWriter {
 public:
  explicit RecordWriter(item::Item* record) : record_(record) {}

  void operator()(std::string_view name, const std::string& text) {
    record_->Set(name, item::Value(text));
  }
  void operator()(std::string_view name, const std::vector<std::string>& texts) {
    item::List list;
    for (const std::string& text : texts) list.emplace_back(text);
    record_->Set(name, item::Value(std::move(list)));
  }
  template <typename Number>
  requires std::is_integral_v<Number> || std::is_enum_v<Number>
  void operator()(std::string_view name, const Number& number) {
    record_->Set(name, item::Value(item::Number::FromInt(static_cast<int64_t>(number))));
  }
  template <typename Field>
  void operator()(std::string_view name, const std::optional<Field>& field) {
    if (field) (*this)(name, *field);
  }

 private:
  item::Item* record_;
};

class RecordReader {
 public:
  explicit RecordReader(const item::Item& record) : record_(record) {}

  void operator()(std::string_view name, std::string& text) {
    const item::Value* value = Find(name, item::Type::kString);
    if (value != nullptr) text = value->string();
  }
  void operator()(std::string_view name, std::vector<std::string>& texts) {
    const item::Value* value = Find(name, item::Type::kList);
    if (value == nullptr) return;
    for (const item::Value& member : value->list()) {
      if (member.is(item::Type::kString)) texts.push_back(member.string());
    }
  }
  template <typename Number>
  requires std::is_integral_v<Number> || std::is_enum_v<Number>
  void operator()(std::string_view name, Number& number) {
    const item::Value* value = Find(name, item::Type::kNumber);
    int64_t read = 0;
    if (value != nullptr && value->number().ToInt64(&read)) number = static_cast<Number>(read);
  }
  template <typename Field>
  void operator()(std::string_view name, std::optional<Field>& field) {
    if (!record_.Contains(name)) return;
    (*this)(name, field.emplace());
  }

 private:
  const item::Value* Find(std::string_view name, item::Type type) const {
    const item::Value* value = record_.Find(name);
    return value != nullptr && value->is(type) ? value : nullptr;
  }

  const item::Item& record_;
};

// The functions that show the fields of each structure to a visitor. Self is const when a
// record is written.
template <typename Self, typename Visitor>
void VisitTarget(Self& self, Visitor& field) {
  field("bucket", self.bucket);
  field("bucket_owner", self.bucket_owner);
  field("prefix", self.prefix);
  field("sse_algorithm", self.sse_algorithm);
  field("sse_kms_key_id", self.sse_kms_key_id);
}

template <typename Self, typename Visitor>
void VisitExport(Self& self, Visitor& field) {
  VisitTarget(self, field);
  field("arn", self.arn);
  field("table_arn", self.table_arn);
  field("table_uuid", self.table_uuid);
  field("table_id", self.table_id);
  field("client_token", self.client_token);
  field("type", self.type);
  field("time_ms", self.time_ms);
  field("from_ms", self.from_ms);
  field("to_ms", self.to_ms);
  field("view", self.view);
  field("started_at_ms", self.started_at_ms);
  field("ended_at_ms", self.ended_at_ms);
  field("manifest", self.manifest);
  field("item_count", self.item_count);
  field("billed_bytes", self.billed_bytes);
}

template <typename Self, typename Visitor>
void VisitSource(Self& self, Visitor& field) {
  field("bucket", self.source.bucket);
  field("bucket_owner", self.source.owner);
  field("prefix", self.source.prefix);
  field("format", self.format);
  field("compression", self.compression);
}

template <typename Self, typename Visitor>
void VisitCsv(Self& self, Visitor& field) {
  field("csv_delimiter", self.delimiter);
  field("csv_header", self.header);
}

template <typename Self, typename Visitor>
void VisitImport(Self& self, Visitor& field) {
  VisitSource(self, field);
  field("arn", self.arn);
  field("table_arn", self.table_arn);
  field("client_token", self.client_token);
  field("started_at_ms", self.started_at_ms);
  field("ended_at_ms", self.ended_at_ms);
  field("processed_bytes", self.processed_bytes);
  field("processed_items", self.processed_items);
  field("imported_items", self.imported_items);
  field("errors", self.errors);
}

constexpr std::string_view kFailureCode = "failure_code";
constexpr std::string_view kFingerprint = "fingerprint";
constexpr std::string_view kHasCsv = "has_csv";
constexpr std::string_view kTable = "table";

void SetBytes(std::string_view name, std::string bytes, item::Item* record) {
  record->Set(name, item::Value(item::Binary{std::move(bytes)}));
}

std::string BytesOf(const item::Item& record, std::string_view name) {
  const item::Value* value = record.Find(name);
  return value != nullptr && value->is(item::Type::kBinary) ? value->binary() : std::string();
}

template <typename Description>
engine::Job NewJob(engine::JobKind kind, const Description& transfer) {
  engine::Job job;
  job.kind = kind;
  job.id = transfer.id;
  job.state = transfer.status == TransferStatus::kInProgress ? engine::JobState::kRunning
                                                             : engine::JobState::kDone;
  SetBytes(kFingerprint, transfer.fingerprint, &job.record);
  if (transfer.failure) {
    RecordWriter write(&job.record);
    write(kFailureCode, transfer.failure->code);
    write(kFailureAttribute, transfer.failure->message);
  }
  return job;
}

template <typename Description>
void ReadOutcome(const engine::Job& job, Description* transfer) {
  transfer->id = job.id;
  transfer->fingerprint = BytesOf(job.record, kFingerprint);
  if (job.state == engine::JobState::kFailed || job.record.Contains(kFailureCode)) {
    // A job that failed for an unforeseen reason has no code.
    TransferFailure failure{"InternalServerError", ""};
    RecordReader read(job.record);
    read(kFailureCode, failure.code);
    read(kFailureAttribute, failure.message);
    transfer->failure = std::move(failure);
    transfer->status = TransferStatus::kFailed;
  } else if (job.state == engine::JobState::kDone) {
    transfer->status = TransferStatus::kCompleted;
  }
}

}  // namespace

engine::Job ToJob(const ExportDescription& transfer) {
  engine::Job job = NewJob(engine::JobKind::kExport, transfer);
  RecordWriter write(&job.record);
  VisitExport(transfer, write);
  return job;
}

Result<ExportDescription> ToExport(const engine::Job& job) {
  ExportDescription transfer;
  RecordReader read(job.record);
  VisitExport(transfer, read);
  ReadOutcome(job, &transfer);
  if (transfer.arn.empty()) return Error::Internal("The record of an export is damaged.");
  return transfer;
}

engine::Job ToJob(const ImportDescription& transfer) {
  engine::Job job = NewJob(engine::JobKind::kImport, transfer);
  RecordWriter write(&job.record);
  VisitImport(transfer, write);
  if (transfer.csv) VisitCsv(*transfer.csv, write);
  job.record.Set(kHasCsv, item::Value(transfer.csv.has_value()));
  SetBytes(kTable, encoding::EncodeDefinition(transfer.table), &job.record);
  return job;
}

Result<ImportDescription> ToImport(const engine::Job& job) {
  ImportDescription transfer;
  RecordReader read(job.record);
  VisitImport(transfer, read);
  const item::Value* has_csv = job.record.Find(kHasCsv);
  if (has_csv != nullptr && *has_csv == item::Value(true)) {
    VisitCsv(transfer.csv.emplace(), read);
  }
  ReadOutcome(job, &transfer);
  if (transfer.arn.empty()) return Error::Internal("The record of an import is damaged.");
  TRY_ASSIGN(transfer.table, encoding::DecodeDefinition(BytesOf(job.record, kTable)));
  return transfer;
}

std::string FingerprintOf(const ExportTableRequest& request) {
  item::Item record;
  RecordWriter write(&record);
  VisitTarget(request, write);
  write("table_arn", request.table_arn);
  write("time_ms", request.time_ms);
  write("type", request.type);
  if (request.incremental) {
    write("from_ms", request.incremental->from_ms);
    write("to_ms", request.incremental->to_ms);
    write("view", request.incremental->view);
  }
  return encoding::EncodeItem(record).bytes;
}

std::string FingerprintOf(const ImportTableRequest& request, table::TableDefinition table) {
  table.id = 0;
  table.uuid.clear();
  table.created_at_ms = 0;
  if (table.pay_per_request_since_ms) table.pay_per_request_since_ms = 0;
  item::Item record;
  RecordWriter write(&record);
  VisitSource(request, write);
  if (request.csv) VisitCsv(*request.csv, write);
  SetBytes(kTable, encoding::EncodeDefinition(table), &record);
  return encoding::EncodeItem(record).bytes;
}

}  // namespace monotable::operations
