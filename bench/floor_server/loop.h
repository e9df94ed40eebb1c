#pragma once

#include <string>
#include <vector>

#include <rocksdb/db.h>

#include "item_store.h"

namespace monotable::bench {

// One thread's connections. Each round of epoll reads once from every connection that has
// something, answers reads at once, then commits the puts of the round together and answers them.
class Loop {
 public:
  explicit Loop(rocksdb::DB* db);
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Takes a connected, non-blocking socket. Thread-safe.
  void Adopt(int socket);

  // Serves until the process ends.
  [[noreturn]] void Run();

 private:
  struct Connection {
    explicit Connection(int connected_socket);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    const int socket;
    // The first `filled` bytes are received and not answered; padding follows.
    std::vector<char> input;
    size_t filled = 0;
    std::string answer;
  };

  // Null when the peer is gone; deletes the connection then.
  Connection* Receive(Connection* connection);
  // Whether the answers must wait for a commit.
  bool Answer(Connection& connection);
  void Send(Connection* connection);

  const int epoll_;
  ItemStore store_;
  std::vector<Connection*> committing_;
};

}  // namespace monotable::bench
