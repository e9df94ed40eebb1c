#include <algorithm>
#include <charconv>

#include "entities/codec/entity_printer.h"
#include "entities/codec/instant_text.h"
#include "entities/record.h"
#include "json/json_writer.h"

// Items as clients see them, printed from their bytes.
namespace monotable::entities {
namespace {

using encoding::MapView;
using encoding::ValueView;
using item::Type;
using Form = ValuePlan::Form;

// What a client wants to see: paths with dots, from here on. Null is everything.
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

  // A value that was read out of a key, unless its text spells none.
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

  // 14/11/2025 10:30:00, turned round in place of being taken apart.
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
    int64_t count = 0;
    const std::string_view text = value.scalar();
    if (value.type() != Type::kNumber) return false;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size()) return false;
    const bool is_millis = form == Form::kEpochMillis;
    const auto instant = model::ReadInstant(
        item::Value(item::Number::FromInt(count)),
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

  // As the most natural JSON of what is stored.
  void PrintPlain(const ValueView& value, const Selection* selection) {
    static const ValuePlan all = [] {
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
        PrintMembers(all, value.map(), selection);
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

}  // namespace monotable::entities
