#pragma once

#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "encoding/keyspace.h"
#include "entities/audit/audit.h"
#include "entities/audit/show.h"
#include "entities/write/write_fixture.h"

// Damages the tables of a model with raw writes, and looks for the damage.
namespace monotable::entities {

class AuditFixture : public WriteFixture {
 protected:
  void OpenText(const std::string& model_text) {
    OpenModel(model_text);
    writer_ = std::make_unique<Writer>(engine(), executor(), application());
    const Status adopted = writer_->AdoptExisting();
    ASSERT_TRUE(adopted) << adopted.error().message();
  }

  // All pages of an audit.
  std::vector<Breach> Audit(bool repair = false, size_t limit = 1000) {
    std::vector<Breach> all;
    AuditRequest request{repair, "", limit};
    do {
      auto page = AuditModel(engine(), application(), {}, request);
      EXPECT_TRUE(page) << page.error().message();
      if (!page) break;
      std::ranges::move(page->breaches, std::back_inserter(all));
      request.position = page->next;
    } while (!request.position.empty());
    // Every page may have the same note.
    std::vector<Breach> once;
    for (Breach& breach : all) {
      const bool again = std::ranges::any_of(once, [&](const Breach& other) {
        return other.state == Breach::State::kNote && Line(other) == Line(breach);
      });
      if (!again) once.push_back(std::move(breach));
    }
    return once;
  }
  // Repairs until nothing changes, as the command does. Returns what is left.
  std::vector<Breach> Repair() {
    std::vector<Breach> found;
    for (int pass = 0; pass < 8; ++pass) {
      found = Audit(true);
      if (std::ranges::none_of(found, [](const Breach& breach) {
            return breach.state == Breach::State::kRepaired;
          })) {
        return found;
      }
    }
    ADD_FAILURE() << "repairs do not come to an end: " << Told(found);
    return {};
  }

  // A breach in one line: derived Sale Total repairable.
  static std::string Line(const Breach& breach) {
    std::string line(KindName(breach.kind));
    for (const std::string& word : {breach.entity, breach.attribute}) {
      if (!word.empty()) line += " " + word;
    }
    return line + " " + std::string(StateName(breach.state));
  }
  static std::vector<std::string> Lines(const std::vector<Breach>& breaches) {
    std::vector<std::string> lines;
    for (const Breach& breach : breaches) lines.push_back(Line(breach));
    std::ranges::sort(lines);
    return lines;
  }
  // Everything about the breaches, for a test that fails.
  static std::string Told(const std::vector<Breach>& breaches) {
    std::string told;
    for (const Breach& breach : breaches) {
      told += Line(breach) + " [" + Show(breach.key) + "] " + breach.message + " " + breach.remedy +
              "\n";
    }
    return told;
  }

  // Printed, so that a failure can be repeated.
  static unsigned Seed() {
    const auto seed = std::random_device()();
    std::cout << "seed " << seed << "\n";
    return seed;
  }
  // All items of all tables, without their versions: those rise with a repair.
  std::map<std::string, std::string> Items() {
    std::map<std::string, std::string> items;
    for (const engine::TablePtr& table : catalog().All()) {
      const auto cursor = store().Latest().Scan(
          encoding::ItemsRange(table->id, encoding::kTableItems), storage::Direction::kForward);
      for (; cursor->Valid(); cursor->Next()) {
        auto item = encoding::DecodeItem(cursor->value());
        item->Remove("_v");
        items.emplace(cursor->key(), encoding::EncodeItem(*item).bytes);
      }
    }
    return items;
  }

  // A raw client changes the item of a key.
  void Damage(std::string_view entity_name, const item::Map& key,
              const std::function<void(item::Item*)>& change) {
    auto stored = Stored(entity_name, key);
    ASSERT_TRUE(stored);
    change(&*stored);
    PutItem(EntityOf(entity_name).table_name, *stored);
  }
  void DeleteRaw(std::string_view entity_name, const item::Map& key) {
    const Entity& entity = EntityOf(entity_name);
    const auto primary = PrimaryKey(entity, key);
    ASSERT_TRUE(primary && *primary);
    DeleteItem(entity.table_name, **primary);
  }
};

}  // namespace monotable::entities
