#include "document/openapi/openapi.h"

#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/tree.h"
#include "model/route/route.h"
#include "model/shop_for_tests.h"

namespace monotable::document {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

// A document, and a way into it.
class Document {
 public:
  explicit Document(const model::Model& model, const OpenApiOptions& options = {})
      : text_(ToOpenApi(model, options)) {
    auto tree = json::Tree::Parse(text_);
    EXPECT_TRUE(tree) << tree.error().message();
    if (tree) tree_ = *std::move(tree);
  }

  const json::Node& root() const { return tree_.root(); }
  const json::Node& At(std::initializer_list<std::string_view> path) const {
    static const json::Node kNone;
    const json::Node* node = &tree_.root();
    for (const std::string_view name : path) {
      node = node->Find(name);
      if (node != nullptr) continue;
      ADD_FAILURE() << "no " << name;
      return kNone;
    }
    return *node;
  }
  const json::Node& Property(std::string_view schema, std::string_view name) const {
    return At({"components", "schemas", schema, "properties", name});
  }
  const json::Node* FindProperty(std::string_view schema, std::string_view name) const {
    return At({"components", "schemas", schema, "properties"}).Find(name);
  }
  const json::Node& Operation(std::string_view path, std::string_view method) const {
    return At({"paths", path, method});
  }
  // What a reference of this document leads to.
  const json::Node* Resolve(std::string_view reference) const {
    const json::Node* node = &tree_.root();
    if (!reference.starts_with("#/")) return nullptr;
    reference.remove_prefix(2);
    while (node != nullptr && !reference.empty()) {
      const size_t end = std::min(reference.find('/'), reference.size());
      node = node->Find(reference.substr(0, end));
      reference.remove_prefix(std::min(end + 1, reference.size()));
    }
    return node;
  }

