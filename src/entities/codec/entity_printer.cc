#include "entities/codec/entity_printer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <xxhash.h>

#include "entities/codec/codec.h"
#include "entities/codec/instant_text.h"
#include "entities/record.h"
#include "json/json_writer.h"
#include "text/words.h"

namespace monotable::entities {
namespace {

using encoding::MapView;
using encoding::ValueView;
using item::Type;
using Form = ValuePlan::Form;

// The attributes that a client wants to see: paths with dots, from here on. Null is everything.
using Selection = std::vector<std::string_view>;

// Whether a member of that name was asked for; if only parts of it were, they are in the rest.
bool IsSelected(const Selection& selection, std::string_view name, Selection* rest) {
  rest->clear();
  bool is_selected = false;
  for (const std::string_view path : selection) {
    if (!path.starts_with(name)) continue;
    if (path.size() == name.size()) {
      rest->clear();
      return true;
    }
    if (path[name.size()] != '.') continue;
    is_selected = true;
    rest->push_back(path.substr(name.size() + 1));
  }
  return is_selected;
}

class ItemPrinter {
 public:
  ItemPrinter(bool numbers_as_strings, size_t expected, std::string* out)
      : numbers_as_strings_(numbers_as_strings), out_(out, expected) {}

  void Print(char character) { out_.Print(character); }

  // The members of an object without its braces; the plan may say that they are others' members.
  void PrintMembers(const ValuePlan& plan, MapView map, const Selection* selection) {
    std::string_view name;
    ValueView value(Type::kNull, {});
    auto planned = plan.members.begin();
    while (map.Next(&name, &value)) {
      // Both are sorted, so the plan of a member is found by going along.
      while (planned != plan.members.end() && planned->name < name) ++planned;
      if (planned != plan.members.end() && planned->name == name) {
        PrintMember(*planned, value, selection);
      } else if (plan.shows_unknown) {
        PrintUnknown(name, value, selection);
      }
    }
  }

  // Begins a member, after a comma if it is not the first.
  void Open(std::string_view opening) {
    if (out_.last() == '{') opening.remove_prefix(1);
    out_.Print(opening);
  }

  // Prints a value that was read out of a key, if the text of the key spells one.
  void PrintKeyText(std::string_view opening, const model::TypeModel& type, std::string_view text) {
    if (type.kind == model::TypeKind::kString || type.kind == model::TypeKind::kEnum) {
      Open(opening);
      out_.PrintString(text);
      return;
    }
    const auto value = ValueOfKeyText(type, text);
    if (!value) return;
    Open(opening);
    if (type.kind == model::TypeKind::kInstant) {
      const bool has_millis = type.milliseconds || type.stored == model::InstantForm::kEpochMillis;
      out_.PrintString(ClientText(*model::ReadInstant(*value, type.stored), has_millis));
    } else if (value->is(Type::kNumber)) {
      PrintNumber(value->number().ToString());
    } else if (value->is(Type::kBool)) {
      PrintBool(value->boolean());
    } else {
      out_.PrintString(value->string());
    }
  }

 private:
  void PrintMember(const ValuePlan::Member& member, const ValueView& value,
                   const Selection* selection) {
    if (member.value.form == Form::kSkip) return;
    if (member.value.form == Form::kEnvelope) {
      if (value.type() == Type::kMap) PrintMembers(member.value, value.map(), selection);
      return;
    }
    Selection rest;
    if (selection != nullptr && !IsSelected(*selection, member.name, &rest)) return;
    Open(member.opening);
    PrintValue(member.value, value, rest.empty() ? nullptr : &rest);
  }

  void PrintUnknown(std::string_view name, const ValueView& value, const Selection* selection) {
    Selection rest;
    if (selection != nullptr && !IsSelected(*selection, name, &rest)) return;
    if (out_.last() != '{') out_.Print(',');
    out_.PrintString(name);
    out_.Print(':');
    PrintPlain(value, rest.empty() ? nullptr : &rest);
  }

