#include "load/data_set.h"

#include <array>

namespace monotable::load {

const std::string_view kItemPattern =
    R"({"PK":{"S":"SALE#$s8"},"SK":{"S":"LINE#$l3"},)"
    R"("GSI1PK":{"S":"BUYER#$b6"},"GSI1SK":{"S":"SALE#2026-01-15T10:00:00Z#$i8"},)"
    R"("GSI2PK":{"S":"PRODUCER#$p6"},"GSI2SK":{"S":"SALE#2026-01-15T10:00:00Z#$i8"},)"
    R"("GSI3PK":{"S":"STATUS#$t7"},"GSI3SK":{"S":"SALE#2026-01-15T10:00:00Z#$i8"},)"
    R"("EntityType":{"S":"Sale"},"SaleId":{"S":"$s8"},"BuyerId":{"S":"$b6"},)"
    R"("BuyerName":{"S":"João da Conceição Simões de Souza"},)"
    R"("ProductName":{"S":"Café arábica especial torrado"},)"
    R"("Quantity":{"N":"$q2"},"UnitPrice":{"N":"129.90"},"Total":{"N":"$c7"},)"
    R"("Version":{"N":"$v7"},"Active":{"BOOL":true},)"
    R"("Tags":{"L":[{"S":"café"},{"S":"grão"},{"S":"promoção"}]},)"
    R"("Address":{"M":{"Street":{"S":"Rua da Consolação, 1000"},"City":{"S":"São Paulo"},)"
    R"("State":{"S":"SP"},"PostalCode":{"S":"01302-000"}}}})";

const std::string_view kKeyPattern = R"({"PK":{"S":"SALE#$s8"},"SK":{"S":"LINE#$l3"}})";

namespace {

constexpr uint64_t kItemsOfSale = 20;
constexpr uint64_t kCustomers = 250;
constexpr uint64_t kUnitPriceCents = 12990;

// When items expire, in seconds since the epoch without their first digit: one in a hundred in the
// same second, 2026-01-16T10:00:00Z, the others one after the other from 2026-04-15T10:00:00Z on.
constexpr uint64_t kSoon = 768557600;
constexpr uint64_t kLate = 776247200;
constexpr uint64_t kItemsForEachSoon = 100;

// Of one length, as every slot is.
constexpr std::array<std::string_view, 6> kStatuses = {"CREATED", "PENDING", "SETTLED",
                                                       "SHIPPED", "REFUSED", "EXPIRED"};

// The place of a number when its block is gone through in steps; a step without a factor in common
// with the block's size meets every number once.
uint64_t Shuffled(uint64_t number, uint64_t step) {
  const uint64_t place = number % kBlockItems;
  return number - place + place * step % kBlockItems;
}

uint64_t Quantity(uint64_t revision) {
  return 10 + revision % 60;
}

void WriteDigits(char* out, size_t width, uint64_t value) {
  for (char* digit = out + width; digit != out; value /= 10) {
    *--digit = static_cast<char>('0' + value % 10);
  }
}

// 10:05:59. The sales of one customer are four minutes and ten seconds apart.
void WriteTime(char* out, uint64_t seconds) {
  WriteDigits(out, 2, seconds / 3600 % 24);
  out[2] = ':';
  WriteDigits(out + 3, 2, seconds / 60 % 60);
  out[5] = ':';
  WriteDigits(out + 6, 2, seconds % 60);
}

void WriteField(char* out, size_t width, char field, uint64_t number, uint64_t revision) {
  switch (field) {
    case 'i':
      return WriteDigits(out, width, number);
    case 's':
      return WriteDigits(out, width, number / kItemsOfSale);
    case 'l':
      return WriteDigits(out, width, number % kItemsOfSale + 1);
    case 'b':
      return WriteDigits(out, width, Shuffled(number, 7919) / kItemsOfSale);
    case 'p':
      return WriteDigits(out, width, Shuffled(number, 4637) / kItemsOfSale);
    case 'k':
      return WriteDigits(out, width, number % kCustomers);
    case 'h':
      return WriteTime(out, number);
    case 'e':
      return WriteDigits(out, width, number % kItemsForEachSoon == 0 ? kSoon : kLate + number);
    case 'q':
      return WriteDigits(out, width, Quantity(revision));
    case 'v':
      return WriteDigits(out, width, 1000000 + revision % 9000000);
    case 't':
      kStatuses[number % kStatuses.size()].copy(out, width);
      return;
    case 'c': {
      const uint64_t cents = Quantity(revision) * kUnitPriceCents;
      WriteDigits(out, width - 3, cents / 100);
      out[width - 3] = '.';
      return WriteDigits(out + width - 2, 2, cents % 100);
    }
    default:
      return;
  }
}

}  // namespace

std::string ExpiringItemPattern() {
  const std::string_view without_brace = kItemPattern.substr(0, kItemPattern.size() - 1);
  return std::string(without_brace).append(R"(,"ExpiresAt":{"N":"1$e9"}})");
}

ItemText::ItemText(std::string_view pattern) {
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '$') {
      text_ += pattern[i];
      continue;
    }
    const auto width = static_cast<size_t>(pattern[i + 2] - '0');
    slots_.push_back({.offset = text_.size(), .width = width, .field = pattern[i + 1]});
    text_.append(width, '0');
    i += 2;
  }
}

void ItemText::AppendTo(std::string& out, uint64_t number, uint64_t revision) const {
  const size_t start = out.size();
  out += text_;
  for (const Slot& slot : slots_) {
    WriteField(out.data() + start + slot.offset, slot.width, slot.field, number, revision);
  }
}

}  // namespace monotable::load
