#include "engine/read.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "encoding/keyspace.h"
#include "encoding/ordered_key.h"
#include "work/meter.h"

namespace monotable::engine {
namespace {

using encoding::PrefixEnd;
using expression::RangeBound;

std::string WithComponent(const std::string& prefix, const item::Value& value) {
  std::string key = prefix;
  encoding::AppendKeyComponent(value, &key);
  return key;
}

// No component is a prefix of another, so the keys with one value of an attribute are exactly the
// keys that begin with the value's component: from the component to its PrefixEnd.
storage::Range Bounded(const std::string& prefix, const RangeBound& bound) {
  const std::string at = WithComponent(prefix, bound.first);
  switch (bound.op) {
    case RangeBound::Op::kLess:
      return {prefix, at};
    case RangeBound::Op::kLessEqual:
      return {prefix, PrefixEnd(at)};
    case RangeBound::Op::kGreater:
      return {PrefixEnd(at), PrefixEnd(prefix)};
    case RangeBound::Op::kGreaterEqual:
      return {at, PrefixEnd(prefix)};
    case RangeBound::Op::kBetween:
      return {at, PrefixEnd(WithComponent(prefix, *bound.second))};
    case RangeBound::Op::kBeginsWith:
      break;
  }
  std::string begins = prefix;
  encoding::AppendKeyPrefix(bound.first, &begins);
  std::string end = PrefixEnd(begins);
  return {std::move(begins), std::move(end)};
}

}  // namespace

QueryRange RangeOf(const table::TableDefinition& table, const table::IndexDefinition* index,
                   const expression::KeyCondition& condition) {
  std::vector<const item::Value*> hash;
  hash.reserve(condition.hash.size());
  for (const item::Value& value : condition.hash) hash.push_back(&value);
  const uint16_t index_id = index == nullptr ? encoding::kTableItems : index->id;

  QueryRange result;
  result.partition = encoding::PartitionPrefix(table.id, index_id, hash);
  std::string prefix = result.partition;
  for (const item::Value& value : condition.range_equal) {
    encoding::AppendKeyComponent(value, &prefix);
  }
  if (condition.range) {
    result.range = Bounded(prefix, *condition.range);
  } else {
    result.range.end = PrefixEnd(prefix);
    result.range.begin = std::move(prefix);
  }
  return result;
}

namespace {

using encoding::EncodedItem;
using encoding::ItemView;

// Ends loops; whoever set the meter throws it away.
Error WorkStopped() {
  return Error::Internal("The work on a request was stopped");
}

// Room for a usual page; larger ones grow.
constexpr int64_t kReservedItems = 32;

// The attributes that the expressions of a request mention, sorted. No others are decoded.
std::vector<std::string_view> MentionedNames(const PageRequest& request) {
  std::vector<std::string_view> names;
  if (request.projection != nullptr && request.keep_items) {
    names = request.projection->TopLevelNames();
  }
  if (request.filter == nullptr) return names;
  std::vector<std::string_view> all;
  std::ranges::set_union(names, request.filter->MentionedNames(), std::back_inserter(all));
  return all;
}

// Fills one page from a cursor. Lives for one call of ReadPage.
class PageReader {
 public:
  PageReader(const storage::Reader& reader, const PageRequest& request)
      : reader_(reader),
        request_(request),
        verbatim_(request.keep_items && request.filter == nullptr &&
                  request.projection == nullptr && !request.fetch_from_table),
        mentioned_names_(MentionedNames(request)) {}

  Result<Page> Read() {
    if (request_.keep_items) {
      page_.items.reserve(
          static_cast<size_t>(std::min(request_.limit.value_or(kReservedItems), kReservedItems)));
    }
    const std::unique_ptr<storage::Cursor> cursor =
        reader_.Scan(request_.range, request_.direction);
    while (cursor->Valid()) {
      if (!work::Charge(work::kCursorStepUnits + cursor->value().size())) return WorkStopped();
      TRY(Take(cursor->value()));
      if (full_) break;
      cursor->Next();
    }
    TRY(cursor->status());
    if (full_) {
      TRY_ASSIGN(page_.last_evaluated_key, LastEvaluatedKey());
    }
    return std::move(page_);
  }

