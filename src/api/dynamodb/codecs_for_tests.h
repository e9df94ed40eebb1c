#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "api/dynamodb/operation_table.h"
#include "json/parse.h"
#include "wire/constraint_check.h"
#include "wire/document_for_tests.h"
#include "wire/type_check.h"

namespace monotable::api::dynamodb {

using wire::Document;

// The shape of the requests of an operation of DynamoDB.
inline const Shape& InputOf(std::string_view operation) {
  return FindOperation(std::string(kDynamoDbTarget).append(operation))->input;
}

// Checks and decodes a request as the service does.
template <auto kDecode>
auto Decode(const Shape& shape, std::string_view text) -> decltype(kDecode(json::Object())) {
  const Document document(text);
  TRY(wire::CheckTypes(shape, document.root()));
  TRY(wire::CheckConstraints(shape, document.object()));
  return kDecode(document.object());
}

// The JSON of a response.
template <auto kEncode, typename Response>
std::string Encoded(const Response& response) {
  std::string out;
  kEncode(response, &out);
  const Document parses(out);
  return out;
}

}  // namespace monotable::api::dynamodb
