#include "http/connection.h"

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "time/calendar.h"

namespace monotable::http {
namespace {

void AppendHeader(std::string_view name, std::string_view value, std::string* out) {
  out->append(name).append(": ").append(value).append("\r\n");
}

// The reason phrase of a status; "Unknown" for a status that this server never sends.
std::string_view StatusText(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Unknown";
  }
}

using std::chrono::milliseconds;

// Closing a socket while the client still sends makes the kernel reset the connection, and the
// answer may be lost with it. So a connection that ends early reads on for a moment.
constexpr milliseconds kLingerTime{1000};
constexpr size_t kMaxLingerBytes = 4 * 1024 * 1024;

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

constexpr std::string_view kTooManyLargeRequests =
    "The server is reading too many large requests. Try again.";

// Copying a small body behind its head costs less than having the kernel gather the two.
constexpr size_t kCopiedBodyBytes = 4096;
// How much of its buffer a connection keeps between requests; many connections may be waiting.
constexpr size_t kKeptBytes = 2048;

constexpr uint32_t kInput = EPOLLIN | EPOLLRDHUP;

}  // namespace

void ResponseHeadWriter::Write(const Response& response, Persistence persistence, time_t now,
                               std::string* out) {
  if (now != date_second_) {
    date_second_ = now;
    date_line_ = "Date: " + time::FormatHttpDate(int64_t{now} * 1000) + "\r\n";
  }
  const fmt::format_int status(response.status);
  const fmt::format_int length(response.body.size());
  out->append("HTTP/1.1 ").append(status.data(), status.size()).append(" ");
  out->append(StatusText(response.status)).append("\r\n").append(date_line_);
  if (!response.content_type.empty()) AppendHeader("Content-Type", response.content_type, out);
  // RFC 9110 section 8.6: an answer without content has no length.
  if (response.status != 204 && response.status != 304) {
    AppendHeader("Content-Length", {length.data(), length.size()}, out);
  }
  for (const auto& [name, value] : response.headers) AppendHeader(name, value, out);
  if (persistence == Persistence::kClose) out->append("Connection: close\r\n");
  if (persistence == Persistence::kKeepAlive) out->append("Connection: keep-alive\r\n");
  out->append("\r\n");
}

ConnectionContext::ConnectionContext(const ServerOptions& server_options, Handler& request_handler,
                                     MemoryBudget& memory_budget,
                                     const std::atomic<bool>& server_draining)
    : options(server_options),
      handler(request_handler),
      budget(memory_budget),
      inbox(std::make_shared<Inbox>()),
      epoll(epoll_create1(EPOLL_CLOEXEC)),
      draining(server_draining),
      now(std::chrono::steady_clock::now()),
      idle(options.idle_timeout),
      head(options.header_timeout),
      body(options.body_timeout),
      write(options.write_timeout),
      linger(kLingerTime) {}

Connection::Connection(ConnectionContext& context, FileDescriptor socket, uint64_t id)
    : context_(context),
      socket_(std::move(socket)),
      id_(id),
      parser_({context.options.max_header_bytes, context.options.max_body_bytes}) {
  Enter(Phase::kIdle);
}

bool Connection::Open() {
  epoll_event event{};
  event.events = watched_ = kInput;
  event.data.u64 = id_;
  return epoll_ctl(context_.epoll.get(), EPOLL_CTL_ADD, fd(), &event) == 0;
}

void Connection::Watch(uint32_t events) {
  if (events == watched_) return;
  epoll_event event{};
  event.events = watched_ = events;
  event.data.u64 = id_;
  if (epoll_ctl(context_.epoll.get(), EPOLL_CTL_MOD, fd(), &event) != 0) Close();
}

void Connection::Enter(Phase phase) {
  phase_ = phase;
  switch (phase) {
    case Phase::kIdle:
      return context_.idle.Join(*this, context_.now);
    case Phase::kHead:
      return context_.head.Join(*this, context_.now);
    case Phase::kBody:
      return context_.body.Join(*this, context_.now);
    case Phase::kWriting:
      return context_.write.Join(*this, context_.now);
    case Phase::kLingering:
      return context_.linger.Join(*this, context_.now);
    case Phase::kHandling:
    case Phase::kClosed:
      return Leave();
  }
}

