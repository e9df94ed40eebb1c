#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "engine/write.h"
#include "entities/application.h"
#include "entities/codec/codec.h"
#include "work/executor.h"

// Writes with the rules of the model inside: keys, moves, transitions, unique values, references,
// copies, derived values, expiry, tenancy. Several changes are one transaction.
namespace monotable::entities {

// A change of one item, as a client asks for it.
struct Change {
  enum class Kind {
    kCreate,   // refused if it exists; generates its id
    kReplace,  // creates or replaces
    kUpdate,   // must exist
    kDelete,   // must exist
    kCheck,    // must exist and be as if_version says
  };
  Kind kind = Kind::kCreate;
  const Entity* entity = nullptr;
  std::string path;      // JSON pointer of its body in the request, for problems
  item::Map key;         // what the route says: attributes of the primary key, in stored form
  item::Map attributes;  // of kCreate and kReplace
  Patch patch;           // of kUpdate
  std::optional<int64_t> if_version;  // If-Match: "v7"
  std::optional<std::string> if_tag;  // If-Match of an entity without version: EntityTag
  bool if_absent = false;             // If-None-Match: *
  bool if_present = false;            // If-Match: *
  bool cascade = false;               // of kDelete: with the collection, if the model allows it
};

// What became of a change.
struct Written {
  const Entity* entity = nullptr;
  std::optional<encoding::EncodedItem> item;  // as it is now; nothing if it was deleted
  item::Map key;                              // the attributes of its route
  bool created = false;
};

struct WriteAnswer {
  std::vector<Written> changes;  // one for each change, or for each item that an operation wrote
  double write_units = 0;
  bool replayed = false;  // the idempotency key was seen before; nothing was written again
};

// The end of a write. Its answer is made where it is needed, because the thread that hands it over
// may be the one for which all writes wait.
class WriteEnd {
 public:
  explicit WriteEnd(Result<WriteAnswer> answer)
      : make_([answer = std::move(answer)]() mutable { return std::move(answer); }) {}
  explicit WriteEnd(std::function<Result<WriteAnswer>()> make) : make_(std::move(make)) {}

  // At most once.
  Result<WriteAnswer> Take() { return make_(); }
  // For callers whose `done` takes the answer itself.
  operator Result<WriteAnswer>() { return Take(); }  // NOLINT(google-explicit-constructor)

 private:
  std::function<Result<WriteAnswer>()> make_;
};

using WriteDone = std::function<void(WriteEnd)>;

struct OperationCall {
  const model::OperationModel* operation = nullptr;
  item::Map parameters;  // of the path, in stored form
  std::optional<std::string>
      if_match;  // the tag, with its quotes, of the first item it changes; or *
  Inputs inputs;
};

// A token that makes a retry harmless for ten minutes, and a digest of the request it came with.
using IdempotencyKey = engine::IdempotencyToken;

// Writes the items of one model. A write whose plan turns out to be old, because other writes came
// first, is planned again as a continuation on the executor. Live copies that are too many for the
// write of their source follow in the background; a writer that stops before they are done leaves
// the rest to the next one.
//
// Thread-safe. The engine, the executor and the application must outlive the writer.
class Writer {
 public:
  Writer(engine::Engine& engine, work::Executor& executor, const Application& application);
  ~Writer();

  // Waits for the writes that have begun, and stops the copy jobs. The executor must still run, and
  // nobody may begin another write. The destructor stops a writer that was not stopped before.
  void Stop();

  // Reads what the rules need, decides, and writes. The first plan is made on the calling thread,
  // which may wait for the disk. `done` is called exactly once, on any thread, and must only hand
  // over.
  void Apply(std::vector<Change> changes, const Caller& caller, std::optional<IdempotencyKey> key,
             WriteDone done);
  // Does writes of the DynamoDB API, with the rules of this application for its tables.
  void Guard(engine::WriteRequest request, engine::WriteCallback callback);
  void Run(OperationCall call, const Caller& caller, std::optional<IdempotencyKey> key,
           WriteDone done);

  // Makes the markers of unique values for items that are older than the rule, unless that was done
  // for these rules before. Then goes on with the copy jobs that an earlier writer has left. Called
  // before anything is served.
  Status AdoptExisting();

  // Goes on with the copy jobs that no server is doing any more. Called from time to time.
  Status ResumeJobs();

  // Whether copies are still being brought up to date in the background.
  bool HasJobs() const;
  void WaitForJobs() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace monotable::entities
