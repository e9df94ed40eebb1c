#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace monotable::load {

// Text that depends on an item's number, at slots of a fixed width, so that making it is one copy
// and a few digits. A slot is written $, the letter of its field and its width:
//   $i8 the item's number       $s8 its sale, of 20 items       $l3 its line in the sale
//   $b6 its buyer               $p6 its producer                $t7 its status
//   $k3 its customer of 250     $h8 its time of the day         $e9 when it expires
//   $q2 its quantity            $c7 its total price             $v7 its version
// The last line follows the revision, so that a put over an item changes it.
// A buyer and a producer have 20 items each, every one of another sale: whatever reads an index
// gathers them from all over the table. That takes whole blocks of kBlockItems items.
class ItemText {
 public:
  explicit ItemText(std::string_view pattern);

  void AppendTo(std::string& out, uint64_t number, uint64_t revision) const;

  // The same for every item.
  size_t size() const { return text_.size(); }

 private:
  struct Slot {
    size_t offset;
    size_t width;
    char field;
  };

  std::string text_;
  std::vector<Slot> slots_;
};

inline constexpr uint64_t kBlockItems = 10000;

// The patterns of an item of about 500 bytes as DynamoDB counts them, and of its key.
extern const std::string_view kItemPattern;
extern const std::string_view kKeyPattern;
// The item with the attribute ExpiresAt: one item in a hundred expires on 2026-01-16T10:00:00Z, the
// others do months later.
std::string ExpiringItemPattern();

}  // namespace monotable::load
