#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deploy/dynamodb_call.h"
#include "error/result.h"
#include "model/environment.h"
#include "model/model.h"
#include "table/definition.h"

// What a table is, as far as a model has a say in it: the same data for the table that a model
// wants and the one that a server has, so that they can be compared.
namespace monotable::deploy {

// Which of the deployments of a model is meant.
struct Target {
  std::string environment;  // empty: the first of the model
  model::ParameterValues parameters = {};
};

struct IndexShape {
  std::string name;
  table::IndexKind kind = table::IndexKind::kGlobal;
  table::KeySchema key;
  table::Projection projection;  // attributes in the order of their names
  friend bool operator==(const IndexShape&, const IndexShape&) = default;
};

struct TableShape {
  std::string name;
  table::KeySchema key;
  std::vector<IndexShape> indexes;
  table::BillingMode billing = table::BillingMode::kProvisioned;
  table::Throughput throughput;  // what a provisioned table and its indexes are made with
  std::optional<table::StreamViewType> stream;
  bool encrypted = false;      // with a key of KMS
  std::string encryption_key;  // empty: the managed key
  bool deletion_protection = false;
  std::string ttl_attribute;  // empty if nothing expires
  // Point-in-time recovery; nothing if the server has no such thing.
  std::optional<bool> recovery;
  int recovery_days = 35;

  const IndexShape* FindIndex(std::string_view index_name) const;
};

// The table that the model wants at the target. Parameters that templates know by their names
// (EnablePITR, DeletionProtection, KmsKeyArn, ReadCapacityUnits, WriteCapacityUnits) count here as
// they do in the CloudFormation template.
Result<TableShape> WantedTable(const model::Model& model, const model::TableModel& table,
                               const Target& target);

// The table that the server has; nullopt if it has none. An index on its way out is not there.
Result<std::optional<TableShape>> ReadTable(const Call& call, std::string_view name);

// Whether a table and all its indexes are ready for the next change, by DescribeTable.
Result<bool> IsActive(const Call& call, std::string_view name);

// PK S and SK S, for people.
std::string DescribeKey(const table::KeySchema& key);
// all attributes; keys only; A, B and the keys.
std::string DescribeProjection(const table::Projection& projection);

}  // namespace monotable::deploy
