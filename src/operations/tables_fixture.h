#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/engine.h"
#include "operations/tables.h"
#include "storage/memory/memory_store.h"

// What the tests of table operations start from: an engine over a memory store, and requests that
// are right as they are.
namespace monotable::operations {

class TablesFixture : public testing::Test {
 protected:
  class SettableClock : public engine::Clock {
   public:
    int64_t NowMs() const override { return now_ms; }
    std::atomic<int64_t> now_ms = 1'763'116'200'123;  // 2025-11-14T10:30:00.123
  };

  TablesFixture() : store_(storage::NewMemoryStore({.now = [this] { return clock_.NowMs(); }})) {
    auto opened = engine::Engine::Open(*store_, clock_, {});
    EXPECT_TRUE(opened) << opened.error().message();
    engine_ = std::move(opened).value();
  }

  engine::Engine& engine() { return *engine_; }
  engine::Repeater& housekeeping() { return engine_->housekeeping(); }

  static table::KeyAttribute S(std::string name) { return {std::move(name), item::Type::kString}; }
  static table::KeyAttribute N(std::string name) { return {std::move(name), item::Type::kNumber}; }
  static KeySchemaElement Hash(std::string name) { return {std::move(name), false}; }
  static KeySchemaElement Range(std::string name) { return {std::move(name), true}; }

  static IndexParameter Index(std::string name, std::vector<KeySchemaElement> key) {
    IndexParameter index;
    index.index_name = std::move(name);
    index.key_schema = std::move(key);
    index.projection.type = table::ProjectionType::kAll;
    return index;
  }

  // An on-demand table with the keys PK and SK.
  static CreateTableRequest Table(std::string name) {
    CreateTableRequest request;
    request.table_name = std::move(name);
    request.attribute_definitions = {{S("PK"), S("SK")}};
    request.key_schema = {{Hash("PK"), Range("SK")}};
    request.billing_mode = table::BillingMode::kPayPerRequest;
    return request;
  }

  // The same with provisioned throughput of 5 and 6.
  static CreateTableRequest ProvisionedTable(std::string name) {
    CreateTableRequest request = Table(std::move(name));
    request.billing_mode = table::BillingMode::kProvisioned;
    request.throughput = {5, 6};
    return request;
  }

  void Create(const CreateTableRequest& request) {
    const auto created = CreateTable(engine(), request);
    ASSERT_TRUE(created) << created.error().message();
  }

  engine::TablePtr Find(std::string_view name) { return engine_->catalog().Find(name); }

  // The text of an error of the expected kind, or that there was none.
  template <typename T>
  static std::string Refusal(const Result<T>& result, ErrorCode code = ErrorCode::kValidation) {
    if (result) return "(accepted)";
    EXPECT_EQ(static_cast<int>(result.error().code()), static_cast<int>(code))
        << result.error().message();
    return result.error().message();
  }

  // The same without the words that most refusals begin with.
  template <typename T>
  static std::string Invalid(const Result<T>& result) {
    const std::string prefix = "One or more parameter values were invalid: ";
    const std::string text = Refusal(result);
    return text.starts_with(prefix) ? text.substr(prefix.size()) : "(without prefix) " + text;
  }

  SettableClock clock_;  // of the engine and of the store
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<engine::Engine> engine_;
};

}  // namespace monotable::operations