void Connection::OnEvents(uint32_t events) {
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) return Close();
  if ((events & EPOLLRDHUP) != 0) {
    client_finished_ = true;
    Abandon();
  }
  if ((events & EPOLLOUT) != 0 && phase_ == Phase::kWriting) {
    SendAnswer();
  }
  if ((events & kInput) != 0 && !closed()) Receive();
}

void Connection::Abandon() {
  if (const auto target = handled_.lock()) target->Abandon();
}

void Connection::Receive() {
  Resume();  // what came earlier goes first
  if (closed()) return;
  if (phase_ == Phase::kHandling || phase_ == Phase::kWriting) {
    // Only a client that sends ahead or has closed its side gets here: what it sends waits in the
    // kernel until the answer is out. While the request is being handled, the end of the client is
    // still watched for, because nobody may need the answer then.
    const uint32_t output = watched_ & EPOLLOUT;
    return Watch(client_finished_ || phase_ == Phase::kWriting ? output : output | EPOLLRDHUP);
  }
  auto& buffer = context_.received;
  const ssize_t received = recv(fd(), buffer.data(), buffer.size(), 0);
  if (received < 0) {
    if (errno != EAGAIN && errno != EINTR) Close();
    return;
  }
  if (received == 0) return Close();
  const auto size = static_cast<size_t>(received);
  if (phase_ == Phase::kLingering) {
    lingered_bytes_ += size;
    if (lingered_bytes_ > kMaxLingerBytes) Close();
    return;
  }
  Parse({buffer.data(), size});
}

void Connection::Parse(std::string_view bytes) {
  using State = RequestParser::State;
  while (reading() && (!bytes.empty() || parser_.state() == State::kHeadDone)) {
    bytes.remove_prefix(parser_.Feed(bytes));
    if (!ReserveBody()) return Fail(503, kTooManyLargeRequests);
    switch (parser_.state()) {
      case State::kIdle:
        break;
      case State::kHead:
        if (phase_ != Phase::kHead) Enter(Phase::kHead);
        break;
      case State::kHeadDone:
        if (!AdmitBody(!bytes.empty())) return;
        break;
      case State::kBody:
        if (phase_ != Phase::kBody) Enter(Phase::kBody);
        break;
      case State::kDone:
        Dispatch();
        break;
      case State::kFailed:
        return Fail(parser_.error().status, parser_.error().reason);
    }
  }
  if (!closed() && phase_ != Phase::kLingering) unparsed_.append(bytes);
}

bool Connection::ReserveBody() {
  const size_t bytes = parser_.body_capacity();
  if (bytes <= RequestParser::kSmallBodyBytes + Request::kPadding) return true;
  return reservation_.GrowTo(bytes, context_.budget);
}

bool Connection::AdmitBody(bool has_begun) {
  const uint64_t length = parser_.framing().content_length;
  if (length > RequestParser::kSmallBodyBytes && !context_.budget.HasRoom(length)) {
    Fail(503, kTooManyLargeRequests);
    return false;
  }
  if (!parser_.framing().expects_continue || has_begun) return true;
  const ssize_t sent = send(fd(), kContinue.data(), kContinue.size(), MSG_NOSIGNAL);
  if (sent == static_cast<ssize_t>(kContinue.size())) return true;
  Close();
  return false;
}

void Connection::Dispatch() {
  std::unique_ptr<Request::Storage> storage = parser_.Take();
  storage->reservation = std::move(reservation_);
  close_after_answer_ = !parser_.framing().keep_alive;
  Enter(Phase::kHandling);
  in_handler_ = true;
  auto target = std::make_shared<Responder::Target>(context_.inbox, id_, account_);
  handled_ = target;
  if (client_finished_) target->Abandon();
  context_.handler.Handle(Request(std::move(storage)), Responder(std::move(target)));
  in_handler_ = false;
}

bool Connection::TakeAnswer(Answer answer) {
  if (phase_ != Phase::kHandling) return false;
  std::optional<Response> given = answer.Take();
  Response response =
      given ? *std::move(given)
            : context_.handler.HandleProtocolError(500, "The request was not answered.", "");
  if (!close_after_answer_ && (response.close || context_.draining)) {
    close_after_answer_ = linger_after_answer_ = true;
  }
  PrepareAnswer(std::move(response));
  return true;
}

