#pragma once

#include <string>
#include <utility>
#include <vector>

#include "operations/tables_fixture.h"

namespace monotable::operations {

// Requests for UpdateTable of a table named "things".
class UpdateTableFixture : public TablesFixture {
 protected:
  Result<TableDescription> Try(const UpdateTableRequest& request) {
    return UpdateTable(engine(), request);
  }

  static UpdateTableRequest Request() {
    UpdateTableRequest request;
    request.table_name = "things";
    return request;
  }

  static UpdateTableRequest AddIndex(IndexParameter index,
                                     std::vector<table::KeyAttribute> definitions) {
    UpdateTableRequest request = Request();
    request.attribute_definitions = std::move(definitions);
    request.global_index_updates.emplace().emplace_back().create = std::move(index);
    return request;
  }

  static UpdateTableRequest RemoveIndex(std::string name) {
    UpdateTableRequest request = Request();
    request.global_index_updates.emplace().emplace_back().remove = std::move(name);
    return request;
  }

  static UpdateTableRequest ChangeIndex(std::string name, table::Throughput throughput) {
    UpdateTableRequest request = Request();
    IndexParameter index;
    index.index_name = std::move(name);
    index.throughput = throughput;
    request.global_index_updates.emplace().emplace_back().update = std::move(index);
    return request;
  }

  static CreateTableRequest ProvisionedWithIndexes() {
    CreateTableRequest request = ProvisionedTable("things");
    request.attribute_definitions->push_back(S("x"));
    for (const char* name : {"index-A", "index-B"}) {
      IndexParameter index = Index(name, {Hash("x")});
      index.throughput = {7, 8};
      if (!request.global_indexes) request.global_indexes.emplace();
      request.global_indexes->push_back(std::move(index));
    }
    return request;
  }
};

}  // namespace monotable::operations
