#include "model/plan/keys.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "model/instant.h"

namespace monotable::model {
namespace {

KeyNames NamesOf(const table::KeySchema& schema) {
  KeyNames names;
  if (!schema.hash.empty()) names.hash = schema.hash.front().name;
  if (!schema.range.empty()) names.range = schema.range.front().name;
  return names;
}

// The template of one key attribute: declared for the index, or part of the table's own key, or
// an attribute of the entity as it is.
std::optional<Template> TextOf(const EntityModel& entity, const KeyModel* declared,
                               std::string_view attribute) {
  if (declared != nullptr) {
    if (const KeyModel::Part* part = declared->Find(attribute)) return part->text;
  }
  if (const KeyModel::Part* part = entity.primary().Find(attribute)) return part->text;
  if (FindAttribute(entity, attribute) == nullptr) return std::nullopt;
  Result<Template> whole = Template::Parse("{" + std::string(attribute) + "}");
  if (!whole) return std::nullopt;
  return *std::move(whole);
}

std::string_view FirstStep(std::string_view path) {
  return path.substr(0, path.find('.'));
}

}  // namespace

std::optional<KeyNames> KeyNamesOf(const TableModel& table, std::string_view index) {
  if (index.empty()) return NamesOf(table.key);
  const IndexModel* found = table.FindIndex(index);
  if (found == nullptr) return std::nullopt;
  KeyNames names = NamesOf(found->key);
  // A local index has the table's hash attribute, whether or not its key repeats it.
  if (found->kind == table::IndexKind::kLocal) names.hash = NamesOf(table.key).hash;
  return names;
}

std::optional<KeyTexts> KeyTextsOf(const TableModel& table, const EntityModel& entity,
                                   std::string_view index) {
  const std::optional<KeyNames> names = KeyNamesOf(table, index);
  if (!names || entity.keys.empty()) return std::nullopt;
  KeyTexts texts;
  if (!index.empty()) texts.declared = entity.FindKeys(index);
  std::optional<Template> hash = TextOf(entity, texts.declared, names->hash);
  if (!hash) return std::nullopt;
  texts.hash = *std::move(hash);
  if (names->range.empty()) return texts;
  texts.range = TextOf(entity, texts.declared, names->range);
  if (!texts.range) return std::nullopt;
  return texts;
}

const AttributeModel* FindAttribute(const EntityModel& entity, std::string_view path) {
  const std::vector<AttributeModel>* level = &entity.attributes;
  while (true) {
    const std::string_view step = FirstStep(path);
    const auto found = std::ranges::find(*level, step, &AttributeModel::name);
    if (found == level->end()) return nullptr;
    if (step.size() == path.size()) return &*found;
    path.remove_prefix(step.size() + 1);
    level = &found->type.attributes;
  }
}

bool AlwaysPresent(const Model& model, const EntityModel& entity, std::string_view path) {
  if (Contains(entity.from_key, path)) return true;
  if (model.tenancy && model.tenancy->attribute == path) return true;  // from the caller's claim
  if (entity.id && entity.id->attribute == path &&
      entity.id->generate != IdModel::Generate::kNone) {
    return true;
  }
  const AttributeModel* attribute = FindAttribute(entity, path);
  if (attribute == nullptr) return false;
  if (attribute->type.kind == TypeKind::kEnum) {
    const EnumModel* type = model.FindEnum(attribute->type.enum_name);
    if (type != nullptr && !type->initial.empty()) return true;
  }
  return attribute->required || attribute->set != SetBy::kClient || attribute->default_value ||
         attribute->derive;
}

std::string StoredPath(const EntityModel& entity, std::string_view path) {
  if (entity.envelope.empty() || Contains(entity.outside_envelope, FirstStep(path))) {
    return std::string(path);
  }
  return entity.envelope + "." + std::string(path);
}

std::string FirstMissing(const TableModel& table, const EntityModel& entity,
                         std::string_view index) {
  const IndexModel* found = index.empty() ? nullptr : table.FindIndex(index);
  if (found == nullptr || found->projection.type == table::ProjectionType::kAll) return "";
  for (const AttributeModel& attribute : entity.attributes) {
    if (Contains(entity.from_key, attribute.name)) continue;
    const std::string stored(FirstStep(StoredPath(entity, attribute.name)));
    const bool held = table.key.Has(stored) || found->key.Has(stored) ||
                      Contains(found->projection.non_key_attributes, stored);
    if (!held) return attribute.name;
  }
  return "";
}

namespace {

// Follows one text through one key and remembers its position in the key.
class Follower {
 public:
  explicit Follower(const std::vector<TemplatePart>& key) : key_(key) {}

  void Attribute(const TemplatePart& part) {
    if (at_end()) return Fail("has " + PartText(part) + " after the end of the key");
    if (reach_.offset != 0 || here().is_literal()) {
      return Fail("has " + PartText(part) + " where the key has \"" +
                  here().literal.substr(reach_.offset) + "\"");
    }
    if (part != here()) {
      return Fail("has " + PartText(part) + " where the key has " + PartText(here()));
    }
    Next();
  }

