#include "entities/read/parameters.h"

#include <functional>
#include <utility>

#include <fmt/format.h>

#include "entities/record.h"

namespace monotable::entities {
namespace {

bool Names(const item::Value& value, const std::string& tenant) {
  if (value.is(item::Type::kNumber)) return value.number().ToString() == tenant;
  return value.is(item::Type::kString) && value.string() == tenant;
}

}  // namespace

Error MissingParameter(std::string_view name) {
  return InvalidFields({{std::string(name), "required", fmt::format("{} must be given.", name)}});
}

Result<Parameters> Parameters::Of(const Application& application, const item::Map& given,
                                  const Caller& caller) {
  Parameters parameters(application, given);
  const auto& tenancy = application.model().tenancy;
  if (!tenancy || !caller.tenant) return parameters;
  const item::Value* tenant = given.Find(tenancy->attribute);
  if (tenant == nullptr) {
    parameters.tenant_ = item::Value(*caller.tenant);
  } else if (!Names(*tenant, *caller.tenant)) {
    return Problem(ProblemCode::kForbidden,
                   fmt::format("{} is another than the caller's.", tenancy->attribute));
  }
  return parameters;
}

const item::Value* Parameters::Find(std::string_view name) const {
  if (const item::Value* value = given_->Find(name)) return value;
  if (tenant_ && name == application_->model().tenancy->attribute) return &*tenant_;
  return FindPath(*given_, name);
}

Result<std::string> Parameters::Render(const model::Template& text, const Extra& extra) const {
  const auto lookup = [&](std::string_view name) {
    return extra.value != nullptr && name == extra.name ? extra.value : Find(name);
  };
  std::string_view asked_last;
  TRY_ASSIGN(auto rendered,
             RenderText(text, std::ref(lookup), application_->key_rules(), &asked_last));
  if (!rendered) return MissingParameter(asked_last);
  return *std::move(rendered);
}

Result<std::optional<std::string>> RenderText(const model::Template& text,
                                              const model::Template::Lookup& lookup,
                                              const model::Template::Rules& rules,
                                              std::string_view* asked_last) {
  const auto remember = [&](std::string_view name) {
    *asked_last = name;
    return lookup(name);
  };
  auto rendered = text.Render(std::ref(remember), rules);
  if (rendered) return rendered;
  // Rendering stops at the first value that cannot be in a key: the one that it asked for last.
  return InvalidFields({{std::string(*asked_last), "key_text", rendered.error().message() + "."}});
}

}  // namespace monotable::entities
