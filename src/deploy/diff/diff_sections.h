#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "deploy/diff/diff.h"
#include "model/model.h"

// The comparison of the sections of a model, and what the comparisons share.
namespace monotable::deploy {

// Collects changes below one subject.
class Changes {
 public:
  Changes(std::vector<Change>* all, std::string subject)
      : all_(all), subject_(std::move(subject)) {}

  Changes Of(std::string_view part) const {
    return Changes(all_,
                   subject_.empty() ? std::string(part) : fmt::format("{}.{}", subject_, part));
  }
  void Add(ChangeKind kind, std::string what, std::string reason) const {
    all_->push_back({kind, subject_, std::move(what), std::move(reason)});
  }
  // Adds a change if the two values differ.
  template <typename Value>
  void Compare(const Value& before, const Value& after, ChangeKind kind, std::string_view name,
               const std::string& reason) const {
    if (before == after) return;
    Add(kind, fmt::format("{}: {} → {}", name, Shown(before), Shown(after)), reason);
  }

 private:
  static std::string Shown(const std::string& text) { return text.empty() ? "none" : text; }
  static std::string Shown(bool flag) { return flag ? "yes" : "no"; }
  static std::string Shown(int number) { return std::to_string(number); }
  static std::string Shown(const std::vector<std::string>& texts) {
    return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ", "));
  }

  std::vector<Change>* all_;
  std::string subject_;
};

// Pairs the members of two lists by name: removed(one), added(one), both(old, new).
template <typename Named, typename NameOf, typename Removed, typename Added, typename Both>
void PairByName(const std::vector<Named>& before, const std::vector<Named>& after, NameOf name_of,
                Removed removed, Added added, Both both) {
  const auto find = [&](const std::vector<Named>& all, const Named& one) -> const Named* {
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const Named& each) { return name_of(each) == name_of(one); });
    return found == all.end() ? nullptr : &*found;
  };
  for (const Named& one : before) {
    if (find(after, one) == nullptr) removed(one);
  }
  for (const Named& one : after) {
    if (const Named* old = find(before, one)) {
      both(*old, one);
    } else {
      added(one);
    }
  }
}

inline constexpr auto kByName = [](const auto& one) -> const std::string& { return one.name; };

inline std::string TextOf(const std::optional<model::Rule>& rule) {
  return rule ? rule->text() : std::string();
}

void DiffEntity(const model::EntityModel& before, const model::EntityModel& after,
                const Changes& changes);
void DiffAccess(const model::Model& before, const model::Model& after, const Changes& changes);

}  // namespace monotable::deploy
