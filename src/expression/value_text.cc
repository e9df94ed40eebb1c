#include "expression/value_text.h"

namespace monotable::expression {

std::string BoundText(const item::Value& bound) {
  std::string text = "AttributeValue: {";
  text.append(item::TypeName(bound.type())).append(":");
  if (bound.is(item::Type::kString)) text += bound.string();
  if (bound.is(item::Type::kNumber)) bound.number().AppendTo(&text);
  if (bound.is(item::Type::kBinary)) {
    const std::string length = std::to_string(bound.binary().size());
    text.append("java.nio.HeapByteBuffer[pos=0 lim=").append(length);
    text.append(" cap=").append(length).append("]");
  }
  return text += "}";
}

}  // namespace monotable::expression
