#pragma once

#include <optional>

#include "entities/codec/field_path.h"
#include "json/tree.h"

namespace monotable::entities {

// Makes stored values of JSON, as a type says, and reports all that does not fit. Cheap to make;
// one for each request.
class ValueDecoder {
 public:
  // Whole values have all that their types require. Parts are those of a merge patch: objects are
  // to be merged into what there is, so they may lack members, and a Null in them means to take the
  // member away.
  enum class Extent { kWhole, kPart };

  ValueDecoder(const CodecContext& context, Extent extent) : context_(context), extent_(extent) {}

  // The stored form. Null if the JSON means that there is no value: it is null, or an empty set,
  // which DynamoDB cannot store. Nothing if a problem was reported.
  std::optional<item::Value> Decode(const model::TypeModel& type, const json::Node& node,
                                    const FieldPath& path) const;
  // As Decode, without the type's constraints: a number to be added need not keep them.
  std::optional<item::Value> DecodeChange(const model::TypeModel& type, const json::Node& node,
                                          const FieldPath& path) const;
  // JSON of which the model says nothing: S, N, BOOL, NULL, L and M as they are.
  std::optional<item::Value> DecodeAny(const json::Node& node, const FieldPath& path) const;
  // The members of an object that the model declares. Members with problems are reported and left
  // out of the result.
  item::Map DecodeMembers(const model::TypeModel& object, const json::Node& node,
                          const FieldPath& path) const;

 private:
  std::optional<item::Value> DecodeScalar(const model::TypeModel& type, const json::Node& node,
                                          const FieldPath& path) const;
  std::optional<item::Value> DecodeNumber(const model::TypeModel& type, const json::Node& node,
                                          const FieldPath& path) const;
  std::optional<item::Value> DecodeObject(const model::TypeModel& type, const json::Node& node,
                                          const FieldPath& path) const;
  std::optional<item::Value> DecodeList(const model::TypeModel& type, const json::Node& node,
                                        const FieldPath& path) const;
  std::optional<item::Value> DecodeSet(const model::TypeModel& type, const json::Node& node,
                                       const FieldPath& path) const;
  std::optional<item::Value> DecodeMap(const model::TypeModel& type, const json::Node& node,
                                       const FieldPath& path) const;
  std::optional<item::Value> WrongKind(const model::TypeModel& type, const FieldPath& path) const;

  CodecContext context_;
  Extent extent_;
  bool constrained_ = true;
};

// The number that a JSON number or a text spells. Reports a text that does not spell a number.
std::optional<item::Number> ReadNumber(const CodecContext& context, std::string_view text,
                                       const FieldPath& path);
// The stored form of an instant as a client wrote it. Reports a text that is not an instant, or is
// more precise than the type.
std::optional<item::Value> ReadInstantText(const CodecContext& context,
                                           const model::TypeModel& type, std::string_view text,
                                           const FieldPath& path);
// What a value of the type must be: "a number".
std::string_view KindText(model::TypeKind kind);
// Whether a member of an item or map may have that name; reports one that may not.
bool IsName(const CodecContext& context, std::string_view name, const FieldPath& path);

// What becomes of a member of a body, by its name alone.
enum class Fate {
  kKnown,     // an attribute of the model
  kUnknown,   // one that the model does not know and the entity keeps
  kIgnored,   // read-only, of the design, or one that the entity drops
  kReported,  // refused; the problem is reported
};
Fate FateOf(const CodecContext& context, const Entity& entity, std::string_view name, bool strict,
            const FieldPath& path);

// Whether the body is an object. Reports a body that is not.
bool IsObject(const CodecContext& context, const json::Node& body, const FieldPath& path);

}  // namespace monotable::entities
