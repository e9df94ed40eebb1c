#include "operations/update_table_request.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "operations/table_errors.h"
#include "operations/table_settings.h"

namespace monotable::operations {
namespace {

using table::BillingMode;

template <typename Predicate>
bool AnyIndexUpdate(const UpdateTableRequest& request, Predicate predicate) {
  return request.global_index_updates &&
         std::any_of(request.global_index_updates->begin(), request.global_index_updates->end(),
                     predicate);
}

const std::string& IndexNameOf(const GlobalIndexUpdate& update) {
  if (update.create) return update.create->index_name;
  return update.update ? update.update->index_name : *update.remove;
}

Status CheckIndexUpdates(const UpdateTableRequest& request) {
  if (!request.global_index_updates) return {};
  if (request.global_index_updates->empty()) {
    return InvalidParameter("List of GlobalSecondaryIndexUpdates is empty");
  }
  std::set<std::string_view> names;
  for (const GlobalIndexUpdate& update : *request.global_index_updates) {
    const int actions =
        update.create.has_value() + update.update.has_value() + update.remove.has_value();
    if (actions == 0) {
      return InvalidParameter(
          "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
          "GlobalSecondaryIndexUpdate.Delete must not be null");
    }
    if (actions > 1) {
      return InvalidParameter(
          "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate "
          "object");
    }
    if (!names.insert(IndexNameOf(update)).second) {
      return InvalidParameter(
          "Only one global secondary index update per index is allowed simultaneously. Index: " +
          IndexNameOf(update));
    }
    if (update.update && update.update->warm_throughput &&
        !HasUnits(update.update->warm_throughput)) {
      return InvalidParameter(
          "WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond "
          "specified for index: " +
          IndexNameOf(update));
    }
  }
  return {};
}

// In the order in which the service names what must be alone.
Status CheckCombination(const RequestedChanges& changes, const UpdateTableRequest& request) {
  if (changes.count() < 2) return {};
  if (changes.sse) {
    return InvalidParameter(
        "Server-Side Encryption modification must be the only operation in the request");
  }
  if (changes.table_class) {
    return InvalidParameter("TableClass modification must be the only operation in the request");
  }
  if (changes.deletion_protection) {
    return InvalidParameter(
        "DeletionProtection modification must be the only operation in the request");
  }
  if (changes.limits && (changes.count() > 2 || !changes.billing)) {
    return InvalidParameter(
        "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request");
  }
  if (changes.warm) {
    return InvalidParameter(changes.index_created
                                ? "Create global secondary index cannot be specified when updating "
                                  "WarmThroughput"
                                : "WarmThroughput must be the only operation in the request");
  }
  if (changes.stream && (changes.throughput || request.billing_mode == BillingMode::kProvisioned)) {
    return InvalidParameter("You cannot modify stream status while updating table IOPS");
  }
  if (!changes.index_created && !changes.index_deleted) return {};
  if (changes.throughput) {
    return InvalidParameter("You cannot create or delete index while updating table IOPS");
  }
  if (changes.stream) {
    return InvalidParameter("You cannot create or delete index while changing stream status");
  }
  return {};
}

Status CheckBilling(const UpdateTableRequest& request) {
  if (request.billing_mode == BillingMode::kPayPerRequest && request.throughput) {
    return InvalidParameter(
        "ProvisionedThroughput cannot be specified when BillingMode is PAY_PER_REQUEST");
  }
  if (request.billing_mode == BillingMode::kProvisioned && !request.throughput) {
    return InvalidParameter(
        "ProvisionedThroughput must be specified when BillingMode is PROVISIONED");
  }
  if (request.throughput) return CheckBounds(*request.throughput, "");
  return {};
}

Status CheckStream(const std::optional<StreamParameter>& stream) {
  if (!stream) return {};
  if (stream->enabled && !stream->view_type) {
    return InvalidParameter("If stream is being enabled then UpdateViewType is required");
  }
  if (!stream->enabled && stream->view_type) {
    return InvalidParameter(
        "If stream is being disabled, then UpdateViewType must not be specified");
  }
  return {};
}

}  // namespace

RequestedChanges::RequestedChanges(const UpdateTableRequest& request)
    : throughput(request.throughput.has_value()),
      billing(request.billing_mode.has_value()),
      stream(request.stream.has_value()),
      sse(request.sse.has_value()),
      table_class(request.table_class.has_value()),
      deletion_protection(request.deletion_protection.has_value()),
      limits(HasLimits(request.on_demand_throughput)),
      warm(HasUnits(request.warm_throughput)),
      indexes(AnyIndexUpdate(request, [](const GlobalIndexUpdate&) { return true; })),
      index_created(AnyIndexUpdate(
          request, [](const GlobalIndexUpdate& update) { return update.create.has_value(); })),
      index_deleted(AnyIndexUpdate(
          request, [](const GlobalIndexUpdate& update) { return update.remove.has_value(); })) {}

Status CheckUpdateTableRequest(const UpdateTableRequest& request) {
  if (request.has_replica_updates) {
    return InvalidParameter("ReplicaUpdates are not supported: tables have no replicas");
  }
  const RequestedChanges changes(request);
  if (changes.count() == 0) {
    // The service names members here that its clients do not have.
    return Error::Validation(
        "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
        "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, "
        "ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, "
        "OnDemandThroughput, WarmThroughput or TableClass is required");
  }
  TRY(CheckIndexUpdates(request));
  TRY(CheckCombination(changes, request));
  TRY(CheckBilling(request));
  return CheckStream(request.stream);
}

}  // namespace monotable::operations
