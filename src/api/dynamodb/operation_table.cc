#include "api/dynamodb/operation_table.h"

#include <span>

namespace monotable::api::dynamodb {
namespace {

// The topics of a service. The most used ones come first, because they are searched in this order.
const std::span<const Operation> kDynamoDb[] = {
    ItemOperations(),  QueryScanOperations(), BatchOperations(),  TransactionOperations(),
    TableOperations(), TagOperations(),       BackupOperations(), TransferOperations(),
};
const std::span<const Operation> kStreams[] = {StreamOperations()};
const std::span<const Operation> kOwn[] = {OwnOperations()};

struct ServiceOperations {
  std::string_view prefix;
  std::span<const std::span<const Operation>> topics;
};

const ServiceOperations kServices[] = {
    {kDynamoDbTarget, kDynamoDb},
    {kStreamsTarget, kStreams},
    {kOwnTarget, kOwn},
};

}  // namespace

const Operation* FindOperation(std::string_view target) {
  for (const ServiceOperations& service : kServices) {
    if (!target.starts_with(service.prefix)) continue;
    const std::string_view name = target.substr(service.prefix.size());
    for (const std::span<const Operation> operations : service.topics) {
      for (const Operation& operation : operations) {
        if (operation.name == name) return &operation;
      }
    }
  }
  return nullptr;
}

}  // namespace monotable::api::dynamodb
