#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expression/reserved_words.h"
#include "model/check/check_passes.h"
#include "model/instant.h"
#include "model/plan/keys.h"
#include "model/plan/read_plan.h"
#include "model/plan/read_request.h"

namespace monotable::model {
namespace {

// A fan-out of more requests than this deserves a warning.
constexpr size_t kManyRequests = 10;

bool IsDateOnly(std::string_view text) {
  return text.size() == 10 && ParseDate(text).has_value();
}

// Checks one pattern with its plan.
class PatternCheck {
 public:
  PatternCheck(const Model& model, const PatternModel& pattern, Report* report)
      : model_(model),
        pattern_(pattern),
        report_(*report),
        subject_(SubjectOf(pattern)),
        plan_(PlanPattern(model, pattern)),
        entity_(model.FindEntity(pattern.entity)),
        table_(entity_ != nullptr ? model.FindTable(entity_->table) : nullptr) {}

  void Run() {
    CheckVerdict();
    CheckBounds();
    if (plan_.verdict == Verdict::kNotServed || table_ == nullptr) return;
    CheckGiven();
    CheckFanOut();
    CheckProjection();
    CheckMissed();
    CheckConsistency();
    CheckCollection();
  }

 private:
  const ReadStep& step() const { return plan_.steps.front(); }

  void CheckVerdict() {
    const bool served = plan_.verdict != Verdict::kNotServed;
    if (!served && pattern_.expected_unserved) {
      report_.Info(
          "unserved_pattern", pattern_.place, subject_,
          "The keys do not serve " + pattern_.name + ", as the model says: " + plan_.reason + ".");
    } else if (!served) {
      report_.Error("unserved_pattern", pattern_.place, subject_,
                    "The keys do not serve " + pattern_.name + ": " + plan_.reason + ".",
                    "Change the where, give the entity keys in an index that serve it, or write "
                    "`served: false`.");
    } else if (pattern_.expected_unserved) {
      report_.Warning("served_after_all", pattern_.place, subject_,
                      pattern_.name + " is marked `served: false`, but its keys serve it.",
                      "Remove `served: false`.");
    }
    if (!served) return;
    if (step().filter_by_type) {
      report_.Warning("needs_filter", pattern_.place, subject_,
                      pattern_.name + " reads more than it returns: " + plan_.reason + ".",
                      "Bound the sort key so that it leaves them out, or accept what reading them "
                      "costs.");
    } else if (pattern_.filter) {
      report_.Info("needs_filter", pattern_.place, subject_,
                   pattern_.name + " reads more than it returns: " + plan_.reason + ".");
    }
  }

  // Checks the where itself, even if it does not serve the pattern.
  void CheckBounds() {
    for (const WhereTerm& term : pattern_.where) {
      CheckTerm(term);
    }
    if (!pattern_.range || pattern_.range->dates != PatternModel::Dates::kExact) return;
    if (!IsInstant(pattern_.range->field)) return;
    for (const PatternModel::Example& example : pattern_.examples) {
      for (const auto& [name, value] : example.given) {
        if (name == "to" && IsDateOnly(value)) DateOnly(value, pattern_.range->field);
      }
    }
  }

  void CheckTerm(const WhereTerm& term) {
    const std::optional<KeyTexts> texts =
        table_ != nullptr ? KeyTextsOf(*table_, *entity_, pattern_.index) : std::nullopt;
    const std::optional<KeyNames> names =
        table_ != nullptr ? KeyNamesOf(*table_, pattern_.index) : std::nullopt;
    if (!texts || !names) return;
    const bool is_range = term.attribute == names->range && texts->range;
    if (!is_range && term.attribute != names->hash) return;
    const Template& key = is_range ? *texts->range : texts->hash;
    const Reach reach = Follow(term.value, key);
    if (!reach.matches()) return;
    for (const auto& [attribute, value] : reach.written_out) CheckValue(attribute, value, reach);
    if (term.comparison == WhereTerm::Comparison::kBeginsWith) {
      CheckEmpty(term);
      CheckPrefix(term, key, reach);
    }
    if (!term.upper) return;
    for (const auto& [attribute, value] : Follow(*term.upper, key).written_out) {
      if (IsInstant(attribute) && IsDateOnly(value)) DateOnly(value, attribute);
    }
  }