 private:
  std::string text_;
  json::Tree tree_;
};

std::vector<std::string> TextsOf(const json::Node& array) {
  std::vector<std::string> texts;
  for (const json::Node& item : array.items) texts.emplace_back(item.text);
  return texts;
}

// The names of an operation's parameters; a star behind those that must be given.
std::vector<std::string> ParametersOf(const Document& document, const json::Node& operation) {
  std::vector<std::string> names;
  for (const json::Node& each : operation.Find("parameters")->items) {
    const json::Node* reference = each.Find("$ref");
    const json::Node& parameter = reference == nullptr ? each : *document.Resolve(reference->text);
    const json::Node* required = parameter.Find("required");
    names.push_back(std::string(parameter.Find("name")->text) +
                    (required != nullptr && required->boolean ? "*" : ""));
  }
  return names;
}

TEST(OpenApiTest, SaysWhatItIsAndWhereItIs) {
  const model::Model shop = model::LoadShop();
  const Document document(shop);
  EXPECT_EQ(document.At({"openapi"}).text, "3.1.0");
  EXPECT_EQ(document.At({"info", "title"}).text, "Shop | Sales");
  EXPECT_EQ(document.At({"info", "version"}).text, "1.2.0");
  EXPECT_EQ(document.At({"servers"}).items[0].Find("url")->text, "/api/v1/shop");
  const Document elsewhere(shop, {"https://example.com/shop"});
  EXPECT_EQ(elsewhere.At({"servers"}).items[0].Find("url")->text, "https://example.com/shop");
}

TEST(OpenApiTest, TypesAreSchemas) {
  const Document sales(model::LoadDesign("sales"));
  const json::Node& total = sales.Property("Sale", "Total");
  EXPECT_EQ(total.Find("type")->text, "number");
  EXPECT_EQ(total.Find("format")->text, "decimal");
  EXPECT_EQ(total.Find("x-stm-scale")->text, "2");
  EXPECT_EQ(total.Find("multipleOf"), nullptr);
  const json::Node& line = sales.Property("SaleLine", "LineNumber");
  EXPECT_EQ(line.Find("type")->text, "integer");
  EXPECT_EQ(line.Find("minimum")->text, "1");
  EXPECT_EQ(line.Find("maximum")->text, "999");
  EXPECT_EQ(sales.Property("Sale", "SaleDate").Find("format")->text, "date-time");
  EXPECT_EQ(sales.Property("Certification", "ValidUntil").Find("format")->text, "date");
  EXPECT_EQ(sales.Property("Buyer", "Email").Find("format")->text, "email");
  EXPECT_EQ(sales.Property("Buyer", "Address").Find("$ref")->text, "#/components/schemas/Address");
  const json::Node& key = sales.Property("InvoiceMetadata", "InvoiceKey");
  EXPECT_EQ(key.Find("pattern")->text, "^(?:[0-9A-Z]{44})$");
}

TEST(OpenApiTest, EnumsHaveTheirValuesAndTransitions) {
  const Document sales(model::LoadDesign("sales"));
  const json::Node& status = sales.At({"components", "schemas", "SaleStatus"});
  EXPECT_THAT(TextsOf(*status.Find("enum")),
              ElementsAre("DRAFT", "CONFIRMED", "INVOICED", "SHIPPED", "DELIVERED", "CANCELLED"));
  EXPECT_THAT(std::string(status.Find("description")->text),
              HasSubstr("`CONFIRMED`: Sale confirmed, awaiting invoice"));
  EXPECT_THAT(TextsOf(*status.Find("x-stm-transitions")->Find("DRAFT")),
              ElementsAre("CONFIRMED", "CANCELLED"));
  const json::Node& terms = sales.At({"components", "schemas", "PaymentTerms"});
  EXPECT_THAT(TextsOf(*terms.Find("x-enum-varnames")), Contains("Days15"));
  // Other values than the known ones are fine, so the schema must not refuse them.
  const json::Node& unit = sales.At({"components", "schemas", "Unit"});
  EXPECT_EQ(unit.Find("enum"), nullptr);
  EXPECT_THAT(TextsOf(*unit.Find("examples")), ElementsAre("KG"));
}

TEST(OpenApiTest, WhatOnlyTheServerSetsIsReadOnlyAndNotInBodies) {
  const Document sales(model::LoadDesign("sales"));
  for (const std::string_view name : {"Total", "BuyerName", "CreatedAt", "UpdatedBy"}) {
    EXPECT_TRUE(sales.Property("Sale", name).Find("readOnly")->boolean) << name;
    EXPECT_EQ(sales.FindProperty("Sale_Create", name), nullptr) << name;
    EXPECT_EQ(sales.FindProperty("Sale_Patch", name), nullptr) << name;
  }
  EXPECT_EQ(sales.Property("Sale", "Notes").Find("readOnly"), nullptr);
}

TEST(OpenApiTest, BodiesAskOnlyForWhatTheServerCannotFillIn) {
  const Document sales(model::LoadDesign("sales"));
  const auto required = [&](std::string_view schema) {
    return TextsOf(sales.At({"components", "schemas", schema, "required"}));
  };
  // The id is generated, the status has an initial value, the terms come from the buyer.
  EXPECT_THAT(required("Sale_Create"), ElementsAre("BuyerId", "ProducerId", "SaleDate"));
  // The path says the sale.
  EXPECT_THAT(required("SaleLine_Create"), Not(Contains("SaleId")));
  EXPECT_THAT(required("SaleLine_Create"), Contains("LineNumber"));
  EXPECT_THAT(required("SaleLine_Replace"), Not(Contains("LineNumber")));
  EXPECT_EQ(sales.At({"components", "schemas"}).Find("Sale_Replace"), nullptr);
  EXPECT_EQ(sales.At({"components", "schemas", "Sale_Patch"}).Find("required"), nullptr);
  // A list that must have members must be there.
  EXPECT_THAT(TextsOf(sales.At({"paths", "/sales:withLines", "post", "requestBody", "content",
                                "application/json", "schema", "required"})),
              ElementsAre("sale", "lines"));
}

// The style in which generated clients send an object unless they are told otherwise.
TEST(OpenApiTest, FiltersAreAnObject) {
  const Document sales(model::LoadDesign("sales"));
  EXPECT_EQ(sales.At({"components", "parameters", "Filters", "style"}).text, "deepObject");
}

TEST(OpenApiTest, PatchesTakeNullAndChangesWithoutTheOldValue) {
  const Document blog(model::LoadDesign("blog"));
  EXPECT_EQ(blog.FindProperty("Post_Patch", "postId"), nullptr);
  const json::Node& slug = blog.Property("Post_Patch", "slug");
  EXPECT_EQ(slug.Find("anyOf")->items[1].Find("type")->text, "null");
  EXPECT_EQ(blog.Property("Post_Patch", "title").Find("anyOf"), nullptr);
  const json::Node& add = blog.Property("Post_Patch", "$add");
  ASSERT_NE(add.Find("properties")->Find("likeCount"), nullptr);
  EXPECT_EQ(add.Find("properties")->Find("likeCount")->Find("minimum"), nullptr);
  // An entity that moves may change its key.
  const Document orders(model::LoadDesign("orders"));
  EXPECT_NE(orders.FindProperty("OrderStatus_Patch", "order_status"), nullptr);
}

TEST(OpenApiTest, PatternsOfOnePathAreOneOperation) {
  const Document sales(model::LoadDesign("sales"));
  const json::Node& list = sales.Operation("/sales", "get");
  EXPECT_EQ(list.Find("operationId")->text, "listSales");
  const std::vector<std::string> parameters = ParametersOf(sales, list);
  EXPECT_THAT(parameters, Contains("Status"));
  EXPECT_THAT(parameters, Contains("from"));
  EXPECT_THAT(parameters, Contains("limit"));
  EXPECT_THAT(parameters, Contains("after"));
  // An index has no consistent reads.
  EXPECT_THAT(parameters, Not(Contains("consistent")));
  EXPECT_THAT(std::string(list.Find("description")->text),
              HasSubstr("With `from` and `to`, salesByDate"));
  EXPECT_EQ(list.Find("x-stm-alternatives")->items.size(), 2u);
  const json::Node& named = sales.Operation("/patterns/salesByDate", "get");
  EXPECT_THAT(ParametersOf(sales, named), Contains("from*"));
}

TEST(OpenApiTest, PatternsSayTheirRequestAndCost) {
  const Document sales(model::LoadDesign("sales"));
  const json::Node& get = sales.Operation("/buyers/{BuyerId}/sales", "get");
  EXPECT_EQ(get.Find("x-stm-pattern")->Find("id")->text, "AP6");
  EXPECT_THAT(TextsOf(*get.Find("x-stm-pattern")->Find("requirements")),
              ElementsAre("SAL-Q6", "SAL-Q6b"));
  EXPECT_EQ(get.Find("x-stm-index")->text, "GSI1");
  EXPECT_EQ(get.Find("x-stm-cost")->Find("verdict")->text, "served");
  EXPECT_EQ(get.Find("x-stm-request")->Find("IndexName")->text, "GSI1");
  EXPECT_EQ(get.Find("x-stm-examples")->items.size(), 3u);
  const json::Node& buyer = get.Find("parameters")->items[0];
  EXPECT_EQ(buyer.Find("examples")->Find("AP6-1")->Find("value")->text, "BUYER001");
  const json::Node& tags = *get.Find("tags");
  EXPECT_THAT(TextsOf(tags), ElementsAre("Sale"));
}

TEST(OpenApiTest, TheTenantComesWithTheCaller) {
  const Document chat(model::LoadDesign("chat"));
  const json::Node& get = chat.Operation("/conversations/{conversationId}", "get");
  const std::vector<std::string> parameters = ParametersOf(chat, get);
  EXPECT_THAT(parameters, Contains("conversationId*"));
  EXPECT_THAT(parameters, Contains("tenantId"));
  EXPECT_THAT(parameters, Contains("Tenant"));
  const Document sales(model::LoadDesign("sales"));
  EXPECT_THAT(ParametersOf(sales, sales.Operation("/sales/{SaleId}", "get")),
              Not(Contains("Tenant")));
}

TEST(OpenApiTest, ItemsCanBeExpandedByTheirCollection) {
  const Document sales(model::LoadDesign("sales"));
  const json::Node& get = sales.Operation("/sales/{SaleId}", "get");
  EXPECT_THAT(ParametersOf(sales, get), Contains("expand"));
  EXPECT_THAT(ParametersOf(sales, sales.Operation("/buyers/{BuyerId}", "get")),
              Not(Contains("expand")));
  const json::Node& full = sales.Property("SaleFull_Collection", "lines");
  EXPECT_EQ(full.Find("items")->Find("$ref")->text, "#/components/schemas/SaleLine");
}

TEST(OpenApiTest, OperationsTakeTheirInputs) {
  const Document orders(model::LoadDesign("orders"));
  const json::Node& post = orders.Operation("/orders/{cnpj}:complete", "post");
  const json::Node& schema =
      *post.Find("requestBody")->Find("content")->Find("application/json")->Find("schema");
  const json::Node& items = *schema.Find("properties")->Find("items");
  EXPECT_EQ(items.Find("minItems")->text, "1");
  EXPECT_EQ(items.Find("maxItems")->text, "95");
  // The path gives the company.
  const json::Node& order = *schema.Find("properties")->Find("order");
  EXPECT_THAT(TextsOf(*order.Find("required")),
              UnorderedElementsAre("order_id", "company_name", "order_date"));
  EXPECT_EQ(post.Find("x-stm-steps")->items.size(), 6u);
}

class DesignDocumentTest : public ::testing::TestWithParam<const char*> {};

void ForEachObject(const json::Node& node, const std::function<void(const json::Node&)>& visit) {
  if (node.is_object()) visit(node);
  for (const json::Node& item : node.items) ForEachObject(item, visit);
  for (const json::Member& member : node.members) ForEachObject(member.value, visit);
}

TEST_P(DesignDocumentTest, EveryReferenceLeadsSomewhere) {
  const Document document(model::LoadDesign(GetParam()));
  ForEachObject(document.root(), [&](const json::Node& node) {
    const json::Node* reference = node.Find("$ref");
    if (reference == nullptr) return;
    EXPECT_NE(document.Resolve(reference->text), nullptr) << reference->text;
  });
}

TEST_P(DesignDocumentTest, EveryRouteIsThereAndEveryIdIsOnce) {
  const model::Model model = model::LoadDesign(GetParam());
  const Document document(model);
  std::set<std::string> ids;
  size_t operations = 0;
  for (const json::Member& path : document.At({"paths"}).members) {
    for (const json::Member& method : path.value.members) {
      ++operations;
      EXPECT_TRUE(ids.emplace(method.value.Find("operationId")->text).second)
          << method.value.Find("operationId")->text;
    }
  }
  std::set<std::string> shapes;
  for (const model::Route& route : model::RoutesOf(model)) {
    std::string method = route.method;
    std::transform(method.begin(), method.end(), method.begin(), ::tolower);
    shapes.insert(method + route.path);
    EXPECT_NE(document.At({"paths", route.path}).Find(method), nullptr) << route.path;
  }
  EXPECT_EQ(operations, shapes.size());
}

INSTANTIATE_TEST_SUITE_P(Designs, DesignDocumentTest,
                         ::testing::Values("orders", "sales", "blog", "trading", "chat"),
                         [](const auto& design) { return std::string(design.param); });

// Parameters of one place may have two names in the file, but only one in the document.
TEST(OpenApiTest, PathsThatDifferInNamesOnlyAreOne) {
  const model::Model shop = model::LoadShop(
      "get: Sale, by: [SaleId]}", "get: Sale, by: [SaleId], route: \"GET /buyers/{SaleId}\"}");
  const Document document(shop);
  const json::Node& get = document.Operation("/buyers/{BuyerId}", "get");
  EXPECT_EQ(get.Find("operationId")->text, "getSale");
  EXPECT_THAT(ParametersOf(document, get), Contains("BuyerId*"));
  EXPECT_THAT(ParametersOf(document, get), Not(Contains("SaleId*")));
  EXPECT_EQ(document.At({"paths"}).Find("/buyers/{SaleId}"), nullptr);
}

// Generators of TypeScript take an attribute with a default for one that must be given, and an
// answer without a body for what every caller may get.
TEST(OpenapiTest, GeneratorsFindDefaultsOptionalAndAnswersWithItems) {
  const std::string text = ToOpenApi(model::LoadShop(), {});
  EXPECT_THAT(text, testing::HasSubstr("\"x-stm-default\""));
  EXPECT_EQ(text.find("\"default\""), std::string::npos);
  EXPECT_EQ(text.find("The item was changed; `Prefer"), std::string::npos);
}

}  // namespace
}  // namespace monotable::document