  void PrintValue(const ValuePlan& plan, const ValueView& value, const Selection* selection) {
    switch (plan.form) {
      case Form::kBrazilian:
        if (PrintBrazilian(value)) return;
        break;
      case Form::kEpoch:
      case Form::kEpochMillis:
        if (PrintEpoch(value, plan.form)) return;
        break;
      case Form::kObject:
        if (value.type() != Type::kMap) break;
        out_.Print('{');
        PrintMembers(plan, value.map(), selection);
        out_.Print('}');
        return;
      case Form::kElements:
        if (PrintElements(*plan.element, value, selection)) return;
        break;
      default:
        break;
    }
    PrintPlain(value, selection);
  }

  // The members of a list, set or map, each by the same plan.
  bool PrintElements(const ValuePlan& plan, const ValueView& value, const Selection* selection) {
    if (value.type() == Type::kMap) {
      std::string_view name;
      ValueView element(Type::kNull, {});
      out_.Print('{');
      for (MapView map = value.map(); map.Next(&name, &element);) {
        Selection rest;
        if (selection != nullptr && !IsSelected(*selection, name, &rest)) continue;
        if (out_.last() != '{') out_.Print(',');
        out_.PrintString(name);
        out_.Print(':');
        PrintValue(plan, element, rest.empty() ? nullptr : &rest);
      }
      out_.Print('}');
      return true;
    }
    if (value.type() == Type::kList) {
      ValueView element(Type::kNull, {});
      out_.Print('[');
      bool first = true;
      for (auto list = value.list(); list.Next(&element); first = false) {
        if (!first) out_.Print(',');
        PrintValue(plan, element, selection);
      }
      out_.Print(']');
      return true;
    }
    if (value.type() != Type::kStringSet && value.type() != Type::kNumberSet) return false;
    const Type member_type = value.type() == Type::kStringSet ? Type::kString : Type::kNumber;
    std::string_view member;
    out_.Print('[');
    bool first = true;
    for (auto set = value.set(); set.Next(&member); first = false) {
      if (!first) out_.Print(',');
      PrintValue(plan, ValueView(member_type, member), nullptr);
    }
    out_.Print(']');
    return true;
  }

  // Prints 14/11/2025 10:30:00 as ISO 8601, by putting its parts in another order.
  bool PrintBrazilian(const ValueView& value) {
    const std::string_view text = value.scalar();
    if (value.type() != Type::kString || !model::ParseBrazilian(text)) return false;
    out_.Print('"');
    out_.Print(text.substr(6, 4));
    out_.Print('-');
    out_.Print(text.substr(3, 2));
    out_.Print('-');
    out_.Print(text.substr(0, 2));
    out_.Print('T');
    out_.Print(text.substr(11));
    out_.Print("Z\"");
    return true;
  }

  bool PrintEpoch(const ValueView& value, Form form) {
    if (value.type() != Type::kNumber) return false;
    const auto count = text::ParseNumber<int64_t>(value.scalar());
    if (!count) return false;
    const bool is_millis = form == Form::kEpochMillis;
    const auto instant = model::ReadInstant(
        item::Value(item::Number::FromInt(*count)),
        is_millis ? model::InstantForm::kEpochMillis : model::InstantForm::kEpoch);
    if (!instant) return false;
    out_.PrintString(ClientText(*instant, is_millis));
    return true;
  }

  void PrintNumber(std::string_view text) {
    if (numbers_as_strings_) out_.Print('"');
    out_.Print(text);
    if (numbers_as_strings_) out_.Print('"');
  }

  void PrintBool(bool flag) {
    out_.Print(flag ? std::string_view("true") : std::string_view("false"));
  }

  void PrintBinary(std::string_view bytes) {
    out_.Print('"');
    out_.PrintBase64(bytes);
    out_.Print('"');
  }

  void PrintScalar(Type type, std::string_view text) {
    switch (type) {
      case Type::kNumber:
      case Type::kNumberSet:
        return PrintNumber(text);
      case Type::kBinary:
      case Type::kBinarySet:
        return PrintBinary(text);
      default:
        return out_.PrintString(text);
    }
  }