  // A value that the where writes out must be one that the attribute can have.
  void CheckValue(const std::string& attribute, const std::string& value, const Reach& reach) {
    const AttributeModel* found = FindAttribute(*entity_, attribute);
    if (found == nullptr || found->type.kind != TypeKind::kEnum || reach.inside_value) return;
    const EnumModel* type = model_.FindEnum(found->type.enum_name);
    if (type == nullptr || type->open || type->Find(value) != nullptr) return;
    std::vector<std::string> known;
    for (const EnumModel::Value& each : type->values) known.push_back(each.text);
    const std::string closest = ClosestName(value, known);
    report_.Error("unknown_value_in_where", pattern_.place, subject_,
                  "\"" + value + "\" is not a value of " + type->name + ", so " + pattern_.name +
                      " never finds anything.",
                  closest.empty() ? "Use one of its values." : "Did you mean " + closest + "?");
  }

  // DynamoDB refuses empty key values, so a prefix must not depend on a parameter that may be
  // empty.
  void CheckEmpty(const WhereTerm& term) {
    for (const TemplatePart& part : term.value.parts()) {
      const AttributeModel* attribute = FindAttribute(*entity_, part.attribute);
      if (attribute == nullptr || attribute->type.kind != TypeKind::kString) return;
      if (attribute->type.min_length.value_or(0) > 0 || !attribute->type.pattern.empty()) return;
    }
    report_.Warning("empty_begins_with", pattern_.place, subject_,
                    "begins_with \"" + term.value.text() +
                        "\" has no text if the parameter has none, which DynamoDB refuses.",
                    "Put text before it in the key, or write `min: 1`.");
  }

  // Without the delimiter, COMPANY#{cnpj} also finds longer values that begin with the given one.
  void CheckPrefix(const WhereTerm& term, const Template& key, const Reach& reach) {
    const bool ends_in_value = !term.value.parts().empty() &&
                               !term.value.parts().back().is_literal() &&
                               reach.part < key.parts().size();
    if (!ends_in_value) return;
    report_.Warning("open_prefix", pattern_.place, subject_,
                    "begins_with \"" + term.value.text() + "\" also finds longer values of " +
                        term.value.parts().back().attribute + " that begin the same.",
                    "End it with \"" + key.parts()[reach.part].literal.substr(0, 1) +
                        "\", which follows in the key.");
  }

  bool IsInstant(std::string_view attribute) const {
    const AttributeModel* found = entity_ != nullptr ? FindAttribute(*entity_, attribute) : nullptr;
    return found != nullptr && found->type.kind == TypeKind::kInstant;
  }

  void DateOnly(const std::string& date, const std::string& attribute) {
    report_.Warning("date_only_between", pattern_.place, subject_,
                    "The upper bound \"" + date + "\" is before every moment of that day, so " +
                        attribute + " of that day is not found.",
                    "Use `range: {…, dates: whole_days}`, or give the end of the day.");
  }

  void CheckGiven() {
    if (step().action != ReadStep::Action::kGetItem || !pattern_.where.empty()) return;
    for (const std::string& name : pattern_.by) {
      const auto in = [&](const Template& text) {
        const std::vector<std::string> used = text.attributes();
        return std::ranges::find(used, name) != used.end();
      };
      if (in(step().hash) || (step().range && in(step().range->value))) continue;
      report_.Warning("unused_parameter", pattern_.place, subject_,
                      pattern_.name + " takes " + name + ", which is not part of the key.",
                      "Remove it from by.");
    }
  }

