#pragma once

#include <string>
#include <string_view>

#include "error/result.h"
#include "model/model.h"

namespace monotable::document {

// The model's tables and alarms as a CloudFormation template in JSON. Tables that are adopted exist
// already and are left out.
//
// Without an environment the template has a parameter Environment and conditions that follow it;
// with one, it is for that environment alone. The parameters of the model are those of the
// template, and three names mean something: EnablePITR and DeletionProtection ("true" switches on
// what the environment does not), and KmsKeyArn (the key, if it is not empty).
Result<std::string> ToCloudFormation(const model::Model& model, std::string_view environment = "");

}  // namespace monotable::document
