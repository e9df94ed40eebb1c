#pragma once

#include <string>

#include "entities/read/entity_read_fixture.h"
#include "entities/read/ledger_model.h"

namespace monotable::entities {

// The ledger, with a way to put entries into it.
class LedgerFixture : public ReadFixture {
 protected:
  LedgerFixture() {
    clock_.now_ms = 1'798'761'600'000;  // 2027-01-01
    OpenModel(std::string(kLedger));
  }

  struct EntryOptions {
    std::string account = "A";
    std::string phase = "OPEN";
    std::string at = "2027-01-01T00:00:00.000Z";
    int64_t amount = 1;
    std::string bank = "north";
    size_t padding = 0;
  };

  void PutAccount(const std::string& id, const std::string& bank = "north") {
    PutRecord("Account", Texts({{"AccountId", id}, {"Bank", bank}, {"Owner", "Ana " + id}}));
  }

  void PutEntry(int64_t number, const EntryOptions& options) {
    item::Map entry = Texts({{"AccountId", options.account},
                             {"Phase", options.phase},
                             {"At", options.at},
                             {"Bank", options.bank}});
    entry.Set("Number", N(number));
    entry.Set("Amount", N(options.amount));
    if (options.padding > 0) entry.Set("Note", item::Value(std::string(options.padding, 'x')));
    PutRecord("Entry", std::move(entry));
  }

  static ListRequest Ask(std::vector<std::pair<std::string, std::string>> parameters) {
    ListRequest request;
    request.parameters = Texts(std::move(parameters));
    return request;
  }

  std::vector<std::string> Numbers(std::string_view pattern, const ListRequest& request) {
    const auto list = Reader(pattern).List(request, Caller());
    EXPECT_TRUE(list) << list.error().message();
    return list ? Of(list->items, "Number") : std::vector<std::string>();
  }
};

}  // namespace monotable::entities