 private:
  // Evaluates an entry, unless the page is too full for it.
  Status Take(std::string_view entry) {
    const size_t size = ItemView(entry).ChargedSize();
    if (page_.scanned_count > 0 && read_bytes_ + size > kMaxPageBytes) {
      full_ = true;
      return {};
    }
    ++page_.scanned_count;
    page_.bytes += size;
    read_bytes_ += size;
    if (verbatim_) {
      if (!work::Keep(entry.size())) return WorkStopped();
      ++page_.count;
      page_.items.push_back({std::string(entry)});
    } else {
      last_entry_.assign(entry);
      TRY(Transform(entry));
    }
    full_ = page_.scanned_count == request_.limit || read_bytes_ >= kMaxPageBytes;
    return {};
  }

  // Handles an entry that cannot be passed on unchanged, because there is a filter, a projection or
  // a fetch from the table.
  Status Transform(std::string_view entry) {
    EncodedItem fetched;
    std::string_view whole = entry;
    if (request_.fetch_from_table) {
      TRY_ASSIGN(fetched, Fetch(entry));
      whole = fetched.bytes;
      if (request_.keep_fetched) entry = whole;
    }
    if (request_.filter == nullptr && (request_.projection == nullptr || !request_.keep_items)) {
      ++page_.count;
      if (request_.keep_items) page_.items.push_back(std::move(fetched));
      return {};
    }
    TRY_ASSIGN(const item::Item item, encoding::DecodeAttributes(whole, mentioned_names_));
    if (request_.filter != nullptr && !request_.filter->Evaluate(item)) return {};
    ++page_.count;
    if (!request_.keep_items) return {};
    if (request_.projection != nullptr) {
      page_.items.push_back(encoding::EncodeItem(request_.projection->Apply(item)));
    } else {
      page_.items.push_back({std::string(entry)});
    }
    if (!work::Keep(page_.items.back().bytes.size())) return WorkStopped();
    return {};
  }

  // The table's item behind an entry of a local index. It counts towards the size of the page, so
  // that small entries of large items cannot make a page of any size.
  Result<EncodedItem> Fetch(std::string_view entry) {
    TRY_ASSIGN(const item::Item keys, encoding::DecodeItem(entry));
    TRY_ASSIGN(std::optional<EncodedItem> found,
               ReadItem(reader_, encoding::ItemKey(request_.table, keys)));
    if (!found) return Error::Internal("An index entry has no item");
    const size_t size = ItemView(*found).ChargedSize();
    page_.fetched_bytes.push_back(size);
    read_bytes_ += size;
    return *std::move(found);
  }

  // The attributes of the table's key and of the index key: those of the table make the position
  // unique among entries with equal index keys.
  Result<EncodedItem> LastEvaluatedKey() const {
    const ItemView last(verbatim_ ? std::string_view(page_.items.back().bytes) : last_entry_);
    item::Item key;
    const auto add = [&](const std::vector<table::KeyAttribute>& attributes) -> Status {
      for (const table::KeyAttribute& attribute : attributes) {
        const auto value = last.Find(attribute.name);
        if (!value) return Error::Internal("A stored entry lacks a key attribute");
        TRY_ASSIGN(item::Value decoded, value->Decode());
        key.Set(attribute.name, std::move(decoded));
      }
      return {};
    };
    TRY(add(request_.table.key.hash));
    TRY(add(request_.table.key.range));
    if (request_.index != nullptr) {
      TRY(add(request_.index->key.hash));
      TRY(add(request_.index->key.range));
    }
    return encoding::EncodeItem(key);
  }

  const storage::Reader& reader_;
  const PageRequest& request_;
  const bool verbatim_;  // entries go to the answer as they are
  const std::vector<std::string_view> mentioned_names_;
  Page page_;
  std::string last_entry_;  // unless verbatim_, when the last item of the page is the last entry
  size_t read_bytes_ = 0;   // of entries and of what was fetched for them
  bool full_ = false;
};

}  // namespace

Result<std::optional<EncodedItem>> ReadItem(const storage::Reader& reader, std::string_view key) {
  if (!work::Charge(work::kLookupUnits)) return WorkStopped();
  std::optional<EncodedItem> item(std::in_place);
  TRY_ASSIGN(const bool found, reader.Get(key, &item->bytes));
  if (!work::Keep(item->bytes.size())) return WorkStopped();
  if (!found) item.reset();
  return item;
}

Result<Page> ReadPage(const storage::Reader& reader, const PageRequest& request) {
  return PageReader(reader, request).Read();
}

void StartAfter(std::string_view key, storage::Direction direction, storage::Range* range) {
  if (direction == storage::Direction::kBackward) {
    range->end.assign(key);
    return;
  }
  // The smallest byte string after the key is the key followed by a zero byte.
  range->begin.assign(key);
  range->begin.push_back('\0');
}

}  // namespace monotable::engine
