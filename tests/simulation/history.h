#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulation/call.h"
#include "simulation/model.h"
#include "simulation/server.h"

namespace monotable::simulation {

// A call with its reply. The two ticks are of one clock that all clients share: a call that ended
// before another one started has the smaller tick.
struct Event {
  Call call;
  Reply reply;
  uint64_t start = 0;
  uint64_t end = 0;
};

// Explains what several clients saw by the order of commits in the change log.
//
// The log says which writes happened and in which order. Replayed into the model from the state at
// the beginning, every record must be what the model makes of the call that it came from: so the
// conditions held, the arithmetic is right, and a transaction is there as a whole or not at all.
// Every successful write must be in the log and no other. The order must not contradict the clock:
// a call that ended before another one started comes first. And every other call, a read or a write
// that was refused, must be what the model answers in some state that was current while the call
// was under way. Together this is strict serialisability, of reads within one page as well. Batches
// of reads are only held to it item by item, as the service promises no more.
class History {
 public:
  // Takes the state at the beginning. Tables may get indexes meanwhile that this state does not
  // know, so a write that does not fit such an index may be refused or not.
  History(const Model& initial, std::vector<Event> events, std::vector<LoggedChange> log);

  // What cannot be explained, or an empty text.
  std::string Check();
  // The state at the end.
  const Model& final_state() const { return final_; }

 private:
  // What one commit did, and the call that it was.
  struct Commit {
    uint64_t sequence = 0;
    std::vector<const LoggedChange*> changes;
    uint64_t start = 0;  // the bounds of the moment, by the calls that asked for it
    uint64_t end = UINT64_MAX;
    std::string id;
  };
  // The items as they were after a commit.
  class Moment;
  using ItemName = std::pair<std::string, std::string>;  // table, key text

  std::string NameOf(const LoggedChange& change) const;
  std::string IndexEvents();
  std::string GroupLog();
  std::string Replay();
  std::string ReplayCommit(const Commit& commit);
  std::string CheckClock() const;
  std::string CheckRest() const;
  std::string Explain(const Event& event) const;
  std::string ExplainWithin(const Call& call, const Reply& reply, uint64_t start,
                            uint64_t end) const;
  // Whether an index that may have been there at the time could have refused the write.
  bool MayBeRefused(const Call& call) const;

  const Model& initial_;
  Model final_;
  std::vector<Event> events_;
  std::vector<LoggedChange> log_;
  std::vector<Commit> commits_;                       // by sequence
  std::map<std::string, std::vector<size_t>> by_id_;  // events of writes; retries share an id
  std::map<std::string, std::string> deletes_;        // ids, by what they deleted
  std::map<std::string, size_t> committed_;           // commits by id
  std::map<ItemName, std::vector<std::pair<size_t, std::optional<Item>>>> versions_;  // by commit
};

}  // namespace monotable::simulation
