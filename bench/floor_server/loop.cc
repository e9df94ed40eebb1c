#include "loop.h"

#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace monotable::bench {
namespace {

constexpr size_t kFirstInputBytes = size_t{16} << 10;

}  // namespace

Loop::Connection::Connection(int connected_socket)
    : socket(connected_socket), input(kFirstInputBytes) {}

Loop::Connection::~Connection() {
  close(socket);  // which also takes it out of epoll
}

Loop::Loop(rocksdb::DB* db) : epoll_(epoll_create1(EPOLL_CLOEXEC)), store_(db) {}

void Loop::Adopt(int socket) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = new Connection(socket);
  epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event);
}

void Loop::Run() {
  std::array<epoll_event, 256> events;
  while (true) {
    const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < count; ++i) {
      Connection* connection =
          Receive(static_cast<Connection*>(events[static_cast<size_t>(i)].data.ptr));
      if (connection == nullptr) continue;
      if (Answer(*connection)) {
        committing_.push_back(connection);
      } else {
        Send(connection);
      }
    }
    store_.Commit();
    for (Connection* connection : committing_) Send(connection);
    committing_.clear();
  }
}

Loop::Connection* Loop::Receive(Connection* connection) {
  std::vector<char>& input = connection->input;
  if (connection->filled + simdjson::SIMDJSON_PADDING == input.size()) {
    input.resize(input.size() * 2);
  }
  const ssize_t received = recv(connection->socket, input.data() + connection->filled,
                                input.size() - connection->filled - simdjson::SIMDJSON_PADDING, 0);
  if (received <= 0) {
    delete connection;
    return nullptr;
  }
  connection->filled += static_cast<size_t>(received);
  return connection;
}

bool Loop::Answer(Connection& connection) {
  std::string_view input(connection.input.data(), connection.filled);
  bool must_wait = false;
  while (const std::optional<HttpRequest> request = ParseRequest(input)) {
    must_wait |= store_.Handle(*request, &connection.answer);
    input.remove_prefix(request->bytes);
  }
  if (!input.empty()) std::memmove(connection.input.data(), input.data(), input.size());
  connection.filled = input.size();
  return must_wait;
}

// The peer waits for each answer before it asks again, so the answer always fits into the buffer
// of the socket. A peer that asks without listening loses its connection.
void Loop::Send(Connection* connection) {
  std::string& answer = connection->answer;
  if (answer.empty()) return;
  const ssize_t sent = send(connection->socket, answer.data(), answer.size(), MSG_NOSIGNAL);
  const bool is_all = sent == static_cast<ssize_t>(answer.size());
  answer.clear();
  if (!is_all) delete connection;
}

}  // namespace monotable::bench
