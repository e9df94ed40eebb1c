#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "entities/application.h"
#include "error/result.h"

// Looks for items that break the model of their table, and corrects what follows from other values.
// Rules hold at every write that goes through the model, so there are such items only where raw
// clients, imports or a new version of the model have left them.
namespace monotable::entities {

// One thing that is wrong with one item.
struct Breach {
  enum class Kind {
    kKey,               // the primary key does not follow from the attributes
    kIndexKey,          // the same of a key of an index
    kType,              // the type attribute
    kVersion,           // the version attribute
    kExpiry,            // the expiry attribute
    kValue,             // an attribute is missing, of another type, or not allowed
    kUnknownAttribute,  // the model has no such attribute
    kUnknownItem,       // no entity has such items
    kDerived,           // a derived value or sum is another
    kCopy,              // a live copy differs from its source
    kMissingReference,  // refers to nothing
    kMissingParent,     // belongs to nothing
    kOtherTenant,       // belongs to a parent of another tenant
    kSecondChild,       // of a parent that may have one
    kAssertion,         // an assertion does not hold
    kMissingMarker,     // a unique value is not reserved
    kStaleMarker,       // a marker reserves a value for an item that does not have it
    kDuplicate,         // another item has the same unique value
    kCounter,           // a counter of ids is behind the ids in use
    kStaleJob,          // a copy job that nobody can do
    kChanging,          // the item changed whenever it was looked at
  };
  enum class State {
    kRepairable,  // a repair can correct it
    kRepaired,
    kUndecided,  // a person has to decide
    kNote,       // allowed, and a repair improves it
  };

  Kind kind = Kind::kKey;
  State state = State::kUndecided;
  std::string table_name;
  std::string entity;     // empty if none recognises the item
  item::Item key;         // of the item
  std::string attribute;  // empty: about the item as a whole
  std::string message;    // what is wrong
  std::string remedy;     // what a repair does, or what a person should do
};

// The name of a kind in texts: missing_reference.
std::string_view KindName(Breach::Kind kind);
// The name of a state in texts: repairable.
std::string_view StateName(Breach::State state);

struct AuditRequest {
  bool repair = false;
  std::string position;  // where an earlier page ended; empty: from the beginning
  size_t limit = 1000;   // of items
};

struct AuditPage {
  int64_t items = 0;  // that were looked at
  int64_t total = 0;  // about as many as the tables have
  std::vector<Breach> breaches;
  std::string next;  // the position of the next page; empty: all is done
};

// Looks at the next items of the tables of a model, and repairs them if it is asked to. A page ends
// after `limit` items, after many breaches, or after about half a second. Nothing is kept between
// pages.
//
// What is reported was true at one moment: everything that led to it is compared once more when the
// moment is decided, as in every write of a model, and an item that has changed is looked at again.
// So this runs beside other writes. A repair is written with the same comparison, and nothing is
// written over a value that the repair has not seen.
//
// `others` are the other models of the server. Items that one of them recognises in a shared table
// are its own.
Result<AuditPage> AuditModel(engine::Engine& engine, const Application& application,
                             const std::vector<const Application*>& others,
                             const AuditRequest& request);

}  // namespace monotable::entities
