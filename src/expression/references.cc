#include "expression/references.h"

#include <utility>

namespace monotable::expression {

uint32_t References::AddTopLevelPath(std::string name) {
  paths.push_back({static_cast<uint32_t>(elements.size()), 1});
  elements.push_back({std::move(name), false, std::nullopt});
  return static_cast<uint32_t>(paths.size() - 1);
}

uint32_t References::AddConstant(item::Value value) {
  constants.push_back(std::move(value));
  return static_cast<uint32_t>(constants.size() - 1);
}

Result<Binding> Bind(const References& references, std::string_view parameter,
                     Substitutions& substitutions) {
  Binding binding;
  binding.elements.reserve(references.elements.size());
  for (const References::Element& element : references.elements) {
    std::string_view name = element.name;
    if (element.is_substituted) {
      const std::string* meaning = substitutions.UseName(element.name);
      if (meaning == nullptr) {
        return InvalidExpression(parameter,
                                 "An expression attribute name used in the document path is not "
                                 "defined; attribute name: " +
                                     element.name);
      }
      name = *meaning;
    }
    binding.elements.push_back({name, element.index});
  }
  binding.values.reserve(references.value_tokens.size());
  for (const std::string& token : references.value_tokens) {
    const item::Value* value = substitutions.UseValue(token);
    if (value == nullptr) {
      return InvalidExpression(
          parameter,
          "An expression attribute value used in expression is not defined; attribute value: " +
              token);
    }
    binding.values.push_back(value);
  }
  return binding;
}

Binding BindConstants(const References& references) {
  Binding binding;
  binding.elements.reserve(references.elements.size());
  for (const References::Element& element : references.elements) {
    binding.elements.push_back({element.name, element.index});
  }
  binding.values.reserve(references.constants.size());
  for (const item::Value& value : references.constants) binding.values.push_back(&value);
  return binding;
}

Error InvalidExpression(std::string_view parameter, std::string_view what) {
  std::string message = "Invalid ";
  message.append(parameter).append(": ").append(what);
  return Error::Validation(std::move(message));
}

}  // namespace monotable::expression