  // If `last` is true, nothing follows the literal in the text.
  void Literal(std::string_view rest, bool last) {
    while (!rest.empty() && reach_.matches()) {
      if (at_end()) return Fail("has \"" + std::string(rest) + "\" after the end of the key");
      if (here().is_literal()) {
        rest = SameText(rest);
      } else {
        rest = ValueWrittenOut(rest, last);
      }
    }
  }

  bool failed() const { return !reach_.matches(); }
  Reach Take() { return std::move(reach_); }

 private:
  bool at_end() const { return reach_.part == key_.size(); }
  const TemplatePart& here() const { return key_[reach_.part]; }
  void Fail(std::string mismatch) { reach_.mismatch = std::move(mismatch); }
  void Next() {
    ++reach_.part;
    reach_.offset = 0;
  }

  std::string_view SameText(std::string_view rest) {
    const std::string_view wanted = std::string_view(here().literal).substr(reach_.offset);
    const size_t length = std::min(wanted.size(), rest.size());
    if (wanted.substr(0, length) != rest.substr(0, length)) {
      Fail("has \"" + std::string(rest) + "\" where the key has \"" + std::string(wanted) + "\"");
      return {};
    }
    reach_.offset += length;
    if (reach_.offset == here().literal.size()) Next();
    return rest.substr(length);
  }

  std::string_view ValueWrittenOut(std::string_view rest, bool last) {
    const bool more = reach_.part + 1 < key_.size();
    const std::string_view stop = more ? std::string_view(key_[reach_.part + 1].literal) : "";
    const size_t end = stop.empty() ? std::string_view::npos : rest.find(stop);
    if (end == 0 || (end == std::string_view::npos && !last)) {
      Fail("does not tell where " + PartText(here()) + " ends");
      return {};
    }
    reach_.written_out.emplace_back(here().attribute, rest.substr(0, end));
    if (end == std::string_view::npos && more) {
      reach_.inside_value = true;
      return {};
    }
    Next();
    return end == std::string_view::npos ? std::string_view() : rest.substr(end);
  }