  void CheckFanOut() {
    if (!pattern_.fan_out) return;
    const std::string count = std::to_string(plan_.fan_out_values.size());
    const std::string message = pattern_.name + " makes " + count +
                                " requests, one for each value of " + plan_.fan_out_attribute + ".";
    if (plan_.fan_out_values.size() > kManyRequests) {
      report_.Warning("fan_out", pattern_.place, subject_, message,
                      "Give the entity keys in an index with fewer partitions.");
    } else {
      report_.Info("fan_out", pattern_.place, subject_, message);
    }
    const AttributeModel* over = FindAttribute(*entity_, plan_.fan_out_attribute);
    const EnumModel* type = over != nullptr ? model_.FindEnum(over->type.enum_name) : nullptr;
    if (type != nullptr && type->open) {
      report_.Warning("fan_out_over_open_enum", pattern_.place, subject_,
                      type->name + " is open, and " + pattern_.name +
                          " does not find items with values that it does not list.",
                      "Close the enum, or list all of its values.");
    }
  }

  void CheckProjection() {
    const std::string missing = FirstMissing(*table_, *entity_, step().index);
    const bool whole = pattern_.hydrate || pattern_.kind == PatternModel::Kind::kCount;
    if (!missing.empty() && !whole) {
      report_.Warning("projection_lacks", pattern_.place, subject_,
                      step().index + " does not hold " + missing + " and perhaps others, so " +
                          pattern_.name + " returns parts of items.",
                      "Write `hydrate: true`, or let the index project it.");
    }
    if (missing.empty() && pattern_.hydrate && !pattern_.parents) {
      report_.Warning("needless_hydrate", pattern_.place, subject_,
                      pattern_.name + " reads whole items without hydrate.", "Remove `hydrate`.");
    }
    const std::string filtered = FilterMissing();
    if (!filtered.empty()) {
      report_.Warning(
          "filter_lacks", pattern_.place, subject_,
          "The filter needs " + filtered + ", which " + step().index + " does not hold.",
          "Let the index project it; otherwise the server fetches every item to filter it.");
    }
  }

  std::string FilterMissing() const {
    const IndexModel* index = table_->FindIndex(step().index);
    if (!pattern_.filter || index == nullptr) return "";
    if (index->projection.type == table::ProjectionType::kAll) return "";
    const std::vector<std::string>& held = index->projection.non_key_attributes;
    for (const std::string& path : pattern_.filter->paths()) {
      if (FindAttribute(*entity_, path) == nullptr) continue;
      const std::string stored = StoredPath(*entity_, path);
      const std::string top = stored.substr(0, stored.find('.'));
      if (std::ranges::find(held, top) == held.end() && !index->key.Has(top) &&
          !table_->key.Has(top)) {
        return path;
      }
    }
    return "";
  }

  // Reports items that match the pattern's parameters but are not in the index.
  void CheckMissed() {
    if (pattern_.kind == PatternModel::Kind::kCollection || step().index.empty()) return;
    const std::optional<KeyTexts> texts = KeyTextsOf(*table_, *entity_, step().index);
    if (!texts) return;
    if (texts->declared != nullptr && texts->declared->when) {
      CheckWhen(*texts->declared->when, texts->hash);
    }
    if (!texts->range) return;
    for (const std::string& name : texts->range->attributes()) {
      if (AlwaysPresent(model_, *entity_, name)) continue;
      const std::vector<std::string> in_hash = texts->hash.attributes();
      if (std::ranges::find(in_hash, name) != in_hash.end()) continue;
      report_.Warning("optional_in_sort_key", pattern_.place, subject_,
                      "Items without " + name + " are not in " + step().index + ", so " +
                          pattern_.name + " does not find them.",
                      "Make it required, or leave it out of the sort key.");
    }
  }

