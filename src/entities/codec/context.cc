#include "entities/codec/context.h"

#include "error/suggestion.h"

namespace monotable::entities {

std::string DidYouMean(std::string_view typed, const std::vector<std::string_view>& candidates) {
  const auto nearest = Suggest(typed, candidates);
  return nearest ? "; did you mean " + std::string(*nearest) + "?" : "";
}

void ReportUnknown(const CodecContext& context, const FieldPath& path, std::string_view name,
                   const std::vector<model::AttributeModel>& known) {
  std::vector<std::string_view> names;
  names.reserve(known.size());
  for (const model::AttributeModel& attribute : known) names.emplace_back(attribute.name);
  context.Report(path, "unknown", "is not in the model" + DidYouMean(name, names));
}

}  // namespace monotable::entities
