#include <future>
#include <thread>

#include "operations/batches.h"
#include "operations/items.h"
#include "operations/read_fixture.h"
#include "operations/transactions.h"

// PutItem, UpdateItem, DeleteItem, BatchWriteItem and TransactWriteItems on the engine.
namespace monotable::operations {
namespace {

using item::Type;

class WriteOperationsTest : public ReadFixture {
 protected:
  WriteOperationsTest() {
    Create("T", {{{"PK", Type::kString}}, {{"SK", Type::kString}}},
           {LocalIndex("LSI", {{{"PK", Type::kString}}, {{"due", Type::kNumber}}}),
            GlobalIndex("GSI", {{{"status", Type::kString}}, {}})});
    Create("Plain", {{{"id", Type::kString}}, {}});
  }

  template <typename Response, typename Request>
  Result<Response> Await(void (*operation)(engine::Engine&, Request, Done<Response>),
                         Request request) {
    std::promise<Result<Response>> promise;
    operation(engine(), std::move(request),
              [&](MakeResponse<Response> make) { promise.set_value(make()); });
    return promise.get_future().get();
  }

  Result<WriteItemResponse> Put(PutItemRequest request) {
    return Await(PutItem, std::move(request));
  }
  Result<WriteItemResponse> Update(UpdateItemRequest request) {
    return Await(UpdateItem, std::move(request));
  }
  Result<WriteItemResponse> Delete(DeleteItemRequest request) {
    return Await(DeleteItem, std::move(request));
  }
  Result<TransactWriteItemsResponse> Transact(TransactWriteItemsRequest request) {
    return Await(TransactWriteItems, std::move(request));
  }

  static PutItemRequest PutOf(item::Item item) {
    PutItemRequest request;
    request.table_name = "T";
    request.item = std::move(item);
    return request;
  }

  static UpdateItemRequest UpdateOf(const char* sk, std::string expression, Values values) {
    UpdateItemRequest request;
    request.table_name = "T";
    request.key = Key(sk);
    request.update_expression = std::move(expression);
    if (!values.empty()) request.attributes.values = std::move(values);
    return request;
  }

  static item::Item Key(const char* sk) { return MakeItem({{"PK", S("p")}, {"SK", S(sk)}}); }

  std::optional<item::Item> Read(item::Item key, std::string table = "T") {
    GetItemRequest request;
    request.table_name = std::move(table);
    request.key = std::move(key);
    const auto response = GetItem(engine(), request);
    if (!response || !response->item) return std::nullopt;
    return Decode(*response->item);
  }
};

TEST_F(WriteOperationsTest, PutReturnsTheOldItemAndItsCapacity) {
  auto first = PutOf(MakeItem({{"PK", S("p")}, {"SK", S("a")}, {"status", S("OPEN")}}));
  first.return_consumed_capacity = ReturnConsumedCapacity::kIndexes;
  first.return_values = ReturnValues::kAllOld;
  first.return_item_collection_metrics = true;
  const auto made = Put(first);
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->attributes);
  EXPECT_EQ(made->consumed_capacity->total.total, 2);
  EXPECT_EQ(made->consumed_capacity->table.total, 1);
  EXPECT_EQ(made->consumed_capacity->global_indexes.at("GSI").total, 1);
  EXPECT_TRUE(made->consumed_capacity->local_indexes.empty());
  EXPECT_EQ(made->item_collection_metrics->hash_value, S("p"));
  EXPECT_EQ(made->item_collection_metrics->size_gb_upper, 1);

