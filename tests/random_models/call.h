#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "random_models/values.h"

// What a client asks for. A call says everything by itself, so that a list of calls can be repeated
// with some of them left out.
namespace monotable::random_models {

// Versions are said relative to what the table holds when the call is made.
enum class Expectation { kNone, kCurrentVersion, kOtherVersion, kPresent, kAbsent };

// A change through the model.
struct Change {
  enum class Kind { kCreate, kReplace, kUpdate, kDelete, kCheck };
  Kind kind = Kind::kCreate;
  std::string entity;
  Attributes key;                        // what the path would say
  Attributes body;                       // of kCreate and kReplace; what kUpdate sets
  std::set<std::string> removed;         // of kUpdate
  std::map<std::string, int64_t> added;  // of kUpdate: $add
  Expectation expectation = Expectation::kNone;
  bool cascade = false;
};

// A write of the DynamoDB API.
struct RawWrite {
  enum class Kind { kPut, kUpdate, kDelete };
  Kind kind = Kind::kPut;
  Key key;
  Stored item;                    // of kPut, with its keys; what kUpdate sets
  std::set<std::string> removed;  // of kUpdate
};

struct Call {
  enum class Kind { kChanges, kOperation, kRaw };
  Kind kind = Kind::kChanges;
  std::optional<std::string> tenant;  // of the caller; nothing: an operator
  std::vector<Change> changes;
  std::vector<RawWrite> raw;
  bool batch = false;     // of kRaw: the writes need not be one transaction
  std::string operation;  // of kOperation
  Attributes parameters;
  std::vector<Attributes> inputs;  // of kPutAll: the item, then its children
};

std::string TextOf(const Call& call);
// Whether the call is about the entity.
bool Mentions(const Design& design, const Call& call, const std::string& entity);

}  // namespace monotable::random_models
