#include "storage/store.h"

#include <future>
#include <string>
#include <utility>

namespace monotable::storage {
namespace {

using DecideFunction =
    std::function<void(std::span<const std::optional<std::string_view>>, const Commit&, Batch*)>;

// The update may keep a reference to the function, because UpdateAndWait returns only after Done.
class WaitedUpdate : public Update {
 public:
  WaitedUpdate(std::vector<std::string> keys, const DecideFunction& decide,
               std::promise<Status> done)
      : keys_(std::move(keys)), decide_(decide), done_(std::move(done)) {}

  std::span<const std::string> keys() const override { return keys_; }

  void Decide(std::span<const std::optional<std::string_view>> values, const Commit& commit,
              Batch* batch) override {
    decide_(values, commit, batch);
  }

  void Done(Status status) override { done_.set_value(std::move(status)); }

 private:
  const std::vector<std::string> keys_;
  const DecideFunction& decide_;
  std::promise<Status> done_;
};

}  // namespace

Error OutOfMemory() {
  return Error(ErrorCode::kUnavailable,
               "The server does not have enough memory for this write. Try again later, or write "
               "less in one request.");
}

Status UpdateAndWait(Store& store, std::vector<std::string> keys, const DecideFunction& decide) {
  std::promise<Status> done;
  std::future<Status> status = done.get_future();
  store.Submit(std::make_unique<WaitedUpdate>(std::move(keys), decide, std::move(done)));
  return status.get();
}

Result<int64_t> ReadCounter(const Reader& reader, std::string_view key) {
  std::string bytes;
  TRY_ASSIGN(const bool found, reader.Get(key, &bytes));
  if (!found) return int64_t{0};
  return DecodeCounter(bytes);
}

}  // namespace monotable::storage
