#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "error/result.h"
#include "item/value.h"

// Items at rest; the layout is in docs/storage-format.md. The encoding is canonical: equal items
// have equal bytes, because maps and sets are sorted and numbers have one spelling.
namespace monotable::encoding {

// An item as bytes: the form in which the store keeps it and in which reads pass it unchanged to
// the front doors.
struct EncodedItem {
  std::string bytes;
  bool empty() const { return bytes.empty(); }
  friend bool operator==(const EncodedItem&, const EncodedItem&) = default;
};

EncodedItem EncodeItem(const item::Item& item);

// A damaged record is an internal error, never a crash. Charges for the bytes (work/meter.h); work
// that is stopped returns an error.
Result<item::Item> DecodeItem(std::string_view record);

// The same for those attributes alone that have one of the names, which ascend.
Result<item::Item> DecodeAttributes(std::string_view record,
                                    std::span<const std::string_view> names);

// The item of the record with some attributes exchanged: `before` are attributes as
// DecodeAttributes returns them, and `after` has those that come in their place. The record must
// have no other attributes of these names. Copies what is not exchanged without looking at it.
Result<EncodedItem> ExchangeAttributes(std::string_view record, const item::Item& before,
                                       const item::Item& after);

class MapView;
class ListView;
class SetView;

// One encoded value, read in place. Views point into the record they were made from.
class ValueView {
 public:
  ValueView() : type_(item::Type::kNull) {}
  ValueView(item::Type type, std::string_view payload) : type_(type), payload_(payload) {}
  item::Type type() const { return type_; }
  // Strings: UTF-8. Binary: raw bytes. Numbers: plain decimal text, ready to print.
  std::string_view scalar() const { return payload_; }
  bool boolean() const { return payload_[0] != 0; }
  MapView map() const;
  ListView list() const;
  SetView set() const;  // members in the form of scalar(), for any of the three set types
  Result<item::Value> Decode() const;
  // As item::SizeOf the value.
  size_t ChargedSize() const;
  friend bool operator==(const ValueView&, const ValueView&) = default;

 private:
  item::Type type_;
  std::string_view payload_;
};

// Forward walks over encoded containers:
//   for (ListView l = v.list(); l.Next(&member);) …
// Next returns false at the end, and also where the bytes are damaged.
class MapView {
 public:
  MapView(std::string_view body, uint64_t count) : rest_(body), count_(count) {}
  bool Next(std::string_view* name, ValueView* value);
  uint64_t count() const { return count_; }

 private:
  std::string_view rest_;
  uint64_t count_;
};

class ListView {
 public:
  ListView(std::string_view body, uint64_t count) : rest_(body), count_(count) {}
  bool Next(ValueView* value);
  uint64_t count() const { return count_; }

 private:
  std::string_view rest_;
  uint64_t count_;
};

class SetView {
 public:
  SetView(std::string_view body, uint64_t count) : rest_(body), count_(count) {}
  bool Next(std::string_view* member);
  uint64_t count() const { return count_; }

 private:
  std::string_view rest_;
  uint64_t count_;
};

// A whole encoded item, read in place.
class ItemView {
 public:
  explicit ItemView(std::string_view record) : record_(record) {}
  explicit ItemView(const EncodedItem& item) : record_(item.bytes) {}
  // The size the service charges, kept in the record so that it need not be computed again.
  size_t ChargedSize() const;
  MapView attributes() const;
  std::optional<ValueView> Find(std::string_view name) const;
  std::string_view record() const { return record_; }
  // The item with those attributes alone whose names are kept, copied as they are.
  EncodedItem Select(const std::function<bool(std::string_view)>& keep) const;

 private:
  std::string_view record_;
};

// An item in which attributes are looked up again and again. Notes where the first of them are.
class AttributeLookup {
 public:
  explicit AttributeLookup(ItemView item);
  std::optional<ValueView> Find(std::string_view name) const;
  ItemView item() const { return item_; }

 private:
  struct Place {
    std::string_view name;
    ValueView value;
  };

  ItemView item_;
  std::array<Place, 32> places_;  // most items have fewer attributes
  size_t count_ = 0;
  bool is_complete_;
};

}  // namespace monotable::encoding
