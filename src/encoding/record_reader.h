#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "item/value.h"

// Reads structures that are stored as items (encoding/item.h), tolerating attributes that older or
// newer versions lack or add.
namespace monotable::encoding {

// An enumeration is stored by name.
template <typename Enum, size_t N>
using Words = std::array<std::pair<Enum, std::string_view>, N>;

// Reads attributes of a stored map into members. A missing attribute leaves the member unchanged.
// An attribute of the wrong type, or one that does not fit, sets *damaged, which the caller checks
// at the end. Not thread-safe.
class RecordReader {
 public:
  RecordReader(const item::Item& record, bool* damaged) : record_(record), damaged_(damaged) {}

  void Read(std::string_view name, std::string* out) const {
    if (const item::Value* value = Find(name, item::Type::kString)) *out = value->string();
  }

  void Read(std::string_view name, bool* out) const {
    if (const item::Value* value = Find(name, item::Type::kBool)) *out = value->boolean();
  }

  template <typename Integer>
  requires std::is_integral_v<Integer>
  void Read(std::string_view name, Integer* out) const {
    const item::Value* value = Find(name, item::Type::kNumber);
    if (value == nullptr) return;
    int64_t number = 0;
    if (value->number().ToInt64(&number) && std::in_range<Integer>(number)) {
      *out = static_cast<Integer>(number);
    } else {
      *damaged_ = true;
    }
  }

  void Read(std::string_view name, std::optional<int64_t>* out) const {
    if (!record_.Contains(name)) return;
    int64_t number = 0;
    Read(name, &number);
    *out = number;
  }

  template <typename Enum, size_t N>
  void Read(std::string_view name, const Words<Enum, N>& words, Enum* out) const {
    const item::Value* value = Find(name, item::Type::kString);
    if (value == nullptr) return;
    for (const auto& [candidate, word] : words) {
      if (word == value->string()) {
        *out = candidate;
        return;
      }
    }
    *damaged_ = true;
  }

  template <typename Enum, size_t N>
  void Read(std::string_view name, const Words<Enum, N>& words, std::optional<Enum>* out) const {
    if (!record_.Contains(name)) return;
    Read(name, words, &out->emplace());
  }

  // Calls `read` with a reader of the nested map, if the map is there.
  template <typename Function>
  void ReadMap(std::string_view name, Function read) const {
    if (const item::Value* value = Find(name, item::Type::kMap))
      read(RecordReader(value->map(), damaged_));
  }

  // Appends one default member per map of the list and reads the map into it.
  template <typename T, typename Function>
  void ReadMaps(std::string_view name, std::vector<T>* out, Function read) const {
    const item::Value* list = Find(name, item::Type::kList);
    if (list == nullptr) return;
    for (const item::Value& member : list->list()) {
      if (!member.is(item::Type::kMap)) {
        *damaged_ = true;
        return;
      }
      read(RecordReader(member.map(), damaged_), &out->emplace_back());
    }
  }

  void ReadTexts(std::string_view name, std::vector<std::string>* out) const {
    const item::Value* list = Find(name, item::Type::kList);
    if (list == nullptr) return;
    for (const item::Value& member : list->list()) {
      if (!member.is(item::Type::kString)) {
        *damaged_ = true;
        return;
      }
      out->push_back(member.string());
    }
  }

 private:
  const item::Value* Find(std::string_view name, item::Type type) const {
    const item::Value* value = record_.Find(name);
    if (value == nullptr || value->is(type)) return value;
    *damaged_ = true;
    return nullptr;
  }

  const item::Item& record_;
  bool* damaged_;
};

}  // namespace monotable::encoding
