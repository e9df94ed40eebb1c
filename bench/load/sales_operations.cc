#include "load/sales_operations.h"

#include <string>
#include <string_view>

#include "load/batch_write.h"
#include "load/sales_model.h"

namespace monotable::load {

namespace {

constexpr size_t kPage = 20;

std::string TableAnd(const Options& options, std::string_view members) {
  return R"({"TableName":")" + options.table + R"(",)" + std::string(members) + '}';
}

std::string ByKey(std::string_view pattern) {
  return R"("Key":)" + std::string(pattern);
}

// A page in the order of REST's, and like it with more to come.
std::string QueryMembers() {
  return R"("IndexName":"GSI1",)"
         R"-("KeyConditionExpression":"GSI1PK = :buyer AND begins_with(GSI1SK, :sale)",)-"
         R"("ExpressionAttributeValues":{":buyer":{"S":"BUYER#BUYER$k3"},":sale":{"S":"SALE#"}},)"
         R"("ScanIndexForward":false,"Limit":)" +
         std::to_string(kPage);
}

std::optional<Operation> MakeRaw(const Options& options) {
  const std::string_view name = options.operation;
  const auto texts = [&](std::string_view members) {
    return std::vector{ItemText(TableAnd(options, members))};
  };
  if (name == "sale-load") return BatchWrite(options, kSalePattern);
  if (name == "buyer-load") return BatchWrite(options, kBuyerPattern);
  if (name == "sale-get") {
    return Operation{.target = "GetItem",
                     .texts = texts(ByKey(kSaleKeyPattern)),
                     .expected_text = R"("SaleId":{"S":"SALE)"};
  }
  if (name == "sale-query") {
    return Operation{.target = "Query",
                     .texts = texts(QueryMembers()),
                     .expected_text = R"("SaleId":{"S":"SALE)",
                     .expected_times = kPage};
  }
  if (name == "buyer-put") {
    return Operation{.target = "PutItem",
                     .texts = texts(R"("Item":)" + std::string(kBuyerPattern)),
                     .expected_text = "{}"};
  }
  if (name == "buyer-update") {
    return Operation{
        .target = "UpdateItem",
        .texts = texts(ByKey(kBuyerKeyPattern) +
                       R"(,"UpdateExpression":"SET Notes = :notes ADD #v :one",)"
                       R"("ExpressionAttributeNames":{"#v":"_v"},"ExpressionAttributeValues":)"
                       R"({":notes":{"S":"Cliente preferencial $v7"},":one":{"N":"1"}},)"
                       R"("ReturnValues":"ALL_NEW")"),
        .expected_text = R"("BuyerId":{"S":"BUYER)"};
  }
  return std::nullopt;
}

std::optional<Operation> MakeRest(std::string_view name) {
  const std::string buyer = "/buyers/BUYER$k3";
  if (name == "rest-sale-get") {
    return Operation{
        .method = "GET", .path = "/sales/SALE$i8", .expected_text = R"("SaleId":"SALE)"};
  }
  if (name == "rest-sale-list") {
    return Operation{.method = "GET",
                     .path = buyer + "/sales?limit=" + std::to_string(kPage),
                     .expected_text = R"("SaleId":"SALE)",
                     .expected_times = kPage};
  }
  if (name == "rest-buyer-put") {
    return Operation{.method = "PUT",
                     .path = buyer,
                     .texts = {ItemText(kBuyerBodyPattern)},
                     .expected_text = R"("BuyerId":"BUYER)"};
  }
  if (name == "rest-buyer-patch") {
    return Operation{.method = "PATCH",
                     .path = buyer,
                     .texts = {ItemText(R"({"Notes":"Cliente preferencial $v7"})")},
                     .expected_text = R"("BuyerId":"BUYER)"};
  }
  // All connections on one item: each adds to what the others wrote. A dollar sign would begin a
  // field of the pattern.
  if (name == "rest-hot-add" || name == "rest-other-add") {
    return Operation{.method = "PATCH",
                     .path = name == "rest-hot-add" ? "/buyers/BUYER000" : "/buyers/BUYER001",
                     .texts = {ItemText(R"({"\u0024add":{"CreditLimit":1}})")},
                     .expected_text = R"("BuyerId":"BUYER)"};
  }
  // A name that all sales of the buyer copy.
  if (name == "rest-hot-rename") {
    return Operation{.method = "PATCH",
                     .path = "/buyers/BUYER000",
                     .texts = {ItemText(R"({"Name":"João da Conceição $v7"})")},
                     .expected_text = R"("BuyerId":"BUYER)"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Operation> MakeSalesOperation(const Options& options) {
  std::optional<Operation> raw = MakeRaw(options);
  return raw ? raw : MakeRest(options.operation);
}

}  // namespace monotable::load
