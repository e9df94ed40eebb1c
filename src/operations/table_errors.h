#pragma once

#include <string>
#include <string_view>

#include "error/error.h"

// Errors that several table operations word alike.
namespace monotable::operations {

inline Error InvalidParameter(std::string_view what) {
  return Error::Validation("One or more parameter values were invalid: " + std::string(what));
}

// Operations on tables name the table; operations on items do not (Engine::FindTable).
inline Error TableNotFound(std::string_view name) {
  return Error(ErrorCode::kResourceNotFound,
               "Requested resource not found: Table: " + std::string(name) + " not found");
}

inline Error TooManyTags() {
  return Error::Validation("Number of Tags exceed the current limit for the provided ResourceArn");
}

inline Error TableBeingCreated(std::string_view name) {
  return Error(ErrorCode::kResourceInUse,
               "Attempt to change a resource which is still in use: Table is being created: " +
                   std::string(name));
}

inline Error TableBeingUpdated(std::string_view name) {
  return Error(ErrorCode::kResourceInUse,
               "Attempt to change a resource which is still in use: Table is being updated: " +
                   std::string(name));
}

}  // namespace monotable::operations
