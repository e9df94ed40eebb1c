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

// The part of a table that a model describes. The wanted table of a model and the existing table of
// a server have the same type, so that they can be compared.
namespace monotable::deploy {

// The deployment of a model: its environment and the values of its parameters.
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
  // Point-in-time recovery; nothing if the server does not have it.
  std::optional<bool> recovery;
  int recovery_days = 35;

  const IndexShape* FindIndex(std::string_view index_name) const;
};

// The table that the model wants at the target. Parameters that templates know by their names
// (EnablePITR, DeletionProtection, KmsKeyArn, ReadCapacityUnits, WriteCapacityUnits) have the same
// effect as in the CloudFormation template.
Result<TableShape> WantedTable(const model::Model& model, const model::TableModel& table,
                               const Target& target);

// The table that the server has; nullopt if it has none. An index that is being deleted is left
// out.
Result<std::optional<TableShape>> ReadTable(const Call& call, std::string_view name);

// Whether a table and all its indexes are ready for the next change, according to DescribeTable.
Result<bool> IsActive(const Call& call, std::string_view name);

// PK S and SK S, for people.
std::string DescribeKey(const table::KeySchema& key);
// all attributes; keys only; A, B and the keys.
std::string DescribeProjection(const table::Projection& projection);

}  // namespace monotable::deploy