  // Reports an index that holds only some of the items. If the pattern writes out the value of the
  // partition, that value may already decide the rule.
  void CheckWhen(const Rule& when, const Template& hash) {
    std::vector<std::pair<std::string, item::Value>> known;
    for (const auto& [attribute, value] : Follow(step().hash, hash).written_out) {
      known.emplace_back(attribute, item::Value(value));
    }
    Rule::Scope scope;
    bool all_known = true;
    scope.find = [&](std::string_view path) -> const item::Value* {
      const auto found =
          std::ranges::find(known, path, &std::pair<std::string, item::Value>::first);
      all_known = all_known && found != known.end();
      return found != known.end() ? &found->second : nullptr;
    };
    scope.each = [&](std::string_view, const Rule::Visit&) -> Status {
      all_known = false;
      return {};
    };
    const Result<bool> holds = when.Test(scope);
    if (all_known && holds && *holds) return;
    if (all_known && holds) {
      report_.Error("left_out_of_index", pattern_.place, subject_,
                    pattern_.name + " never finds anything: items in \"" + step().hash.text() +
                        "\" are in " + step().index + " only when \"" + when.text() + "\".",
                    "Change the rule of the index, or what the pattern asks for.");
      return;
    }
    report_.Info("partial_index", pattern_.place, subject_,
                 pattern_.name + " finds only items for which \"" + when.text() +
                     "\", as only those are in " + step().index + ".");
  }

  void CheckConsistency() {
    const IndexModel* index = table_->FindIndex(step().index);
    if (!model_.workload || index == nullptr || index->kind == table::IndexKind::kLocal) return;
    for (const WorkloadModel::Rate& rate : model_.workload->rates) {
      if (!rate.consistent || (rate.what != pattern_.name && rate.what != pattern_.id)) continue;
      report_.Error("strong_read_on_index", rate.place, subject_,
                    "The workload reads " + pattern_.name + " consistently, but " + step().index +
                        " is a global index, which has eventually consistent reads only.",
                    "Remove `consistent`, or read the table itself.");
    }
  }

  // A Query returns items in key order. If members sort before the root, the root comes last.
  void CheckCollection() {
    if (pattern_.kind != PatternModel::Kind::kCollection) return;
    const CollectionModel* collection = model_.FindCollection(pattern_.collection);
    const std::optional<KeyTexts> root = KeyTextsOf(*table_, *entity_, "");
    if (collection == nullptr || !root || !root->range) return;
    for (const CollectionModel::Member& member : collection->members) {
      const EntityModel* other = model_.FindEntity(member.entity);
      if (other == nullptr || !member.many) continue;
      const std::optional<KeyTexts> texts = KeyTextsOf(*table_, *other, "");
      if (!texts || !texts->range || texts->range->Prefix() >= root->range->Prefix()) continue;
      report_.Info("root_after_members", pattern_.place, subject_,
                   "All " + member.name + " sort before " + entity_->name +
                       ", so the first page may lack it.",
                   "Read the root with a GetItem of its own.");
      return;
    }
  }

