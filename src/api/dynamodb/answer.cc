#include "api/dynamodb/answer.h"

#include "json/json_writer.h"
#include "operations/parameters.h"
#include "wire/attribute_value.h"
#include "wire/error_json.h"

namespace monotable::api::dynamodb {
namespace {

void EncodeReasons(const operations::TransactionCanceledDetail& detail, json::Writer* writer) {
  writer->Key("CancellationReasons").BeginArray();
  for (const auto& reason : detail.reasons) {
    writer->BeginObject().Key("Code").String(reason.code);
    if (reason.item) {
      writer->Key("Item");
      wire::EncodeItem(encoding::ItemView(*reason.item), writer);
    }
    if (!reason.message.empty()) writer->Key("Message").String(reason.message);
    writer->EndObject();
  }
  writer->EndArray();
}

void EncodeDetail(const ErrorDetail& detail, json::Writer* writer) {
  if (const auto* failed = dynamic_cast<const operations::ConditionFailureDetail*>(&detail)) {
    writer->Key("Item");
    wire::EncodeItem(encoding::ItemView(failed->item), writer);
  } else if (const auto* cancelled =
                 dynamic_cast<const operations::TransactionCanceledDetail*>(&detail)) {
    EncodeReasons(*cancelled, writer);
  }
}

}  // namespace

void EncodeError(const Error& error, std::string* out) {
  json::Writer writer(out);
  wire::BeginError(error, &writer);
  if (error.detail() && error.code() != ErrorCode::kInternal)
    EncodeDetail(*error.detail(), &writer);
  writer.EndObject();
}

}  // namespace monotable::api::dynamodb