  // Prints the most natural JSON of a stored value.
  void PrintPlain(const ValueView& value, const Selection* selection) {
    static const ValuePlan kAll = [] {
      ValuePlan plan;
      plan.shows_unknown = true;
      return plan;
    }();
    switch (value.type()) {
      case Type::kBool:
        return PrintBool(value.boolean());
      case Type::kNull:
        return out_.Print("null");
      case Type::kMap:
        out_.Print('{');
        PrintMembers(kAll, value.map(), selection);
        return out_.Print('}');
      case Type::kList: {
        ValueView element(Type::kNull, {});
        out_.Print('[');
        bool first = true;
        for (auto list = value.list(); list.Next(&element); first = false) {
          if (!first) out_.Print(',');
          PrintPlain(element, selection);
        }
        return out_.Print(']');
      }
      case Type::kStringSet:
      case Type::kNumberSet:
      case Type::kBinarySet: {
        std::string_view member;
        out_.Print('[');
        bool first = true;
        for (auto set = value.set(); set.Next(&member); first = false) {
          if (!first) out_.Print(',');
          PrintScalar(value.type(), member);
        }
        return out_.Print(']');
      }
      default:
        return PrintScalar(value.type(), value.scalar());
    }
  }

  bool numbers_as_strings_;
  json::Printer out_;
};

// Whether the item holds an attribute that is otherwise read out of its key.
bool Holds(encoding::ItemView item, const std::string& envelope, std::string_view name) {
  if (envelope.empty()) return item.Find(name).has_value();
  const auto enveloped = item.Find(envelope);
  if (!enveloped || enveloped->type() != Type::kMap) return false;
  std::string_view found;
  ValueView value(Type::kNull, {});
  for (MapView map = enveloped->map(); map.Next(&found, &value);) {
    if (found == name) return true;
  }
  return false;
}

}  // namespace

void EntityPrinter::Append(encoding::ItemView item, const Presentation& presentation, bool open,
                           std::string* out) const {
  const Selection selection(presentation.fields.begin(), presentation.fields.end());
  const Selection* selected = selection.empty() ? nullptr : &selection;
  // Less is shown than is stored, but for quotes, colons and commas.
  ItemPrinter printer(presentation.numbers_as_strings, item.record().size() + 64, out);
  printer.Print('{');
  for (const Key& key : keys_) {
    const auto text = item.Find(key.attribute);
    if (!text || text->type() != Type::kString) continue;
    const auto bindings = key.text->Match(text->scalar(), rules_);
    if (!bindings) continue;
    for (const FromKey& from_key : key.attributes) {
      const model::AttributeModel& attribute = *from_key.attribute;
      Selection rest;
      if (selected != nullptr && !IsSelected(*selected, attribute.name, &rest)) continue;
      const auto binding = std::find_if(bindings->begin(), bindings->end(), [&](const auto& one) {
        return one.attribute == attribute.name;
      });
      if (binding == bindings->end() || Holds(item, envelope_, attribute.name)) continue;
      printer.PrintKeyText(from_key.opening, attribute.type, binding->text);
    }
  }
  printer.PrintMembers(item_, item.attributes(), selected);
  if (!open) printer.Print('}');
}

void AppendJson(const Entity& entity, encoding::ItemView item, const Presentation& presentation,
                std::string* out, bool open) {
  entity.printer->Append(item, presentation, open, out);
}

// The plan of what is shown of an entity's items, and how.

namespace {

using model::AttributeModel;
using model::TypeKind;
using model::TypeModel;

std::string Opening(std::string_view name) {
  std::string opening = ",";
  json::AppendString(name, &opening);
  opening.push_back(':');
  return opening;
}

ValuePlan::Member MemberOf(std::string_view name, ValuePlan plan) {
  return {std::string(name), Opening(name), std::move(plan)};
}

void Sort(std::vector<ValuePlan::Member>* members) {
  std::sort(members->begin(), members->end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
}

ValuePlan Skipped() {
  ValuePlan plan;
  plan.form = Form::kSkip;
  return plan;
}

Form FormOf(model::InstantForm stored) {
  switch (stored) {
    case model::InstantForm::kIso:
      return Form::kPlain;
    case model::InstantForm::kBrazilian:
      return Form::kBrazilian;
    case model::InstantForm::kEpoch:
      return Form::kEpoch;
    case model::InstantForm::kEpochMillis:
      return Form::kEpochMillis;
  }
  return Form::kPlain;
}

ValuePlan PlanOf(const AttributeModel& attribute);

// Most types need nothing, and then neither do their members.
ValuePlan PlanOf(const TypeModel& type) {
  ValuePlan plan;
  if (type.kind == TypeKind::kInstant) {
    plan.form = FormOf(type.stored);
  } else if (type.element) {
    ValuePlan element = PlanOf(*type.element);
    if (element.form == Form::kPlain) return plan;
    plan.form = Form::kElements;
    plan.element = std::make_shared<ValuePlan>(std::move(element));
  } else if (type.kind == TypeKind::kObject) {
    bool is_plain = true;
    for (const AttributeModel& attribute : type.attributes) {
      plan.members.push_back(MemberOf(attribute.name, PlanOf(attribute)));
      is_plain = is_plain && plan.members.back().value.form == Form::kPlain;
    }
    if (is_plain) return {};
    plan.form = Form::kObject;
    plan.shows_unknown = true;
    Sort(&plan.members);
  }
  return plan;
}

ValuePlan PlanOf(const AttributeModel& attribute) {
  return attribute.hidden ? Skipped() : PlanOf(attribute.type);
}

}  // namespace

EntityPrinter::EntityPrinter(const Entity& entity)
    : rules_(entity.application->key_rules()), envelope_(entity.model->envelope) {
  const bool keeps = entity.model->unknown_attributes == model::UnknownAttributes::kKeep;
  ValuePlan enveloped;
  enveloped.form = Form::kEnvelope;
  enveloped.shows_unknown = keeps;
  item_.form = Form::kObject;
  item_.shows_unknown = keeps && envelope_.empty();
  for (const AttributeModel& attribute : entity.model->attributes) {
    ValuePlan& place = entity.InEnvelope(attribute.name) ? enveloped : item_;
    place.members.push_back(MemberOf(attribute.name, PlanOf(attribute)));
  }
  for (const std::string& name : entity.plumbing)
    item_.members.push_back(MemberOf(name, Skipped()));
  if (!envelope_.empty()) {
    Sort(&enveloped.members);
    item_.members.push_back(MemberOf(envelope_, std::move(enveloped)));
  }
  Sort(&item_.members);
  for (const model::KeyModel::Part& part : entity.model->primary().parts) {
    Key key{part.attribute, &part.text, {}};
    for (const std::string& name : part.text.attributes()) {
      const bool is_taken = std::any_of(keys_.begin(), keys_.end(), [&name](const Key& other) {
        return std::any_of(other.attributes.begin(), other.attributes.end(),
                           [&name](const auto& one) { return one.attribute->name == name; });
      });
      const AttributeModel* attribute = entity.model->Find(name);
      if (is_taken || attribute == nullptr || attribute->hidden || !entity.IsFromKey(name))
        continue;
      key.attributes.push_back({attribute, Opening(name)});
    }
    if (!key.attributes.empty()) keys_.push_back(std::move(key));
  }
}

std::string EntityTag(const Entity& entity, encoding::ItemView item) {
  const std::string& attribute = entity.table->version_attribute;
  if (attribute.empty()) {
    // Equal items have equal bytes, so the hash changes exactly when the item does.
    const std::string_view record = item.record();
    return fmt::format("\"h{:016x}\"", XXH3_64bits(record.data(), record.size()));
  }
  const auto version = item.Find(attribute);
  const bool is_counted = version && version->type() == item::Type::kNumber;
  return fmt::format("\"v{}\"", is_counted ? version->scalar() : "0");
}

}  // namespace monotable::entities
