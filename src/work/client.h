#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace monotable::work {

// What one client has used lately, in units of the meter. What was used fades: half of it in each
// interval. Clients that use little go before clients that use much. Thread-safe; two threads that
// add at the same moment may lose a part of one addition, which does not matter.
class Account {
 public:
  void Add(uint64_t units);
  // Whether the client has used enough lately to wait behind others.
  bool is_heavy() const;

 private:
  uint64_t Faded(int64_t interval) const;

  std::atomic<uint64_t> units_ = 0;
  std::atomic<int64_t> interval_ = 0;  // of the last addition
};

// The one for whom a request is done. Implementations must be thread-safe.
class Client {
 public:
  virtual ~Client() = default;
  // Whether nobody waits for the result any more. Asked from time to time by long work.
  virtual bool is_gone() const = 0;
  // Null if nobody keeps account.
  virtual Account* account() const = 0;
};

using ClientPtr = std::shared_ptr<const Client>;

// The client for whom this thread works; null if there is none.
const ClientPtr& ThisClient();

// Says for whom this thread works, as long as the scope lives.
class ClientScope {
 public:
  explicit ClientScope(ClientPtr client);
  ~ClientScope();
  ClientScope(const ClientScope&) = delete;
  ClientScope& operator=(const ClientScope&) = delete;

 private:
  ClientPtr before_;
};

}  // namespace monotable::work
