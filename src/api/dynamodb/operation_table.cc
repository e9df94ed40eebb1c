#include "api/dynamodb/operation_table.h"

#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "api/dynamodb/decode.h"
#include "api/dynamodb/encode.h"
#include "api/dynamodb/own_operations.h"
#include "api/dynamodb/shapes.h"

namespace monotable::api::dynamodb {
namespace {

// What most answers fit into; the encoders of items reserve more by themselves.
constexpr size_t kUsualBody = 512;

template <auto kEncode, typename Response>
std::string BodyOf(const Response& response) {
  std::string body;
  body.reserve(kUsualBody);
  kEncode(response, &body);
  return body;
}

// An operation that returns its answer.
template <auto kDecode, auto kRun, auto kEncode>
void Returning(const Call& call) {
  auto request = kDecode(call.body);
  if (!request) return call.reply.Fail(request.error());
  const auto result = kRun(call.engine, *request);
  if (!result) return call.reply.Fail(result.error());
  call.reply.Send(BodyOf<kEncode>(*result));
}

// An operation that returns nothing but whether it worked; the service answers with no body.
template <auto kDecode, auto kRun>
void ReturningNothing(const Call& call) {
  auto request = kDecode(call.body);
  if (!request) return call.reply.Fail(request.error());
  const Status status = kRun(call.engine, *request);
  if (!status) return call.reply.Fail(status.error());
  call.reply.Send("");
}

// An operation that answers once its write is durable, on the thread of the store that all writes
// wait for; so the answer is printed elsewhere.
template <auto kDecode, auto kRun, auto kEncode>
void CallingBack(const Call& call) {
  auto request = kDecode(call.body);
  if (!request) return call.reply.Fail(request.error());
  kRun(call.engine, std::move(*request), [reply = call.reply](auto result) {
    reply.SendMade([result = std::move(result)](std::string_view media_type) {
      if (!result) return MakeResponse(result.error(), media_type);
      return MakeResponse(200, media_type, BodyOf<kEncode>(*result));
    });
  });
}

void DescribeLimits(const Call& call) {
  std::string body;
  EncodeDescribeLimits(operations::DescribeLimits(), &body);
  call.reply.Send(std::move(body));
}

// Clients that discover endpoints go on with the one they are told, so it must lead back here.
void DescribeEndpoints(const Call& call) {
  const std::string regional = "dynamodb." + call.engine.options().region + ".amazonaws.com";
  std::string body;
  EncodeDescribeEndpoints(call.host.empty() ? std::string_view(regional) : call.host, &body);
  call.reply.Send(std::move(body));
}

// The most used ones first, for they are looked for in this order.
const Operation kDynamoDb[] = {
    {"GetItem", shapes::kGetItem, Place::kInline,
     Returning<DecodeGetItem, operations::GetItem, EncodeGetItem>},
    {"PutItem", shapes::kPutItem, Place::kInline,
     CallingBack<DecodePutItem, operations::PutItem, EncodeWriteItem>},
    {"Query", shapes::kQuery, Place::kInline,
     Returning<DecodeQuery, operations::Query, EncodePage>},
    {"UpdateItem", shapes::kUpdateItem, Place::kInline,
     CallingBack<DecodeUpdateItem, operations::UpdateItem, EncodeWriteItem>},
    {"DeleteItem", shapes::kDeleteItem, Place::kInline,
     CallingBack<DecodeDeleteItem, operations::DeleteItem, EncodeWriteItem>},
    {"BatchGetItem", shapes::kBatchGetItem, Place::kWorker,
     Returning<DecodeBatchGetItem, operations::BatchGetItem, EncodeBatchGetItem>},
    {"BatchWriteItem", shapes::kBatchWriteItem, Place::kInline,
     CallingBack<DecodeBatchWriteItem, operations::BatchWriteItem, EncodeBatchWriteItem>},
    {"TransactWriteItems", shapes::kTransactWriteItems, Place::kInline,
     CallingBack<DecodeTransactWriteItems, operations::TransactWriteItems,
                 EncodeTransactWriteItems>},
    {"TransactGetItems", shapes::kTransactGetItems, Place::kWorker,
     Returning<DecodeTransactGetItems, operations::TransactGetItems, EncodeTransactGetItems>},
    {"Scan", shapes::kScan, Place::kWorker, Returning<DecodeScan, operations::Scan, EncodePage>},
    {"CreateTable", shapes::kCreateTable, Place::kWorker,
     Returning<DecodeCreateTable, operations::CreateTable, EncodeChangedTable>},
    {"DescribeTable", shapes::kDescribeTable, Place::kWorker,
     Returning<DecodeTableName, operations::DescribeTable, EncodeDescribedTable>},
    {"UpdateTable", shapes::kUpdateTable, Place::kWorker,
     Returning<DecodeUpdateTable, operations::UpdateTable, EncodeChangedTable>},
    {"DeleteTable", shapes::kDeleteTable, Place::kWorker,
     Returning<DecodeTableName, operations::DeleteTable, EncodeChangedTable>},
    {"ListTables", shapes::kListTables, Place::kWorker,
     Returning<DecodeListTables, operations::ListTables, EncodeListTables>},
    {"TagResource", shapes::kTagResource, Place::kWorker,
     ReturningNothing<DecodeTagResource, operations::TagResource>},
    {"UntagResource", shapes::kUntagResource, Place::kWorker,
     ReturningNothing<DecodeUntagResource, operations::UntagResource>},
    {"ListTagsOfResource", shapes::kListTagsOfResource, Place::kWorker,
     Returning<DecodeListTagsOfResource, operations::ListTagsOfResource, EncodeListTags>},
    {"UpdateTimeToLive", shapes::kUpdateTimeToLive, Place::kWorker,
     Returning<DecodeUpdateTimeToLive, operations::UpdateTimeToLive, EncodeUpdateTimeToLive>},
    {"DescribeTimeToLive", shapes::kDescribeTimeToLive, Place::kWorker,
     Returning<DecodeTableName, operations::DescribeTimeToLive, EncodeDescribeTimeToLive>},
    {"ExportTableToPointInTime", shapes::kExportTable, Place::kWorker,
     Returning<DecodeExportTable, operations::ExportTableToPointInTime, EncodeExport>},
    {"DescribeExport", shapes::kDescribeExport, Place::kWorker,
     Returning<DecodeExportArn, operations::DescribeExport, EncodeExport>},
    {"ListExports", shapes::kListExports, Place::kWorker,
     Returning<DecodeListExports, operations::ListExports, EncodeListExports>},
    {"ImportTable", shapes::kImportTable, Place::kWorker,
     Returning<DecodeImportTable, operations::ImportTable, EncodeImport>},
    {"DescribeImport", shapes::kDescribeImport, Place::kWorker,
     Returning<DecodeImportArn, operations::DescribeImport, EncodeImport>},
    {"ListImports", shapes::kListImports, Place::kWorker,
     Returning<DecodeListImports, operations::ListImports, EncodeListImports>},
    {"CreateBackup", shapes::kCreateBackup, Place::kWorker,
     Returning<DecodeCreateBackup, operations::CreateBackup, EncodeCreatedBackup>},
    {"DescribeBackup", shapes::kDescribeBackup, Place::kWorker,
     Returning<DecodeBackupArn, operations::DescribeBackup, EncodeBackup>},
    {"ListBackups", shapes::kListBackups, Place::kWorker,
     Returning<DecodeListBackups, operations::ListBackups, EncodeListBackups>},
    {"DeleteBackup", shapes::kDeleteBackup, Place::kWorker,
     Returning<DecodeBackupArn, operations::DeleteBackup, EncodeBackup>},
    {"RestoreTableFromBackup", shapes::kRestoreTableFromBackup, Place::kWorker,
     Returning<DecodeRestoreTableFromBackup, operations::RestoreTableFromBackup,
               EncodeChangedTable>},
    {"RestoreTableToPointInTime", shapes::kRestoreTableToPointInTime, Place::kWorker,
     Returning<DecodeRestoreTableToPointInTime, operations::RestoreTableToPointInTime,
               EncodeChangedTable>},
    {"UpdateContinuousBackups", shapes::kUpdateContinuousBackups, Place::kWorker,
     Returning<DecodeUpdateContinuousBackups, operations::UpdateContinuousBackups,
               EncodeContinuousBackups>},
    {"DescribeContinuousBackups", shapes::kDescribeContinuousBackups, Place::kWorker,
     Returning<DecodeTableName, operations::DescribeContinuousBackups, EncodeContinuousBackups>},
    {"DescribeLimits", shapes::kDescribeLimits, Place::kInline, DescribeLimits},
    {"DescribeEndpoints", shapes::kDescribeEndpoints, Place::kInline, DescribeEndpoints},
};

const Operation kStreams[] = {
    {"GetRecords", shapes::kGetRecords, Place::kInline,
     Returning<DecodeGetRecords, operations::GetRecords, EncodeGetRecords>},
    {"GetShardIterator", shapes::kGetShardIterator, Place::kWorker,
     Returning<DecodeGetShardIterator, operations::GetShardIterator, EncodeGetShardIterator>},
    {"DescribeStream", shapes::kDescribeStream, Place::kWorker,
     Returning<DecodeDescribeStream, operations::DescribeStream, EncodeDescribeStream>},
    {"ListStreams", shapes::kListStreams, Place::kWorker,
     Returning<DecodeListStreams, operations::ListStreams, EncodeListStreams>},
};

struct ServiceOperations {
  std::string_view prefix;
  std::span<const Operation> operations;
};

const ServiceOperations kServices[] = {
    {kDynamoDbTarget, kDynamoDb},
    {kStreamsTarget, kStreams},
    {kOwnTarget, OwnOperations()},
};

}  // namespace

const Operation* FindOperation(std::string_view target) {
  for (const ServiceOperations& service : kServices) {
    if (!target.starts_with(service.prefix)) continue;
    for (const Operation& operation : service.operations) {
      if (operation.name == target.substr(service.prefix.size())) return &operation;
    }
  }
  return nullptr;
}

}  // namespace monotable::api::dynamodb
