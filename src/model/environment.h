#pragma once

#include <map>
#include <string>
#include <string_view>

#include "error/result.h"
#include "model/model.h"

// What a model is in one environment: the settings that differ, and names with everything in
// braces filled in.
namespace monotable::model {

// Values of parameters over their defaults, by name.
using ParameterValues = std::map<std::string, std::string>;

// The environment of that name; without a name the first. A model that declares no environments is
// the same in all of them, so it takes any name, and dev without one.
Result<EnvironmentModel> EnvironmentIn(const Model& model, std::string_view environment);

// The model's parameters with their defaults and what is given over them. A name that is no
// parameter and a value that is not allowed are errors.
Result<ParameterValues> ParametersIn(const Model& model, const ParameterValues& given);

// The name of a table, with {environment} and parameters filled in. The errors are those of the two
// functions above, and one for a name that no table can have.
Result<std::string> TableNameIn(const Model& model, const TableModel& table,
                                std::string_view environment, const ParameterValues& parameters);

}  // namespace monotable::model
