#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encoding/item.h"
#include "error/result.h"
#include "item/value.h"
#include "model/model.h"

namespace re2 {
class RE2;
}

// A model that is served. Its names are looked up once, so that requests need not do so.
namespace monotable::entities {

class Application;
class EntityPrinter;
class Rulebook;

// One entity. Immutable and thread-safe; lives as long as its application.
struct Entity {
  const Application* application = nullptr;
  const model::EntityModel* model = nullptr;
  const model::TableModel* table = nullptr;
  std::string table_name;  // SalesTable-dev
  const Entity* parent = nullptr;
  std::vector<std::string> plumbing;             // see IsPlumbing; sorted
  std::vector<std::string> read_only;            // see IsReadOnly
  std::shared_ptr<const EntityPrinter> printer;  // how its items are shown
  std::shared_ptr<const Rulebook> rules;         // what holds after every write of them

  const std::string& name() const { return model->name; }
  // Whether an attribute of this name in the stored item belongs to the design and not to the
  // entity: a key of the table or an index, the type, the version, the expiry.
  bool IsPlumbing(std::string_view stored_name) const;
  // Whether the attribute is kept in the envelope.
  bool InEnvelope(std::string_view attribute) const;
  bool IsFromKey(std::string_view attribute) const;
  // Whether the server fills the attribute in and ignores what a client says: derived values,
  // copies, stamps.
  bool IsReadOnly(std::string_view attribute) const;
};

// The client that a request is from.
struct Caller {
  std::string name;                   // for stamps: CreatedBy
  std::optional<std::string> tenant;  // sees and writes only this tenant's items; nothing: all
};

struct ApplicationSettings {
  std::string environment;                        // empty: the first of the model
  std::map<std::string, std::string> parameters;  // over the defaults
  // How many live copies change at most in the write of their source, and in one step of a job.
  size_t followers_at_once = 1000;
};

class Application {
 public:
  // Refuses an unknown environment or parameter, and two tables of one name.
  static Result<std::unique_ptr<Application>> Create(model::Model model,
                                                     const ApplicationSettings& settings);
  ~Application();

  const model::Model& model() const { return model_; }
  const std::string& environment() const { return environment_; }
  size_t followers_at_once() const { return followers_at_once_; }
  // The name of a table of the model in this environment.
  const std::string& TableName(std::string_view table_id) const;
  // The table of the model that has this name in the store; null if none has.
  const model::TableModel* FindTable(std::string_view table_name) const;

  const Entity* Find(std::string_view entity_name) const;  // null if the model has no such entity
  const std::vector<std::unique_ptr<Entity>>& entities() const { return entities_; }
  // The entity of a stored item, by its type attribute and its keys. Null for an internal item, and
  // for an item that was written past the model.
  const Entity* Recognise(const model::TableModel& table, encoding::ItemView item) const;
  const Entity* Recognise(const model::TableModel& table, const item::Item& item) const;

  // The compiled pattern of a string type; null if it has none.
  const re2::RE2* Pattern(std::string_view pattern) const;
  model::Template::Rules key_rules() const { return {model_.forbidden_in_keys}; }

 private:
  Application() = default;

  model::Model model_;
  std::string environment_;
  size_t followers_at_once_ = 0;
  std::map<std::string, std::string, std::less<>> table_names_;  // by id
  std::map<std::string, const model::TableModel*, std::less<>> tables_;
  std::vector<std::unique_ptr<Entity>> entities_;
  std::map<std::string, std::unique_ptr<re2::RE2>, std::less<>> patterns_;
};

}  // namespace monotable::entities
