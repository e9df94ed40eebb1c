#pragma once

#include "error/result.h"
#include "operations/tables.h"

// The checks of an UpdateTable that need no table.
namespace monotable::operations {

// The members of a request that change something. A structure in which nothing is set changes
// nothing.
struct RequestedChanges {
  explicit RequestedChanges(const UpdateTableRequest& request);

  bool throughput;
  bool billing;
  bool stream;
  bool sse;
  bool table_class;
  bool deletion_protection;
  bool limits;  // OnDemandThroughput
  bool warm;
  bool indexes;
  bool index_created;
  bool index_deleted;

  int count() const {
    return throughput + billing + stream + sse + table_class + deletion_protection + limits + warm +
           indexes;
  }
};

// An UpdateTable makes one change at a time, with few exceptions around the billing mode.
Status CheckUpdateTableRequest(const UpdateTableRequest& request);

}  // namespace monotable::operations
