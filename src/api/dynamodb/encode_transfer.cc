#include "api/dynamodb/encode.h"
#include "api/dynamodb/encode_table_description.h"
#include "json/json_writer.h"
#include "table/definition.h"

namespace monotable::api::dynamodb {
namespace {

using operations::ExportDescription;
using operations::ExportType;
using operations::ImportDescription;
using operations::TransferStatus;

std::string_view StatusName(TransferStatus status) {
  switch (status) {
    case TransferStatus::kCompleted:
      return "COMPLETED";
    case TransferStatus::kFailed:
      return "FAILED";
    case TransferStatus::kInProgress:
      break;
  }
  return "IN_PROGRESS";
}

std::string_view TypeName(ExportType type) {
  return type == ExportType::kFull ? "FULL_EXPORT" : "INCREMENTAL_EXPORT";
}

std::string_view FormatName(operations::FileFormat format) {
  switch (format) {
    case operations::FileFormat::kCsv:
      return "CSV";
    case operations::FileFormat::kIon:
      return "ION";
    case operations::FileFormat::kDynamoDbJson:
      break;
  }
  return "DYNAMODB_JSON";
}

std::string_view CompressionName(operations::Compression compression) {
  switch (compression) {
    case operations::Compression::kGzip:
      return "GZIP";
    case operations::Compression::kZstd:
      return "ZSTD";
    case operations::Compression::kNone:
      break;
  }
  return "NONE";
}

void EncodeText(std::string_view name, const std::optional<std::string>& text,
                json::Writer* writer) {
  if (text) writer->Key(name).String(*text);
}

void EncodeFailure(const std::optional<operations::TransferFailure>& failure,
                   json::Writer* writer) {
  if (!failure) return;
  writer->Key("FailureCode").String(failure->code);
  writer->Key("FailureMessage").String(failure->message);
}

void EncodeTimes(const ExportDescription& transfer, json::Writer* writer) {
  EncodeTime("StartTime", transfer.started_at_ms, writer);
  if (transfer.ended_at_ms != 0) EncodeTime("EndTime", transfer.ended_at_ms, writer);
  if (transfer.type == ExportType::kFull) {
    EncodeTime("ExportTime", transfer.time_ms, writer);
    return;
  }
  const bool both = transfer.view == operations::ExportView::kNewAndOldImages;
  writer->Key("IncrementalExportSpecification").BeginObject();
  EncodeTime("ExportFromTime", transfer.from_ms, writer);
  EncodeTime("ExportToTime", transfer.to_ms, writer);
  writer->Key("ExportViewType").String(both ? "NEW_AND_OLD_IMAGES" : "NEW_IMAGE").EndObject();
}

void EncodeSource(const ImportDescription& transfer, json::Writer* writer) {
  writer->Key("S3BucketSource").BeginObject();
  EncodeText("S3BucketOwner", transfer.source.owner, writer);
  writer->Key("S3Bucket").String(transfer.source.bucket);
  EncodeText("S3KeyPrefix", transfer.source.prefix, writer);
  writer->EndObject();
}

void EncodeInput(const ImportDescription& transfer, json::Writer* writer) {
  writer->Key("InputFormat").String(FormatName(transfer.format));
  if (transfer.csv) {
    writer->Key("InputFormatOptions").BeginObject().Key("Csv").BeginObject();
    EncodeText("Delimiter", transfer.csv->delimiter, writer);
    if (transfer.csv->header) {
      writer->Key("HeaderList").BeginArray();
      for (const std::string& name : *transfer.csv->header) writer->String(name);
      writer->EndArray();
    }
    writer->EndObject().EndObject();
  }
  writer->Key("InputCompressionType").String(CompressionName(transfer.compression));
}

void EncodeThroughput(const table::TableDefinition& table, const table::Throughput& throughput,
                      json::Writer* writer) {
  if (table.billing_mode == table::BillingMode::kPayPerRequest) return;
  writer->Key("ProvisionedThroughput").BeginObject();
  writer->Key("ReadCapacityUnits").Integer(throughput.read_units);
  writer->Key("WriteCapacityUnits").Integer(throughput.write_units).EndObject();
}

void EncodeTableCreation(const table::TableDefinition& table, json::Writer* writer) {
  writer->Key("TableCreationParameters").BeginObject().Key("TableName").String(table.name);
  EncodeAttributeDefinitions(table, writer);
  EncodeKeySchema(table.key, writer);
  writer->Key("BillingMode").String(table::BillingModeName(table.billing_mode));
  EncodeThroughput(table, table.throughput, writer);
  if (table.sse.enabled) {
    writer->Key("SSESpecification").BeginObject().Key("Enabled").Bool(true);
    writer->Key("SSEType").String("KMS");
    writer->Key("KMSMasterKeyId").String(table.sse.kms_key_arn).EndObject();
  }
  if (!table.indexes.empty()) {
    writer->Key("GlobalSecondaryIndexes").BeginArray();
    for (const table::IndexDefinition& index : table.indexes) {
      writer->BeginObject().Key("IndexName").String(index.name);
      EncodeKeySchema(index.key, writer);
      EncodeProjection(index.projection, writer);
      EncodeThroughput(table, index.throughput, writer);
      writer->EndObject();
    }
    writer->EndArray();
  }
  writer->EndObject();
}

}  // namespace

void EncodeExport(const ExportDescription& transfer, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("ExportDescription").BeginObject();
  writer.Key("ExportArn").String(transfer.arn);
  writer.Key("ExportStatus").String(StatusName(transfer.status));
  EncodeTimes(transfer, &writer);
  if (!transfer.manifest.empty()) writer.Key("ExportManifest").String(transfer.manifest);
  writer.Key("TableArn").String(transfer.table_arn);
  writer.Key("TableId").String(transfer.table_uuid);
  EncodeText("ClientToken", transfer.client_token, &writer);
  writer.Key("S3Bucket").String(transfer.bucket);
  EncodeText("S3BucketOwner", transfer.bucket_owner, &writer);
  EncodeText("S3Prefix", transfer.prefix, &writer);
  writer.Key("S3SseAlgorithm").String(transfer.sse_algorithm.value_or("AES256"));
  EncodeText("S3SseKmsKeyId", transfer.sse_kms_key_id, &writer);
  EncodeFailure(transfer.failure, &writer);
  writer.Key("ExportFormat").String("DYNAMODB_JSON");
  if (transfer.status == TransferStatus::kCompleted) {
    writer.Key("BilledSizeBytes").Integer(transfer.billed_bytes);
    writer.Key("ItemCount").Integer(transfer.item_count);
  }
  writer.Key("ExportType").String(TypeName(transfer.type));
  writer.EndObject().EndObject();
}

void EncodeListExports(const operations::ListExportsResponse& response, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("ExportSummaries").BeginArray();
  for (const ExportDescription& transfer : response.exports) {
    writer.BeginObject().Key("ExportArn").String(transfer.arn);
    writer.Key("ExportStatus").String(StatusName(transfer.status));
    writer.Key("ExportType").String(TypeName(transfer.type)).EndObject();
  }
  writer.EndArray();
  EncodeText("NextToken", response.next_token, &writer);
  writer.EndObject();
}

void EncodeImport(const ImportDescription& transfer, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("ImportTableDescription").BeginObject();
  writer.Key("ImportArn").String(transfer.arn);
  writer.Key("ImportStatus").String(StatusName(transfer.status));
  writer.Key("TableArn").String(transfer.table_arn);
  writer.Key("TableId").String(transfer.table.uuid);
  EncodeText("ClientToken", transfer.client_token, &writer);
  EncodeSource(transfer, &writer);
  writer.Key("ErrorCount").Integer(transfer.errors);
  EncodeInput(transfer, &writer);
  EncodeTableCreation(transfer.table, &writer);
  EncodeTime("StartTime", transfer.started_at_ms, &writer);
  if (transfer.ended_at_ms != 0) EncodeTime("EndTime", transfer.ended_at_ms, &writer);
  writer.Key("ProcessedSizeBytes").Integer(transfer.processed_bytes);
  writer.Key("ProcessedItemCount").Integer(transfer.processed_items);
  writer.Key("ImportedItemCount").Integer(transfer.imported_items);
  EncodeFailure(transfer.failure, &writer);
  writer.EndObject().EndObject();
}

void EncodeListImports(const operations::ListImportsResponse& response, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("ImportSummaryList").BeginArray();
  for (const ImportDescription& transfer : response.imports) {
    writer.BeginObject().Key("ImportArn").String(transfer.arn);
    writer.Key("ImportStatus").String(StatusName(transfer.status));
    writer.Key("TableArn").String(transfer.table_arn);
    EncodeSource(transfer, &writer);
    writer.Key("InputFormat").String(FormatName(transfer.format));
    EncodeTime("StartTime", transfer.started_at_ms, &writer);
    if (transfer.ended_at_ms != 0) EncodeTime("EndTime", transfer.ended_at_ms, &writer);
    writer.EndObject();
  }
  writer.EndArray();
  EncodeText("NextToken", response.next_token, &writer);
  writer.EndObject();
}

}  // namespace monotable::api::dynamodb
