#include "entities/write/ids.h"

#include <array>
#include <random>

#include <fmt/format.h>

#include "entities/problem.h"
#include "entities/record.h"
#include "entities/write/draft.h"
#include "expression/update.h"

namespace monotable::entities {
namespace {

// Seeded by the operating system; one for each thread.
std::array<uint64_t, 2> RandomBits() {
  thread_local std::random_device device;
  const auto word = [] { return (static_cast<uint64_t>(device()) << 32) | device(); };
  return {word(), word()};
}

// The counter of the entity's id has only the name of the entity. Others add their attribute, and
// the texts of their scope, each with its length, so that no two scopes have one name.
Result<std::string> CounterName(const Entity& entity, const model::IdModel& id,
                                const item::Map& attributes) {
  std::string name = "COUNTER#" + entity.name();
  const bool is_id = entity.model->id && entity.model->id->attribute == id.attribute;
  if (is_id && id.scope.empty()) return name;
  name += "#" + id.attribute;
  for (const model::Template& part : id.scope) {
    const auto find = [&](std::string_view path) { return FindPath(attributes, path); };
    TRY_ASSIGN(const auto text, part.Render(find, entity.application->key_rules()));
    if (!text) {
      const std::vector<std::string> names = part.attributes();
      const std::string missing = names.empty() ? "" : names.front();
      return InvalidFields(
          {{"/" + missing, "required", missing + " is needed to count; give it."}});
    }
    name += fmt::format("#{}:{}", text->size(), *text);
  }
  return name;
}

}  // namespace

Result<std::string> FormatId(const Entity& entity, const std::string& format,
                             const item::Map& attributes, const std::string& text) {
  const auto parsed = model::Template::Parse(format.empty() ? "{n}" : format);
  if (!parsed) return text;
  std::string id;
  for (const model::TemplatePart& part : parsed->parts()) {
    if (part.is_literal()) {
      id += part.literal;
    } else if (part.attribute == "n") {
      const size_t width = part.format.starts_with('0') ? std::stoul(part.format) : 0;
      if (text.size() < width) id.append(width - text.size(), '0');
      id += text;
    } else {
      const item::Value* value = FindPath(attributes, part.attribute);
      if (value == nullptr) {
        return InvalidFields({{"/" + part.attribute, "required",
                               part.attribute + " is needed to make another value; give it."}});
      }
      TRY_ASSIGN(const std::string spelled,
                 model::Template::PartText(part, *value, entity.application->key_rules()));
      id += spelled;
    }
  }
  return id;
}

std::string NewUlid(int64_t now_ms) {
  constexpr std::string_view kDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  std::string text(26, '0');
  auto time = static_cast<uint64_t>(now_ms);
  for (size_t i = 10; i-- > 0; time >>= 5) text[i] = kDigits[time & 31];
  std::array<uint64_t, 2> random = RandomBits();
  for (size_t i = 10; i < 26; ++i) {
    uint64_t& word = random[i < 18 ? 0 : 1];
    text[i] = kDigits[word & 31];
    word >>= 5;
  }
  return text;
}

std::string NewUuid() {
  const auto [high, low] = RandomBits();
  const uint64_t first = (high & ~0xF000ULL) | 0x4000ULL;                // version 4
  const uint64_t second = (low & 0x3FFFFFFFFFFFFFFFULL) | (2ULL << 62);  // variant 1
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", first >> 32, (first >> 16) & 0xFFFF,
                     first & 0xFFFF, second >> 48, second & 0xFFFFFFFFFFFFULL);
}

Result<engine::WriteRequest> CountRequest(engine::Engine& engine, const Counter& counter) {
  const Entity& entity = *counter.entity;
  engine::ItemWrite write;
  TRY_ASSIGN(write.table, engine.FindTable(entity.table_name));
  write.table_name = entity.table_name;
  write.action = engine::WriteAction::kUpdate;
  write.key = InternalKey(entity, counter.name);
  write.substitutions = expression::Substitutions(
      std::nullopt,
      expression::Substitutions::Values{{":one", item::Value(item::Number::FromInt(1))}});
  TRY_ASSIGN(write.update, expression::ParseUpdate("ADD n :one", write.substitutions));
  write.keep_new = true;
  engine::WriteRequest request;
  request.items.push_back(std::move(write));
  return request;
}

Result<int64_t> CountedNumber(const encoding::EncodedItem& counter) {
  TRY_ASSIGN(const item::Item item, encoding::DecodeItem(counter.bytes));
  const item::Value* number = item.Find("n");
  int64_t value = 0;
  if (number == nullptr || !number->is(item::Type::kNumber) || !number->number().ToInt64(&value)) {
    return Error::Internal("The counter of an entity's ids is damaged.");
  }
  return value;
}

Result<item::Value> Ids::Next(const Entity& entity, const model::IdModel& id,
                              const item::Map& attributes, int64_t now_ms) {
  std::string text;
  if (id.generate == model::IdModel::Generate::kUlid) {
    text = NewUlid(now_ms);
  } else if (id.generate == model::IdModel::Generate::kUuid) {
    text = NewUuid();
  } else {
    TRY_ASSIGN(std::string name, CounterName(entity, id, attributes));
    size_t& used = used_[name];
    const std::vector<int64_t>& numbers = numbers_[name];
    if (used >= numbers.size()) {
      missing_ = Counter{&entity, std::move(name)};
      return Error(ErrorCode::kTransactionConflict, "An id has to be counted first.");
    }
    const int64_t number = numbers[used++];
    const model::AttributeModel* attribute = entity.model->Find(id.attribute);
    if (attribute != nullptr && attribute->type.kind == model::TypeKind::kInteger) {
      return item::Value(item::Number::FromInt(number));
    }
    text = std::to_string(number);
  }
  TRY_ASSIGN(std::string formatted, FormatId(entity, id.format, attributes, text));
  return item::Value(std::move(formatted));
}

}  // namespace monotable::entities