void Connection::SendAnswer() {
  if (phase_ != Phase::kWriting) return;
  Flush();
  Resume();
}

void Connection::Resume() {
  if (phase_ != Phase::kIdle || unparsed_.empty()) return;
  const std::string bytes = std::exchange(unparsed_, {});
  Parse(bytes);
}

void Connection::Fail(int status, std::string_view reason) {
  close_after_answer_ = linger_after_answer_ = true;
  reservation_ = {};
  PrepareAnswer(context_.handler.HandleProtocolError(status, reason, parser_.target()));
  Flush();
}

void Connection::PrepareAnswer(Response response) {
  Persistence persistence = Persistence::kImplied;
  if (close_after_answer_) {
    persistence = Persistence::kClose;
  } else if (parser_.framing().minor_version == 0) {
    persistence = Persistence::kKeepAlive;
  }
  answer_head_.clear();
  context_.heads.Write(response, persistence, ::time(nullptr), &answer_head_);
  const bool has_body =
      !parser_.is_head_request() && response.status != 204 && response.status != 304;
  answer_body_ = has_body ? std::move(response.body) : std::string();
  if (answer_body_.size() <= kCopiedBodyBytes) {
    answer_head_.append(answer_body_);
    answer_body_.clear();
  }
  written_ = 0;
  Enter(Phase::kWriting);
}

void Connection::Flush() {
  const size_t size = answer_head_.size() + answer_body_.size();
  while (written_ < size) {
    iovec parts[2];
    size_t count = 0;
    if (written_ < answer_head_.size()) {
      parts[count++] = {answer_head_.data() + written_, answer_head_.size() - written_};
    }
    const size_t skip = written_ > answer_head_.size() ? written_ - answer_head_.size() : 0;
    if (skip < answer_body_.size()) {
      parts[count++] = {answer_body_.data() + skip, answer_body_.size() - skip};
    }
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = count;
    const ssize_t sent = count == 1 ? send(fd(), parts[0].iov_base, parts[0].iov_len, MSG_NOSIGNAL)
                                    : sendmsg(fd(), &message, MSG_NOSIGNAL);
    if (sent >= 0) {
      written_ += static_cast<size_t>(sent);
    } else if (errno == EAGAIN) {
      return Watch(watched_ | EPOLLOUT);
    } else if (errno != EINTR) {
      return Close();
    }
  }
  FinishAnswer();
}

void Connection::FinishAnswer() {
  if (answer_head_.capacity() > kKeptBytes) answer_head_ = {};
  answer_body_ = {};
  if (!close_after_answer_) {
    Enter(Phase::kIdle);
    Watch(kInput);
    // Draining may have begun after the answer was made; in that case the answer does not announce
    // the end of the connection.
    if (context_.draining) StartDraining();
  } else if (linger_after_answer_ || !unparsed_.empty()) {
    Linger();
  } else {
    Close();
  }
}

void Connection::Linger() {
  unparsed_ = {};
  shutdown(fd(), SHUT_WR);
  Enter(Phase::kLingering);
  Watch(kInput);
}

void Connection::OnDeadline() {
  switch (phase_) {
    case Phase::kHead:
      return Fail(408, "The headers of the request took too long.");
    case Phase::kBody:
      return Fail(408, "The body of the request took too long.");
    case Phase::kWriting: {
      // Resets the connection. Otherwise the kernel would keep the rest of the answer for the
      // client.
      const linger reset{1, 0};
      setsockopt(fd(), SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
      return Close();
    }
    case Phase::kIdle:
    case Phase::kLingering:
      return Close();
    case Phase::kHandling:
    case Phase::kClosed:
      return;
  }
}

void Connection::StartDraining() {
  // A request may have come since the loop last looked.
  if (phase_ == Phase::kIdle) Receive();
  if (phase_ == Phase::kIdle) Close();
}

void Connection::Refuse() {
  Fail(503, "The server has too many connections. Try again.");
}

void Connection::Close() {
  socket_.Close();
  Enter(Phase::kClosed);
  Abandon();
  unparsed_ = {};
  answer_body_ = {};
  reservation_ = {};
}

}  // namespace monotable::http
