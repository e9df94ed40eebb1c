#pragma once

#include <map>
#include <string>
#include <string_view>

#include "error/result.h"
#include "model/model.h"

// A model in one environment: the settings that differ, and names with everything in braces filled
// in.
namespace monotable::model {

// Values of parameters that replace their defaults, by name.
using ParameterValues = std::map<std::string, std::string>;

// The environment of that name, or the first one if the name is empty. A model without environments
// is the same in all of them: it accepts any name, and its default name is dev.
Result<EnvironmentModel> EnvironmentIn(const Model& model, std::string_view environment);

// The model's parameters with their defaults, replaced by the given values. An unknown parameter
// and a value that is not allowed are errors.
Result<ParameterValues> ParametersIn(const Model& model, const ParameterValues& given);

// The name of a table, with {environment} and parameters filled in. It returns the errors of the
// two functions above, and an error for a name that no table can have.
Result<std::string> TableNameIn(const Model& model, const TableModel& table,
                                std::string_view environment, const ParameterValues& parameters);

}  // namespace monotable::model
