#pragma once

#include <string>
#include <string_view>

#include "json/json_writer.h"
#include "model/model.h"

// Names in a CloudFormation template.
namespace monotable::model {

inline constexpr std::string_view kEnvironmentParameter = "Environment";
inline constexpr std::string_view kReadUnitsParameter = "ReadCapacityUnits";
inline constexpr std::string_view kWriteUnitsParameter = "WriteCapacityUnits";

// Letters and digits with every word capitalised, as logical ids must be: oms-errors is OmsErrors.
std::string LogicalId(std::string_view text);

// The logical id of a table: that of the model if it has one table only, else of the table.
std::string TableLogicalId(const Model& model, const TableModel& table);

// A text with {environment} and {Parameter} in it: plain text if nothing is left to fill in, else
// Fn::Sub. An environment that is not empty is filled in.
void WriteFilledIn(std::string_view text, std::string_view environment, json::Writer* out);

// {"Ref": "X"}.
void WriteRef(std::string_view name, json::Writer* out);

}  // namespace monotable::model
