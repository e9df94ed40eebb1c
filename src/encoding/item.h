#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

class MapView;
class ListView;
class SetView;

// One encoded value, read in place. Views point into the record they were made from.
class ValueView {
 public:
  ValueView(item::Type type, std::string_view payload) : type_(type), payload_(payload) {}
  item::Type type() const { return type_; }
  // Strings: UTF-8. Binary: raw bytes. Numbers: plain decimal text, ready to print.
  std::string_view scalar() const { return payload_; }
  bool boolean() const { return payload_[0] != 0; }
  MapView map() const;
  ListView list() const;
  SetView set() const;  // members in the form of scalar(), for any of the three set types
  Result<item::Value> Decode() const;
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

 private:
  std::string_view record_;
};

}  // namespace monotable::encoding
