#include "http/connection.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace monotable::http {
namespace {

using std::chrono::milliseconds;
using Use = MemoryBudget::Use;

// Closing a socket while the client still sends makes the kernel reset the connection, and the
// answer may be lost with it. So a connection that ends early reads on, until the client has been
// silent for a while or has sent more than it should.
constexpr milliseconds kLingerTime{2000};
constexpr milliseconds kMaxLingerTime{30000};
constexpr size_t kMaxLingerBytes = 64 * 1024 * 1024;
constexpr size_t kDiscardedTogether = 1024 * 1024;

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

constexpr std::string_view kNoMemory =
    "The server has too many large requests at the same time. Try again.";
constexpr std::string_view kTooSlow =
    "The server needs the memory of the request, which came too slowly. Try again.";
constexpr std::string_view kNotAnswered = "The request was not answered.";

// What working on a request takes, as a multiple of its body: the parsed JSON and the items.
constexpr size_t kWorkFactor = 4;
// Who has more memory than this must move when others wait for memory: a second, and then at least
// a byte in each microsecond.
constexpr size_t kDawdlersBytes = RequestParser::kSmallBodyBytes;
constexpr milliseconds kPatience{1000};

// Copying a small body behind its head costs less than having the kernel gather the two.
constexpr size_t kCopiedBodyBytes = 4096;
// How much of its buffer a connection keeps between requests; many connections may be waiting.
constexpr size_t kKeptBytes = 2048;
// How much is sent before the other connections have their turn.
constexpr size_t kSentTogether = 128 * 1024;

// The memory of larger answers is given back while they are sent.
constexpr size_t kGivenBackBytes = 1024 * 1024;

// Gives the memory of a part of an answer back, which the kernel has sent: to give back many
// megabytes at once would hold up the other connections. The content is lost.
void GiveBack(std::string& answer, size_t begin, size_t end) {
  static const auto kPageBytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<uintptr_t>(answer.data());
  const auto first = (start + kPageBytes - 1) / kPageBytes * kPageBytes;
  const uintptr_t from = std::max(first, (start + begin) / kPageBytes * kPageBytes);
  const uintptr_t to = (start + end) / kPageBytes * kPageBytes;
  if (from < to) madvise(answer.data() + (from - start), to - from, MADV_DONTNEED);
}

// Assigning an empty string would keep the memory.
void Release(std::string* text) {
  std::string().swap(*text);
}

constexpr uint32_t kInput = EPOLLIN | EPOLLRDHUP;

}  // namespace

ConnectionContext::ConnectionContext(const ServerOptions& server_options, Handler& request_handler,
                                     std::shared_ptr<MemoryBudget> memory_budget,
                                     const std::atomic<bool>& server_draining,
                                     ConnectionCounts& server_counts)
    : options(server_options),
      handler(request_handler),
      inbox(std::make_shared<Inbox>(std::move(memory_budget))),
      budget(inbox->budget()),
      epoll(epoll_create1(EPOLL_CLOEXEC)),
      draining(server_draining),
      counts(server_counts),
      now(std::chrono::steady_clock::now()),
      fresh(options.idle_timeout),
      idle(options.idle_timeout),
      head(options.header_timeout),
      body(options.body_timeout),
      memory(options.memory_wait),
      write(options.write_timeout),
      linger(kLingerTime) {}

