#include "entities/write/ids.h"

#include <array>
#include <random>

#include <fmt/format.h>

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

}  // namespace

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

std::string FormatId(const std::string& format, const std::string& text) {
  if (format.empty()) return text;
  const auto parsed = model::Template::Parse(format);
  if (!parsed) return text;
  std::string id;
  for (const model::TemplatePart& part : parsed->parts()) {
    if (part.is_literal()) {
      id += part.literal;
      continue;
    }
    const size_t width = part.format.starts_with('0') ? std::stoul(part.format) : 0;
    if (text.size() < width) id.append(width - text.size(), '0');
    id += text;
  }
  return id;
}

Result<engine::WriteRequest> CountRequest(engine::Engine& engine, const Entity& entity) {
  engine::ItemWrite write;
  TRY_ASSIGN(write.table, engine.FindTable(entity.table_name));
  write.table_name = entity.table_name;
  write.action = engine::WriteAction::kUpdate;
  write.key = InternalKey(entity, "COUNTER#" + entity.name());
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

Result<item::Value> Ids::Next(const Entity& entity, int64_t now_ms) {
  const model::IdModel& id = *entity.model->id;
  switch (id.generate) {
    case model::IdModel::Generate::kUlid:
      return item::Value(FormatId(id.format, NewUlid(now_ms)));
    case model::IdModel::Generate::kUuid:
      return item::Value(FormatId(id.format, NewUuid()));
    case model::IdModel::Generate::kCounter:
    case model::IdModel::Generate::kNone:
      break;
  }
  size_t& used = used_[&entity];
  const std::vector<int64_t>& numbers = numbers_[&entity];
  if (used >= numbers.size()) {
    missing_ = &entity;
    return Error(ErrorCode::kTransactionConflict, "An id has to be counted first.");
  }
  const int64_t number = numbers[used++];
  const model::AttributeModel* attribute = entity.model->Find(id.attribute);
  if (attribute != nullptr && attribute->type.kind == model::TypeKind::kInteger) {
    return item::Value(item::Number::FromInt(number));
  }
  return item::Value(FormatId(id.format, std::to_string(number)));
}

}  // namespace monotable::entities
