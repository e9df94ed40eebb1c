#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "entities/application.h"
#include "entities/codec/field_path.h"
#include "entities/problem.h"

namespace monotable::entities {

// What those who check one request share.
struct CodecContext {
  const Application& application;
  model::UnknownAttributes unknown = model::UnknownAttributes::kReject;  // members of objects, too
  std::vector<FieldProblem>* problems;

  // What follows the name of the field: "must be a number".
  void Report(const FieldPath& path, std::string_view code, std::string_view what) const {
    std::string message = path.Readable();
    message.append(" ").append(what);
    if (message.back() != '?') message.push_back('.');
    problems->push_back({path.Pointer(), std::string(code), std::move(message)});
  }
};

// "; did you mean CONFIRMED?" or nothing.
std::string DidYouMean(std::string_view typed, const std::vector<std::string_view>& candidates);

// An attribute that the entity or object does not have.
void ReportUnknown(const CodecContext& context, const FieldPath& path, std::string_view name,
                   const std::vector<model::AttributeModel>& known);

}  // namespace monotable::entities
