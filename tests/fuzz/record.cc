// The other records: definitions, changes, tokens. The first byte chooses the kind.

#include <string>

#include "encoding/stored_definition.h"
#include "engine/change_log.h"
#include "engine/idempotency.h"
#include "fuzz/fuzz_target.h"

using monotable::fuzz::Check;
using monotable::fuzz::TakeByte;

namespace {

void TryDefinition(std::string_view input) {
  const auto definition = monotable::encoding::DecodeDefinition(input);
  if (!definition) return;
  const std::string record = monotable::encoding::EncodeDefinition(*definition);
  const auto again = monotable::encoding::DecodeDefinition(record);
  Check(again.has_value() && *again == *definition, "a definition decodes to itself");
  Check(monotable::encoding::EncodeDefinition(*again) == record, "its encoding is stable");
}

void TryChange(std::string_view input) {
  const auto change = monotable::engine::DecodeChange(input);
  if (!change) return;
  static_cast<void>(change->AnyImage().ChargedSize());
  const std::string record = monotable::engine::EncodeChange(*change);
  const auto again = monotable::engine::DecodeChange(record);
  Check(again.has_value() && again->origin == change->origin, "a change decodes to itself");
  Check(monotable::engine::EncodeChange(*again) == record, "its encoding is stable");
}

void TryToken(std::string_view input) {
  const auto token = monotable::engine::DecodeToken(input);
  if (!token) return;
  const std::string record = monotable::engine::EncodeToken(*token);
  const auto again = monotable::engine::DecodeToken(record);
  Check(again.has_value() && again->fingerprint == token->fingerprint &&
            again->images.size() == token->images.size(),
        "a token decodes to itself");
  Check(monotable::engine::EncodeToken(*again) == record, "its encoding is stable");
}

}  // namespace

FUZZ_TARGET(record) {
  switch (TakeByte(&input) % 3) {
    case 0:
      return TryDefinition(input);
    case 1:
      return TryChange(input);
    default:
      return TryToken(input);
  }
}
