#include "deploy/diff/sections.h"

// Enums: which values there are, and which may follow which.
namespace monotable::deploy {
namespace {

using model::EnumModel;

void DiffTransitions(const EnumModel& before, const EnumModel& after, const Changes& changes) {
  std::vector<std::string> allowed;
  std::vector<std::string> refused;
  for (const EnumModel::Value& from : after.values) {
    for (const EnumModel::Value& to : after.values) {
      if (before.Find(from.text) == nullptr || before.Find(to.text) == nullptr) continue;
      const bool was = before.Allows(from.text, to.text);
      const bool is = after.Allows(from.text, to.text);
      if (was != is) (is ? allowed : refused).push_back(from.text + " → " + to.text);
    }
  }
  if (!refused.empty()) {
    changes.Add(ChangeKind::kBreaking, fmt::format("no longer allows {}", fmt::join(refused, ", ")),
                "Writes that make this change are refused.");
  }
  if (!allowed.empty()) {
    changes.Add(ChangeKind::kHarmless, fmt::format("allows {}", fmt::join(allowed, ", ")),
                "Nothing that worked is refused.");
  }
}

void DiffEnum(const EnumModel& before, const EnumModel& after, const Changes& changes) {
  PairByName(
      before.values, after.values, [](const EnumModel::Value& value) { return value.text; },
      [&](const EnumModel::Value& gone) {
        changes.Add(ChangeKind::kBreaking, fmt::format("has no value {}", gone.text),
                    "Stored items may have it, and writes with it are refused.");
      },
      [&](const EnumModel::Value& added) {
        changes.Add(ChangeKind::kHarmless, fmt::format("has a new value {}", added.text),
                    "Clients that know all values by name should learn it.");
      },
      [](const EnumModel::Value&, const EnumModel::Value&) {});
  changes.Compare(before.initial, after.initial, ChangeKind::kHarmless, "initial",
                  "New items that give none begin with it.");
  changes.Compare(
      before.open, after.open, after.open ? ChangeKind::kHarmless : ChangeKind::kBreaking, "open",
      after.open ? "Nothing that worked is refused." : "Values that are not listed are refused.");
  DiffTransitions(before, after, changes);
}

}  // namespace

void DiffEnums(const model::Model& before, const model::Model& after, const Changes& changes) {
  const Changes enums = changes.Of("enums");
  PairByName(
      before.enums, after.enums, kByName,
      [&](const EnumModel& gone) {
        enums.Of(gone.name).Add(ChangeKind::kHarmless, "is gone",
                                "Attributes that were of it are listed by themselves.");
      },
      [&](const EnumModel& added) {
        enums.Of(added.name)
            .Add(ChangeKind::kHarmless, "is new",
                 "Attributes that are of it are listed by themselves.");
      },
      [&](const EnumModel& old, const EnumModel& now) { DiffEnum(old, now, enums.Of(now.name)); });
}

}  // namespace monotable::deploy
