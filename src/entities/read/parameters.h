#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "entities/application.h"
#include "entities/problem.h"
#include "error/result.h"
#include "item/value.h"
#include "model/template/template.h"

namespace monotable::entities {

// What a request gives, as the templates of keys ask for it: the caller's tenant is among it. Lives
// no longer than the map it was made of.
class Parameters {
 public:
  // kForbidden if the request names another tenant than the caller's.
  static Result<Parameters> Of(const Application& application, const item::Map& given,
                               const Caller& caller);

  // A parameter by its name or path; null if it is not given.
  const item::Value* Find(std::string_view name) const;

  // One parameter more, or instead of the one of its name.
  struct Extra {
    std::string_view name;
    const item::Value* value = nullptr;
  };

  // The text of a key. A parameter that is missing, or cannot be in a key, is the client's mistake,
  // and the error names it.
  Result<std::string> Render(const model::Template& text) const { return Render(text, {}); }
  Result<std::string> Render(const model::Template& text, const Extra& extra) const;

  model::Template::Lookup Lookup() const {
    return [this](std::string_view name) { return Find(name); };
  }

 private:
  Parameters(const Application& application, const item::Map& given)
      : application_(&application), given_(&given) {}

  const Application* application_;
  const item::Map* given_;
  std::optional<item::Value> tenant_;  // if it is not given
};

// A parameter that is needed and not given.
Error MissingParameter(std::string_view name);

// The text of a key; nothing if an attribute is missing, and *asked_last is then its name. A value
// that cannot be part of a key is InvalidFields with the name of its attribute.
Result<std::optional<std::string>> RenderText(const model::Template& text,
                                              const model::Template::Lookup& lookup,
                                              const model::Template::Rules& rules,
                                              std::string_view* asked_last);

}  // namespace monotable::entities