  const Model& model_;
  const PatternModel& pattern_;
  Report& report_;
  std::string subject_;
  ReadPlan plan_;
  const EntityModel* entity_;
  const TableModel* table_;
};

}  // namespace

void CheckPatterns(const Model& model, Report* report) {
  for (const PatternModel& pattern : model.patterns) PatternCheck(model, pattern, report).Run();
  for (const EntityModel& entity : model.entities) {
    const bool read = std::ranges::any_of(model.patterns, [&](const PatternModel& pattern) {
      if (pattern.entity == entity.name) return true;
      const CollectionModel* collection = model.FindCollection(pattern.collection);
      return collection != nullptr &&
             std::ranges::any_of(collection->members, [&](const CollectionModel::Member& member) {
               return member.entity == entity.name;
             });
    });
    if (read) continue;
    report->Info("entity_without_pattern", entity.place, SubjectOf(entity),
                 "No pattern reads " + entity.name + ".", "Add a pattern that reads it.");
  }
}

namespace {

// Whether some pattern about the entity reads the index; the table itself is always reachable.
bool IsReached(const Model& model, const EntityModel& entity, const std::string& index) {
  if (index.empty()) return true;
  return std::ranges::any_of(model.patterns, [&](const PatternModel& pattern) {
    const ReadPlan plan = PlanPattern(model, pattern);
    if (plan.steps.empty() || plan.steps.front().index != index) return false;
    return pattern.entity == entity.name || Contains(plan.steps.front().also_read, entity.name);
  });
}

}  // namespace

void CheckTenancy(const Model& model, Report* report) {
  if (!model.tenancy) return;
  const std::string& tenant = model.tenancy->attribute;
  for (const EntityModel& entity : model.entities) {
    const TableModel* table = model.FindTable(entity.table);
    if (table == nullptr) continue;
    if (FindAttribute(entity, tenant) == nullptr) {
      report->Error("tenant_missing", entity.place, SubjectOf(entity),
                    entity.name + " has no " + tenant +
                        ", so nothing tells which tenant its items belong to.",
                    "Add `" + tenant + ": string!` to its attributes.");
      continue;
    }
    std::vector<std::string> indexes = {""};
    for (const IndexModel& index : table->indexes) indexes.push_back(index.name);
    for (const std::string& index : indexes) {
      const std::optional<KeyTexts> texts = KeyTextsOf(*table, entity, index);
      if (!texts || Contains(texts->hash.attributes(), tenant)) continue;
      if (!IsReached(model, entity, index)) continue;
      const Place place =
          texts->declared != nullptr ? texts->declared->place : entity.primary().place;
      report->Warning("tenant_leak", place, SubjectOfKey(entity, index),
                      "The partition \"" + texts->hash.text() + "\" of " +
                          (index.empty() ? "the table" : index) + " has no " + tenant +
                          ", so it may hold items of several tenants and every read must be "
                          "checked.",
                      "Put {" + tenant + "} into the partition key.");
    }
  }
}

namespace {

// Reports each name once, where it first occurs.
class NameCheck {
 public:
  explicit NameCheck(Report* report) : report_(*report) {}

  void Look(const std::string& name, Place place, const std::string& subject) {
    if (name.empty() || !NeedsAlias(name)) return;
    const std::string id = expression::IsReservedWord(name) ? "reserved_word" : "needs_alias";
    if (report_.Accepts(subject, id) || !told_.insert(name).second) return;
    if (id == "reserved_word") {
      report_.Info(id, place, subject,
                   name +
                       " is a reserved word of DynamoDB; expressions that clients write must "
                       "name it by an alias.");
    } else {
      report_.Info(id, place, subject,
                   "Expressions that clients write can name " + name + " only by an alias.");
    }
  }

  // Checks the attribute and the attributes inside it, because paths name both in the same way.
  void Look(const AttributeModel& attribute, const std::string& subject) {
    Look(attribute.name, attribute.place, subject);
    const TypeModel* type = &attribute.type;
    while (type->element) type = type->element.get();
    for (const AttributeModel& inner : type->attributes) Look(inner, subject);
  }

 private:
  Report& report_;
  std::set<std::string> told_;
};

}  // namespace

void CheckNames(const Model& model, Report* report) {
  NameCheck check(report);
  for (const TableModel& table : model.tables) {
    const std::string subject = "tables." + table.id;
    const auto look = [&](const table::KeySchema& key, Place place) {
      for (const auto& attribute : key.hash) check.Look(attribute.name, place, subject);
      for (const auto& attribute : key.range) check.Look(attribute.name, place, subject);
    };
    look(table.key, table.place);
    for (const IndexModel& index : table.indexes) look(index.key, index.place);
    check.Look(table.type_attribute, table.place, subject);
    check.Look(table.ttl_attribute, table.place, subject);
  }
  for (const EntityModel& entity : model.entities) {
    check.Look(entity.envelope, entity.place, SubjectOf(entity));
    for (const AttributeModel& attribute : entity.attributes) {
      check.Look(attribute, SubjectOf(entity, attribute));
    }
  }
}

}  // namespace monotable::model
