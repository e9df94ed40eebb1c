#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulation/call.h"
#include "simulation/schema.h"

// The reference model: the server's answers and state, computed as plainly as possible.
namespace monotable::simulation {

// The contents of all tables at some moment.
class State {
 public:
  virtual ~State() = default;
  // nullptr if there is no such table or item.
  virtual const TableSchema* FindTable(const std::string& name) const = 0;
  virtual const Item* FindItem(const std::string& table, const std::string& key_text) const = 0;
  virtual std::vector<const Item*> AllItems(const std::string& table) const = 0;
};

// What a call that was carried out in a state makes of the items it names.
struct Change {
  std::string table;
  std::string key_text;
  std::optional<Item> old_item;
  std::optional<Item> new_item;
};

// The reply to a write and, if it is not an error, the images it makes, one per intent.
struct WriteExpectation {
  Reply reply;
  std::vector<Change> changes;
};
WriteExpectation ExpectWrite(const Call& call, const State& state);

// Why the reply cannot be the answer to a call in this state; empty if it can.
std::string Contradiction(const Call& call, const Reply& reply, const State& state);

// The entries of a table or index as they are read: sorted by range key and then by the table's
// key, of one partition or (hash absent) of all in no particular order of partitions.
std::vector<const Item*> Entries(const TableSchema& table, const IndexSchema* index,
                                 const std::optional<Value>& hash, const State& state);

// A state that calls are applied to.
class Model : public State {
 public:
  const TableSchema* FindTable(const std::string& name) const override;
  const Item* FindItem(const std::string& table, const std::string& key_text) const override;
  std::vector<const Item*> AllItems(const std::string& table) const override;

  void CreateTable(const TableSchema& schema);
  void DropTable(const std::string& name);
  TableSchema* MutableTable(const std::string& name);
  std::vector<std::string> TableNames() const;
  void Set(const std::string& table, const std::string& key_text, std::optional<Item> item);

 private:
  struct Table {
    TableSchema schema;
    std::map<std::string, Item> items;  // by KeyText
  };
  std::map<std::string, Table> tables_;
};

}  // namespace monotable::simulation
