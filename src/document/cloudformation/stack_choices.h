#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/json_writer.h"
#include "model/model.h"

// Names in a CloudFormation template, and what the template leaves open.
namespace monotable::document {

inline constexpr std::string_view kEnvironmentParameter = "Environment";
inline constexpr std::string_view kReadUnitsParameter = "ReadCapacityUnits";
inline constexpr std::string_view kWriteUnitsParameter = "WriteCapacityUnits";

// The text as a logical id, which has only letters and digits, with every word capitalised:
// oms-errors becomes OmsErrors.
std::string LogicalId(std::string_view text);

// The logical id of a table: that of the model if the model has one table only, otherwise that of
// the table.
std::string TableLogicalId(const model::Model& model, const model::TableModel& table);

// Writes a text with {environment} and {Parameter}: as plain text if nothing is left to fill in,
// otherwise as Fn::Sub. An environment that is not empty is filled in.
void WriteFilledIn(std::string_view text, std::string_view environment, json::Writer* out);

// Writes {"Ref": "X"}.
void WriteRef(std::string_view name, json::Writer* out);

// The choices that a template leaves open until a stack is made from it: its parameters, and the
// conditions by which environments and parameters enable settings. The model must outlive it.
class Choices {
 public:
  // Without an environment, a parameter of the template chooses the environment.
  Choices(const model::Model& model, const model::EnvironmentModel* environment);

  // The name of the environment; empty if a parameter chooses it.
  std::string_view environment() const;
  bool HasParameter(std::string_view name) const;
  // Whether the key for encryption is a parameter.
  bool TakesKmsKey() const;

  // The sections of the template; nothing is written for a section that would be empty.
  void WriteParameters(json::Writer* out) const;
  void WriteMappings(json::Writer* out) const;
  void WriteConditions(json::Writer* out) const;

  // The values of properties of a table.
  void WritePitr(json::Writer* out) const;
  void WriteDeletionProtection(json::Writer* out) const;
  void WriteKmsKey(std::string_view declared, json::Writer* out) const;

 private:
  // A setting that is on, off, or on if a parameter has one of several values.
  struct Switch {
    std::optional<bool> constant;
    std::vector<std::pair<std::string, std::string>> on_if;  // parameter and value
  };

  Switch Decide(bool model::EnvironmentModel::*setting, std::string_view parameter) const;
  bool NeedsEnvironment() const;
  bool NeedsThroughput() const;
  model::ParameterModel EnvironmentParameter() const;
  std::optional<int> CommonPitrDays() const;
  static void WriteAnyOf(const Switch& decided, size_t first, json::Writer* out);

  const model::Model& model_;
  const model::EnvironmentModel* environment_;
  Switch pitr_;
  Switch protection_;
};

}  // namespace monotable::document