  const auto again = Put(first);
  EXPECT_EQ(Decode(*again->attributes), first.item);
  EXPECT_EQ(again->consumed_capacity->total.total, 1);  // the index entry is unchanged
}

TEST_F(WriteOperationsTest, ExpressionErrorsComeBeforeTheTable) {
  auto request = PutOf(Key("a"));
  request.table_name = "missing";
  request.condition_expression = "attribute_exists(";
  EXPECT_EQ(Put(request).error().code(), ErrorCode::kValidation);
  request.condition_expression.reset();
  EXPECT_EQ(Put(request).error().code(), ErrorCode::kResourceNotFound);
  EXPECT_EQ(Put(request).error().message(), "Requested resource not found");
}

TEST_F(WriteOperationsTest, UnusedNamesAndValuesAreRefused) {
  auto request = PutOf(Key("a"));
  request.condition_expression = "attribute_not_exists(PK)";
  request.attributes.names = Names{{"#unused", "x"}};
  EXPECT_EQ(ErrorText(Put(request)),
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#unused}");
}

TEST_F(WriteOperationsTest, AFailedConditionCanShowTheItem) {
  ASSERT_TRUE(Put(PutOf(MakeItem({{"PK", S("p")}, {"SK", S("a")}, {"x", N("1")}}))));
  auto request = PutOf(Key("a"));
  request.condition_expression = "attribute_not_exists(PK)";
  request.return_old_on_condition_failure = true;
  const auto refused = Put(request);
  EXPECT_EQ(ErrorText(refused, ErrorCode::kConditionalCheckFailed),
            "The conditional request failed");
  const auto* detail = dynamic_cast<const ConditionFailureDetail*>(refused.error().detail().get());
  ASSERT_NE(detail, nullptr);
  EXPECT_EQ(Decode(detail->item).Find("x")->number(), item::Number::FromInt(1));
}

TEST_F(WriteOperationsTest, UpdateReturnsWhatIsAskedFor) {
  ASSERT_TRUE(
      Put(PutOf(MakeItem({{"PK", S("p")}, {"SK", S("a")}, {"n", N("1")}, {"keep", S("k")}}))));
  const auto returned = [&](ReturnValues wanted) {
    auto request = UpdateOf("a", "SET n = n + :one, fresh = :one", {{":one", N("1")}});
    request.return_values = wanted;
    const auto response = Update(request);
    EXPECT_TRUE(response);
    return response->attributes ? Decode(*response->attributes) : item::Item();
  };
  EXPECT_EQ(returned(ReturnValues::kUpdatedOld), MakeItem({{"n", N("1")}}));
  EXPECT_EQ(returned(ReturnValues::kUpdatedNew), MakeItem({{"n", N("3")}, {"fresh", N("1")}}));
  EXPECT_EQ(returned(ReturnValues::kAllOld).Find("n")->number(), item::Number::FromInt(3));
  EXPECT_EQ(returned(ReturnValues::kAllNew).size(), 5);
  EXPECT_TRUE(returned(ReturnValues::kNone).empty());
}

TEST_F(WriteOperationsTest, AnUpdateWithOnlyAKeyMakesTheItem) {
  UpdateItemRequest request;
  request.table_name = "T";
  request.key = Key("bare");
  ASSERT_TRUE(Update(request));
  EXPECT_EQ(Read(Key("bare")), Key("bare"));
}

TEST_F(WriteOperationsTest, AnUpdateMayNotTouchTheKey) {
  EXPECT_EQ(ErrorText(Update(UpdateOf("a", "SET SK = :v", {{":v", S("x")}}))),
            "One or more parameter values were invalid: Cannot update attribute SK. This attribute "
            "is part of the key");
}

TEST_F(WriteOperationsTest, ItemsHaveTheirLimitToTheByte) {
  const item::Item largest = Padded(Key("big"), item::kMaxItemBytes);
  EXPECT_TRUE(Put(PutOf(largest)));
  EXPECT_EQ(ErrorText(Put(PutOf(Padded(Key("big"), item::kMaxItemBytes + 1)))),
            "Item size has exceeded the maximum allowed size");
  // An update also counts its own actions: 3 bytes, and 19 for each value it sets.
  const auto pad_to = [&](size_t bytes) {
    const size_t keys = item::SizeOf(Key("upd"));
    return Update(UpdateOf("upd", "SET fill = :p",
                           {{":p", item::Value(std::string(bytes - keys - 4, 'z'))}}));
  };
  const size_t most = item::kMaxItemBytes - 3 - 19 + item::SizeOf(Key("upd"));
  EXPECT_TRUE(pad_to(most));
  EXPECT_EQ(ErrorText(pad_to(most + 1)),
            "Item size to update has exceeded the maximum allowed size");
}

TEST_F(WriteOperationsTest, DeletingNothingIsFine) {
  DeleteItemRequest request;
  request.table_name = "T";
  request.key = Key("absent");
  request.return_values = ReturnValues::kAllOld;
  request.return_consumed_capacity = ReturnConsumedCapacity::kTotal;
  const auto response = Delete(request);
  ASSERT_TRUE(response);
  EXPECT_FALSE(response->attributes);
  EXPECT_EQ(response->consumed_capacity->total.total, 1);
}

TEST_F(WriteOperationsTest, ABatchRefusesDuplicatesAndWritesTheRest) {
  BatchWriteItemRequest request;
  request.tables = {{"T", {{false, Key("a")}, {true, Key("b")}}},
                    {"Plain", {{false, MakeItem({{"id", S("1")}})}}}};
  request.return_consumed_capacity = ReturnConsumedCapacity::kTotal;
  const auto response = Await(BatchWriteItem, request);
  ASSERT_TRUE(response);
  ASSERT_EQ(response->consumed_capacity.size(), 2);
  EXPECT_EQ(response->consumed_capacity[0].total.total, 2);
  EXPECT_TRUE(Read(MakeItem({{"id", S("1")}}), "Plain"));

  request.tables[0].second[1] = {true, Key("a")};
  EXPECT_EQ(ErrorText(Await(BatchWriteItem, request)),
            "Provided list of item keys contains duplicates");
}

TransactWrite Action(TransactAction action, item::Item item) {
  TransactWrite write;
  write.action = action;
  write.table_name = "T";
  write.item = std::move(item);
  return write;
}

TEST_F(WriteOperationsTest, ACancelledTransactionTellsEveryReason) {
  ASSERT_TRUE(Put(PutOf(MakeItem({{"PK", S("p")}, {"SK", S("a")}, {"n", S("text")}}))));
  TransactWriteItemsRequest request;
  request.writes.push_back(Action(TransactAction::kPut, Key("new")));
  request.writes.push_back(Action(TransactAction::kConditionCheck, Key("a")));
  request.writes[1].condition_expression = "attribute_not_exists(PK)";
  request.writes[1].return_old_on_condition_failure = true;
  request.writes.push_back(Action(TransactAction::kUpdate, Key("c")));
  request.writes[2].update_expression = "SET x = gone";
  const auto result = Transact(request);
  EXPECT_EQ(ErrorText(result, ErrorCode::kTransactionCanceled),
            "Transaction cancelled, please refer cancellation reasons for specific reasons [None, "
            "ConditionalCheckFailed, ValidationError]");
  const auto* detail =
      dynamic_cast<const TransactionCanceledDetail*>(result.error().detail().get());
  ASSERT_NE(detail, nullptr);
  EXPECT_EQ(detail->reasons[0].code, "None");
  EXPECT_EQ(detail->reasons[1].message, "The conditional request failed");
  EXPECT_TRUE(detail->reasons[1].item);
  EXPECT_EQ(detail->reasons[2].message,
            "The provided expression refers to an attribute that does not exist in the item");
  EXPECT_FALSE(Read(Key("new")));
}

TEST_F(WriteOperationsTest, ABadKeyCancelsATransaction) {
  TransactWriteItemsRequest request;
  request.writes.push_back(Action(TransactAction::kPut, Key("new")));
  request.writes.push_back(Action(TransactAction::kDelete, MakeItem({{"PK", S("p")}})));
  EXPECT_EQ(ErrorText(Transact(request), ErrorCode::kTransactionCanceled),
            "Transaction cancelled, please refer cancellation reasons for specific reasons [None, "
            "ValidationError]");
}

TEST_F(WriteOperationsTest, ATransactionNamesAnItemOnce) {
  TransactWriteItemsRequest request;
  request.writes.push_back(Action(TransactAction::kPut, Key("a")));
  request.writes.push_back(Action(TransactAction::kDelete, Key("a")));
  EXPECT_EQ(ErrorText(Transact(request)),
            "Transaction request cannot include multiple operations on one item");
}

TEST_F(WriteOperationsTest, ATransactionCostsTwiceOnTheTableAndItsReplayIsARead) {
  TransactWriteItemsRequest request;
  request.writes.push_back(Action(
      TransactAction::kPut, MakeItem({{"PK", S("p")}, {"SK", S("a")}, {"status", S("OPEN")}})));
  request.return_consumed_capacity = ReturnConsumedCapacity::kIndexes;
  request.client_request_token = "token";
  request.fingerprint = "f";
  const auto first = Transact(request);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->consumed_capacity[0].table.write, 2);
  EXPECT_EQ(first->consumed_capacity[0].global_indexes.at("GSI").write, 1);
  EXPECT_TRUE(first->consumed_capacity[0].print_split);
  const auto replay = Transact(request);
  ASSERT_TRUE(replay);
  EXPECT_EQ(replay->consumed_capacity[0].total.read, 2);
  EXPECT_EQ(replay->consumed_capacity[0].total.write, 0);
  request.fingerprint = "other";
  EXPECT_EQ(Transact(request).error().code(), ErrorCode::kIdempotentParameterMismatch);
}

// Transfers between two accounts by transactions while single updates add money: the sum is right,
// and a transfer is never seen half done.
TEST_F(WriteOperationsTest, TransactionsAndSingleWritesDoNotDisturbEachOther) {
  constexpr int kRounds = 100;
  const auto add = [](const char* sk, const char* amount) {
    TransactWrite write = Action(TransactAction::kUpdate, Key(sk));
    write.update_expression = "ADD n :d";
    write.attributes.values = Values{{":d", N(amount)}};
    return write;
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kRounds; ++i) {
        TransactWriteItemsRequest transfer;
        transfer.writes.push_back(add("from", "-1"));
        transfer.writes.push_back(add("to", "1"));
        ASSERT_TRUE(Transact(transfer));
        ASSERT_TRUE(Update(UpdateOf("from", "ADD n :d", {{":d", N("2")}})));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(*Read(Key("from"))->Find("n"), N(std::to_string(3 * kRounds)));
  EXPECT_EQ(*Read(Key("to"))->Find("n"), N(std::to_string(3 * kRounds)));
}

}  // namespace
}  // namespace monotable::operations