Connection::Connection(ConnectionContext& context, FileDescriptor socket, uint64_t id)
    : context_(context),
      socket_(std::move(socket)),
      id_(id),
      parser_({context.options.max_header_bytes, context.options.max_body_bytes}) {
  basic_.GrowAnyway(kReservedBytes, context_.budget);
  Enter(Phase::kFresh);
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
  constexpr auto kRelaxed = std::memory_order_relaxed;
  if (phase_ == Phase::kFresh) context_.counts.fresh.fetch_sub(1, kRelaxed);
  if (phase == Phase::kFresh) context_.counts.fresh.fetch_add(1, kRelaxed);
  if (phase_ == Phase::kLingering) context_.counts.lingering.fetch_sub(1, kRelaxed);
  if (phase == Phase::kLingering) context_.counts.lingering.fetch_add(1, kRelaxed);
  if (phase_ == Phase::kWaiting) context_.budget.EndWaiting();
  if (phase == Phase::kWaiting) context_.budget.BeginWaiting();
  phase_ = phase;
  since_ = context_.now;
  switch (phase) {
    case Phase::kFresh:
      return context_.fresh.Join(*this, context_.now);
    case Phase::kIdle:
      return context_.idle.Join(*this, context_.now);
    case Phase::kHead:
      return context_.head.Join(*this, context_.now);
    case Phase::kBody:
      return context_.body.Join(*this, context_.now);
    case Phase::kWaiting:
      return context_.memory.Join(*this, context_.now);
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
  // A client that is gone may have left bytes, and closing before they are read resets it.
  const bool can_discard = phase_ == Phase::kLingering && (events & EPOLLIN) != 0;
  if ((events & EPOLLERR) != 0 || ((events & EPOLLHUP) != 0 && !can_discard)) return Close();
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
  if (phase_ == Phase::kLingering) return Discard();
  if (!reading() || has_requests()) {
    // Only a client that sends ahead or has closed its side gets here: what it sends waits in the
    // kernel until the answer is out.
    return Watch((watched_ & EPOLLOUT) | InputWhileBusy());
  }
  auto& buffer = context_.received;
  const ssize_t received = recv(fd(), buffer.data(), buffer.size(), 0);
  if (received < 0) {
    if (errno != EAGAIN && errno != EINTR) Close();
    return;
  }
  if (received == 0) return Close();
  const std::string_view bytes(buffer.data(), static_cast<size_t>(received));
  const size_t parsed = Parse(bytes);
  if (parsed == bytes.size() || phase_ >= Phase::kLingering) return;
  unparsed_ = bytes.substr(parsed);
  parsed_ = 0;
  if (unparsed_.size() > kReservedBytes) received_.GrowAnyway(unparsed_.size(), context_.budget);
}

// While a request is being handled, the end of the client is still watched for, because nobody may
// need the answer then.
uint32_t Connection::InputWhileBusy() const {
  return client_finished_ || phase_ == Phase::kWriting ? 0u : uint32_t{EPOLLRDHUP};
}

void Connection::Discard() {
  const ssize_t discarded = recv(fd(), nullptr, kDiscardedTogether, MSG_TRUNC);
  if (discarded < 0) {
    if (errno != EAGAIN && errno != EINTR) Close();
    return;
  }
  lingered_bytes_ += static_cast<size_t>(discarded);
  const size_t limit = kMaxLingerBytes + context_.options.max_body_bytes;
  if (discarded == 0 || lingered_bytes_ > limit || context_.now - since_ > kMaxLingerTime) {
    return Close();
  }
  if (!context_.draining) context_.linger.Join(*this, context_.now);
}

void Connection::Resume() {
  if (!reading()) return;
  std::string bytes = std::exchange(unparsed_, {});
  size_t parsed = std::exchange(parsed_, 0);
  parsed += Parse(std::string_view(bytes).substr(parsed));
  if (parsed < bytes.size() && phase_ < Phase::kLingering) {
    unparsed_ = std::move(bytes);
    parsed_ = parsed;
  } else if (reading()) {
    Watch(kInput);
  }
}

size_t Connection::Parse(std::string_view bytes) {
  const size_t size = bytes.size();
  while (reading() && (!bytes.empty() || parser_.state() == RequestParser::State::kHeadDone)) {
    bytes.remove_prefix(parser_.Feed(bytes));
    Advance(!bytes.empty());
  }
  return size - bytes.size();
}

void Connection::Advance(bool has_more) {
  using State = RequestParser::State;
  const State state = parser_.state();
  if (state == State::kIdle) return;
  if (state == State::kFailed) return Fail(parser_.error().status, parser_.error().reason);
  if (!Reserve()) {
    if (phase_ == Phase::kWaiting) return;
    Enter(Phase::kWaiting);
    return Watch(InputWhileBusy());
  }
  switch (state) {
    case State::kHead:
      if (phase_ != Phase::kHead) Enter(Phase::kHead);
      break;
    case State::kHeadDone:
      if (parser_.framing().expects_continue && !has_more && !Continue()) return;
      [[fallthrough]];
    case State::kBody:
      if (phase_ != Phase::kBody) Enter(Phase::kBody);
      break;
    default:
      Dispatch();
  }
}

bool Connection::Reserve() {
  using State = RequestParser::State;
  const State state = parser_.state();
  const Framing& framing = parser_.framing();
  // A body that was announced is reserved whole, so that those that have begun can end.
  if (state == State::kBody && !framing.chunked) return true;
  size_t body = parser_.body_bytes();
  size_t bytes = parser_.bytes_taken();
  if (state == State::kHeadDone) {
    body = framing.content_length;
    bytes += body + Request::kPadding;
  } else if (state == State::kDone) {
    bytes += kWorkFactor * body;
  }
  if (bytes <= kReservedBytes) return true;
  Use use = Use::kAny;
  if (body > RequestParser::kSmallBodyBytes) {
    use = state == State::kDone ? Use::kLargeWork : Use::kLargeBody;
  }
  return received_.GrowTo(bytes, use, context_.budget);
}

void Connection::Retry() {
  Advance(parsed_ < unparsed_.size());
  if (phase_ == Phase::kWaiting || closed()) return;
  if (reading()) {
    Resume();
  } else if (phase_ == Phase::kHandling) {
    Watch(kInput);
  }
}

void Connection::DropIfDawdling() {
  if (received_.bytes() + answered_.bytes() <= kDawdlersBytes) return;
  size_t moved = parser_.body_bytes();
  if (phase_ == Phase::kWriting) {
    // What the kernel has taken and the client has not does not count.
    int waiting = 0;
    ioctl(fd(), SIOCOUTQ, &waiting);
    moved = written_ - std::min(written_, static_cast<size_t>(waiting));
  }
  if (context_.now - since_ < kPatience + std::chrono::microseconds(moved)) return;
  if (phase_ == Phase::kWriting) {
    Reset();
  } else {
    Fail(503, kTooSlow);
  }
}

bool Connection::Continue() {
  const ssize_t sent = send(fd(), kContinue.data(), kContinue.size(), MSG_NOSIGNAL);
  if (sent == static_cast<ssize_t>(kContinue.size())) return true;
  Close();
  return false;
}

void Connection::Dispatch() {
  std::unique_ptr<Request::Storage> storage = parser_.Take();
  storage->reservation = std::move(received_);
  close_after_answer_ = !parser_.framing().keep_alive;
  Enter(Phase::kHandling);
  handled_.reset();
  in_handler_ = true;
  try {
    auto target = std::make_shared<Responder::Target>(context_.inbox, id_, account_);
    handled_ = target;
    if (client_finished_) target->Abandon();
    context_.handler.Handle(Request(std::move(storage)), Responder(std::move(target)));
  } catch (const std::exception&) {
    // The end of the responder has answered, unless there was none.
    if (phase_ == Phase::kHandling && handled_.expired()) Fail(500, kNotAnswered);
  }
  in_handler_ = false;
}

bool Connection::TakeAnswer(Answer answer) {
  if (phase_ != Phase::kHandling) return false;
  std::optional<Response> response = answer.Take();
  if (!response) {
    response = context_.handler.HandleProtocolError(
        answer.no_memory ? 503 : 500, answer.no_memory ? kNoMemory : kNotAnswered, "");
  }
  if (!close_after_answer_ && (response->close || context_.draining)) {
    close_after_answer_ = linger_after_answer_ = true;
  }
  answered_ = std::move(answer.reservation);
  PrepareAnswer(*std::move(response));
  return true;
}

void Connection::SendAnswer() {
  if (phase_ == Phase::kWriting) Flush();
}

void Connection::Fail(int status, std::string_view reason) {
  close_after_answer_ = linger_after_answer_ = true;
  Response response = context_.handler.HandleProtocolError(status, reason, parser_.target());
  parser_.Discard();
  received_ = {};
  PrepareAnswer(std::move(response));
  Flush();
}

void Connection::OnException() {
  try {
    if (phase_ <= Phase::kHandling) {
      return phase_ == Phase::kHandling ? Fail(500, kNotAnswered) : Fail(503, kNoMemory);
    }
  } catch (const std::exception&) {
  }
  Close();
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
  const size_t bytes = answer_head_.capacity() + answer_body_.capacity();
  if (bytes > kReservedBytes) answered_.GrowAnyway(bytes, context_.budget);
  written_ = 0;
  Enter(Phase::kWriting);
}

void Connection::Flush() {
  const size_t size = answer_head_.size() + answer_body_.size();
  const size_t end = written_ + kSentTogether;
  while (written_ < size) {
    if (written_ >= end) return Watch(watched_ | EPOLLOUT);
    iovec parts[2];
    size_t count = 0;
    if (written_ < answer_head_.size()) {
      parts[count++] = {answer_head_.data() + written_, answer_head_.size() - written_};
    }
    const size_t skip = written_ > answer_head_.size() ? written_ - answer_head_.size() : 0;
    if (skip < answer_body_.size()) {
      // The kernel would take several megabytes at once, which take milliseconds.
      parts[count++] = {answer_body_.data() + skip,
                        std::min(answer_body_.size() - skip, kSentTogether)};
    }
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = count;
    const ssize_t sent = count == 1 ? send(fd(), parts[0].iov_base, parts[0].iov_len, MSG_NOSIGNAL)
                                    : sendmsg(fd(), &message, MSG_NOSIGNAL);
    if (sent >= 0) {
      written_ += static_cast<size_t>(sent);
      if (answer_body_.size() >= kGivenBackBytes) {
        GiveBack(answer_body_, skip, written_ - std::min(written_, answer_head_.size()));
      }
    } else if (errno == EAGAIN) {
      return Watch(watched_ | EPOLLOUT);
    } else if (errno != EINTR) {
      return Close();
    }
  }
  FinishAnswer();
}

void Connection::FinishAnswer() {
  if (answer_head_.capacity() > kKeptBytes) Release(&answer_head_);
  Release(&answer_body_);
  answered_ = {};
  if (!close_after_answer_) {
    Enter(unparsed_.empty() ? Phase::kIdle : Phase::kHead);
    Watch(unparsed_.empty() ? kInput : InputWhileBusy());
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
  Release(&unparsed_);
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
    case Phase::kWaiting:
      return Fail(503, kNoMemory);
    case Phase::kWriting:
      return Reset();
    case Phase::kFresh:
    case Phase::kIdle:
    case Phase::kLingering:
      return Close();
    case Phase::kHandling:
    case Phase::kClosed:
      return;
  }
}

// Otherwise the kernel would keep the rest of the answer for the client.
void Connection::Reset() {
  const linger reset{1, 0};
  setsockopt(fd(), SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
  Close();
}

void Connection::StartDraining() {
  // A request may have come since the loop last looked.
  if (phase_ <= Phase::kIdle) Receive();
  if (phase_ <= Phase::kIdle) Close();
}

void Connection::Refuse() {
  Fail(503, "The server has too many connections. Try again.");
}

void Connection::Close() {
  socket_.Close();
  Enter(Phase::kClosed);
  Abandon();
  Release(&unparsed_);
  Release(&answer_body_);
  received_ = {};
  answered_ = {};
}

}  // namespace monotable::http
