#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "entities/application.h"
#include "entities/problem.h"

// Where a value stands in a request, and what is reported about it.
namespace monotable::entities {

// Where a value stands in a request. Parts are linked from the inside out, on the stack of what
// walks through the value, and become text only when something is wrong.
class FieldPath {
 public:
  // A JSON pointer, or the name of a parameter. It must outlive the path, as parents must.
  explicit FieldPath(std::string_view root) : name_(root) {}
  FieldPath(const FieldPath& parent, std::string_view name) : parent_(&parent), name_(name) {}
  FieldPath(const FieldPath& parent, size_t index)
      : parent_(&parent), index_(index), is_index_(true) {}

  // /lines/0/Quantity, as RFC 6901 has it.
  std::string Pointer() const;
  // The same for people: lines[0].Quantity.
  std::string Readable() const;

 private:
  const FieldPath* parent_ = nullptr;
  std::string_view name_;
  size_t index_ = 0;
  bool is_index_ = false;
};

// What all checks of one request share.
struct CodecContext {
  const Application& application;
  // What happens to attributes, and to members of objects, that the model does not know.
  model::UnknownAttributes unknown = model::UnknownAttributes::kReject;
  std::vector<FieldProblem>* problems;

  // Reports a problem. `what` follows the name of the field: "must be a number".
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
