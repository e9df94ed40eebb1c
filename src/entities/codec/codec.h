#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "encoding/item.h"
#include "entities/application.h"
#include "entities/problem.h"
#include "json/tree.h"

// JSON as clients write and read it, and values as they are stored: instants are ISO 8601 outside
// whatever they are inside, decimals are exact, the envelope is not seen, keys and other plumbing
// of the design are not shown. Bodies come as json::Tree, because it has numbers as they were
// written: Tree::Parse(body), then Decode…(…, tree->root(), …). A body must be an
// object; the functions below report any other, so their callers need not check.
namespace monotable::entities {

struct DecodeOptions {
  bool strict = false;  // Prefer: handling=strict: attributes that are read-only are refused
  std::string path;     // JSON pointer of the object in the body, for messages
};

// The attributes of a body, each checked against its type and constraints. What is missing is not
// looked at: the server may fill it in. Null means absent, and so does an empty set, which DynamoDB
// cannot store. Read-only attributes and plumbing are left out unless strict. Attributes that the
// model does not know are among the result if the entity keeps them. All mistakes are found; the
// error is InvalidFields.
Result<item::Map> DecodeAttributes(const Entity& entity, const json::Node& body,
                                   const DecodeOptions& options);

// A JSON merge patch (RFC 7396), with $add, $append and $remove for changes that need not know
// the old value. Objects merge member by member, so a patch of Address.City leaves the street.
struct Patch {
  // Maps are merged member by member, at every level, and a Null in one takes its member away;
  // everything else is a whole value.
  item::Map set;
  std::vector<std::string> remove;  // paths with dots
  item::Map add;     // by path: numbers to add (a missing one is 0), sets to unite with
  item::Map append;  // by path: lists to append (a missing one is empty)
  bool empty() const { return set.empty() && remove.empty() && add.empty() && append.empty(); }
};
Result<Patch> DecodePatch(const Entity& entity, const json::Node& body,
                          const DecodeOptions& options);
// The attributes after the patch. Refuses changes that do not fit the stored value, such as adding
// to a text. The result may break a constraint that no single change breaks: check the result with
// CheckAttributes.
Result<item::Map> ApplyPatch(const item::Map& attributes, const Patch& patch);

// What an operation is called with.
struct Inputs {
  item::Map values;                                        // inputs of plain types
  std::map<std::string, std::vector<item::Map>> entities;  // inputs that are entities: one or many
};
Result<Inputs> DecodeInputs(const Application& application, const model::OperationModel& operation,
                            const json::Node& body, const DecodeOptions& options);

// A parameter of a path or query (already percent-decoded) in its stored form. It must be of the
// type, and one of an enum's values; what breaks another constraint just finds nothing.
Result<item::Value> DecodeParameter(const Application& application, const model::TypeModel& type,
                                    std::string_view name, std::string_view text);

// Checks a value in its stored form against a type and its constraints, as raw writes need it. Adds
// what is wrong to problems.
void CheckValue(const Application& application, const model::TypeModel& type,
                const item::Value& value, const std::string& path,
                std::vector<FieldProblem>* problems);
// All attributes of a record: types, constraints, what is required but missing, and names that the
// model does not know if the entity rejects them.
std::vector<FieldProblem> CheckAttributes(const Entity& entity, const item::Map& attributes);

// How a client wants to see items.
struct Presentation {
  bool numbers_as_strings = false;  // Prefer: numbers=string
  std::vector<std::string> fields;  // paths; empty: all
};

// Appends a stored item as a JSON object, straight from its bytes; reading must not cost more than
// it does without a model. The object is not closed if `open` is set, so that a collection's
// members can follow.
void AppendJson(const Entity& entity, encoding::ItemView item, const Presentation& presentation,
                std::string* out, bool open = false);

// The ETag of a stored item: "v7" from its version, or a hash of its bytes where the table has no
// version attribute. Quotes included.
std::string EntityTag(const Entity& entity, encoding::ItemView item);

}  // namespace monotable::entities