  const std::vector<TemplatePart>& key_;
  Reach reach_;
};

}  // namespace

Reach Follow(const Template& text, const Template& key) {
  Follower follower(key.parts());
  const std::vector<TemplatePart>& parts = text.parts();
  for (size_t i = 0; i < parts.size() && !follower.failed(); ++i) {
    if (parts[i].is_literal()) {
      follower.Literal(parts[i].literal, i + 1 == parts.size());
    } else {
      follower.Attribute(parts[i]);
    }
  }
  return follower.Take();
}

bool HasFilter(const TemplatePart& part, TemplatePart::Filter filter) {
  return std::ranges::find(part.filters, filter) != part.filters.end();
}

size_t PaddedWidth(const TemplatePart& part) {
  const std::string_view format = part.format;
  if (format.size() < 2 || format.size() > 3 || format.front() != '0') return 0;
  size_t width = 0;
  for (const char digit : format) {
    if (digit < '0' || digit > '9') return 0;
    width = width * 10 + static_cast<size_t>(digit - '0');
  }
  return width;
}

namespace {

std::bitset<256> BytesOf(std::string_view characters) {
  std::bitset<256> bytes;
  for (const char character : characters) bytes.set(static_cast<unsigned char>(character));
  return bytes;
}

const std::bitset<256> kDigitBytes = BytesOf("0123456789");
const std::bitset<256> kNumberBytes = BytesOf("0123456789-.");
const std::bitset<256> kInstantBytes = BytesOf("0123456789-:./ TZ");
const std::bitset<256> kLowerBytes = BytesOf("abcdefghijklmnopqrstuvwxyz");
const std::bitset<256> kUpperBytes = BytesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZ");

// The characters of a regular expression that is a single class, such as [^@#]+ or [a-z0-9-]*. Any
// other expression allows all characters.
std::bitset<256> CharactersOf(std::string_view expression) {
  const std::bitset<256> all = ~std::bitset<256>();
  if (expression.starts_with('^')) expression.remove_prefix(1);
  if (expression.ends_with('$')) expression.remove_suffix(1);
  const size_t close = expression.find(']');
  if (!expression.starts_with('[') || close == std::string_view::npos) return all;
  const std::string_view repeated = expression.substr(close + 1);
  if (repeated != "+" && repeated != "*" &&
      !(repeated.starts_with('{') && repeated.find('}') + 1 == repeated.size())) {
    return all;
  }
  std::string_view members = expression.substr(1, close - 1);
  const bool others = members.starts_with('^');
  if (others) members.remove_prefix(1);
  std::bitset<256> bytes;
  for (size_t i = 0; i < members.size(); ++i) {
    const auto from = static_cast<unsigned char>(members[i]);
    if (from == '\\' || from == '[' || from >= 0x80) return all;
    unsigned char to = from;
    if (i + 2 < members.size() && members[i + 1] == '-') {
      to = static_cast<unsigned char>(members[i + 2]);
      i += 2;
    }
    for (unsigned byte = from; byte <= to; ++byte) bytes.set(byte);
  }
  return others ? ~bytes : bytes;
}

}  // namespace

TextShape TextShape::Of(const Model& model, const EntityModel& entity, const Template& text) {
  TextShape shape;
  for (const TemplatePart& part : text.parts()) {
    if (part.is_literal()) {
      shape.Literal(part.literal);
    } else {
      shape.Attribute(model, entity, part);
    }
  }
  return shape;
}

TextShape TextShape::AndMore() const {
  TextShape shape = *this;
  shape.Any(Bytes().set());
  return shape;
}

void TextShape::Literal(std::string_view text) {
  for (const char character : text) One(BytesOf({&character, 1}));
}

void TextShape::Attribute(const Model& model, const EntityModel& entity, const TemplatePart& part) {
  const AttributeModel* attribute = FindAttribute(entity, part.attribute);
  const TypeModel* type = attribute != nullptr ? &attribute->type : nullptr;
  const TypeKind kind = type != nullptr ? type->kind : TypeKind::kString;
  if (HasFilter(part, TemplatePart::Filter::kShard)) {
    One(kDigitBytes);
    return Any(kDigitBytes);
  }
  if (const size_t width = PaddedWidth(part); width > 0) {
    for (size_t i = 0; i < width; ++i) One(kDigitBytes);
    return;
  }
  if (IsSpelling(part.format)) {
    for (const char character : SpellingShape(part.format)) {
      One(character == '0' ? kDigitBytes : BytesOf({&character, 1}));
    }
    return;
  }
  if (kind == TypeKind::kInstant || kind == TypeKind::kDate) {
    One(kDigitBytes);
    return Any(kInstantBytes);
  }
  if (kind == TypeKind::kInteger || kind == TypeKind::kDecimal) {
    One(kNumberBytes);
    return Any(kNumberBytes);
  }
  if (kind == TypeKind::kEnum && part.filters.empty()) {
    const EnumModel* values = model.FindEnum(type->enum_name);
    if (values != nullptr && !values->open) return Enumeration(*values);
  }
  Text(type, part, model.forbidden_in_keys);
}

void TextShape::Enumeration(const EnumModel& type) {
  Bytes first;
  Bytes other;
  for (const EnumModel::Value& value : type.values) {
    if (value.text.empty()) continue;
    first |= BytesOf(std::string_view(value.text).substr(0, 1));
    other |= BytesOf(std::string_view(value.text).substr(1));
  }
  One(first);
  Any(other);
}

void TextShape::Text(const TypeModel* type, const TemplatePart& part, std::string_view forbidden) {
  Bytes bytes = ~BytesOf(forbidden);
  if (HasFilter(part, TemplatePart::Filter::kLower)) bytes &= ~kUpperBytes;
  if (HasFilter(part, TemplatePart::Filter::kUpper)) bytes &= ~kLowerBytes;
  if (HasFilter(part, TemplatePart::Filter::kEscape)) bytes &= ~BytesOf("#");
  if (HasFilter(part, TemplatePart::Filter::kDigits)) bytes = kDigitBytes;
  const std::string_view format = type != nullptr ? std::string_view(type->format) : "";
  if (type != nullptr && part.filters.empty()) bytes &= CharactersOf(type->pattern);
  if (format == "uuid") bytes &= kDigitBytes | BytesOf("abcdefABCDEF-");
  if (format == "ulid") bytes &= kDigitBytes | kUpperBytes | kLowerBytes;
  One(bytes);
  Any(bytes);
  if (format == "email" && !HasFilter(part, TemplatePart::Filter::kDigits)) {
    One(BytesOf("@"));
    One(bytes);
    Any(bytes);
  }
}

bool TextShape::Meets(const TextShape& other) const {
  // Walks both shapes at once over all texts that they could share. Each pair of positions is
  // visited once.
  const size_t width = other.elements_.size() + 1;
  std::vector<bool> visited((elements_.size() + 1) * width);
  std::vector<std::pair<size_t, size_t>> open;
  const auto visit = [&](size_t here, size_t there) {
    if (visited[here * width + there]) return;
    visited[here * width + there] = true;
    open.emplace_back(here, there);
  };
  visit(0, 0);
  while (!open.empty()) {
    const auto [here, there] = open.back();
    open.pop_back();
    const bool here_ends = here == elements_.size();
    const bool there_ends = there == other.elements_.size();
    if (here_ends && there_ends) return true;
    if (!here_ends && elements_[here].repeated) visit(here + 1, there);
    if (!there_ends && other.elements_[there].repeated) visit(here, there + 1);
    if (here_ends || there_ends) continue;
    if ((elements_[here].bytes & other.elements_[there].bytes).none()) continue;
    visit(elements_[here].repeated ? here : here + 1,
          other.elements_[there].repeated ? there : there + 1);
  }
  return false;
}

}  // namespace monotable::model
