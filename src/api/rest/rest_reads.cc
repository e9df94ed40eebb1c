#include "api/rest/rest_reads.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/rest/read_options.h"
#include "api/rest/served_model.h"
#include "engine/capacity.h"
#include "entities/codec/codec.h"
#include "entities/problem.h"
#include "entities/read/pattern_reader.h"
#include "entities/record.h"
#include "json/json_writer.h"

namespace monotable::api::rest {
namespace {

using PatternKind = model::PatternModel::Kind;

// Whether a field is of a member: lines or lines.Quantity.
bool IsOf(std::string_view field, std::string_view member) {
  return field.starts_with(member) &&
         (field.size() == member.size() || field[member.size()] == '.');
}

// Shows the items of a partition as one object: the attributes of the root, and its members by
// their names, as a list or an object each.
class CollectionJson {
 public:
  // The members are those that `expand` names, or all; of each the fields that `fields` names.
  CollectionJson(const ServedPattern& pattern, const ReadOptions& options);

  bool HasRoot(const std::vector<entities::Found>& items) const;
  // Appends the object without its closing brace. A single member that does not exist is null.
  void Append(const std::vector<entities::Found>& items, json::Writer* writer) const;

 private:
  struct Member {
    const model::CollectionModel::Member* model = nullptr;
    entities::Presentation presentation;
  };

  const entities::Entity& root_;
  entities::Presentation presentation_;  // of the root
  std::vector<Member> members_;
};

CollectionJson::CollectionJson(const ServedPattern& pattern, const ReadOptions& options)
    : root_(*pattern.entity) {
  presentation_.numbers_as_strings = options.presentation.numbers_as_strings;
  const std::vector<std::string>& fields = options.presentation.fields;
  std::vector<bool> taken(fields.size());
  for (const auto& member : pattern.collection->members) {
    const bool expanded = options.expand.empty() ||
                          std::find(options.expand.begin(), options.expand.end(), member.name) !=
                              options.expand.end();
    Member shown{&member, {presentation_.numbers_as_strings, {}}};
    bool named = fields.empty() || !options.expand.empty();
    for (size_t i = 0; i < fields.size(); ++i) {
      if (!IsOf(fields[i], member.name)) continue;
      named = true;
      taken[i] = true;
      if (fields[i].size() > member.name.size()) {
        shown.presentation.fields.push_back(fields[i].substr(member.name.size() + 1));
      }
    }
    if (expanded && named) members_.push_back(std::move(shown));
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    if (!taken[i]) presentation_.fields.push_back(fields[i]);
  }
}

bool CollectionJson::HasRoot(const std::vector<entities::Found>& items) const {
  return std::any_of(items.begin(), items.end(),
                     [&](const entities::Found& found) { return found.entity == &root_; });
}

void CollectionJson::Append(const std::vector<entities::Found>& items, json::Writer* writer) const {
  std::string* out = writer->out();
  const auto root = std::find_if(items.begin(), items.end(), [&](const entities::Found& found) {
    return found.entity == &root_;
  });
  if (root == items.end()) {
    writer->BeginObject();
  } else {
    entities::AppendJson(root_, encoding::ItemView(root->item), presentation_, out, true);
  }
  for (const Member& member : members_) {
    writer->Key(member.model->name);
    if (member.model->many) writer->BeginArray();
    bool any = false;
    for (const entities::Found& found : items) {
      if (found.entity->name() != member.model->entity || (any && !member.model->many)) continue;
      if (any) out->push_back(',');
      any = true;
      entities::AppendJson(*found.entity, encoding::ItemView(found.item), member.presentation, out);
    }
    if (member.model->many) {
      writer->EndArray();
    } else if (!any) {
      writer->Raw("null");
    }
  }
}

http::Response WithUnits(http::Response response, double units) {
  response.headers.emplace_back("X-Consumed-Capacity", UnitsText(units));
  return response;
}

Question QuestionOf(const Call& call, const ReadRequest& request) {
  return {call.model->name(), request.pattern->model().name, request.options.list.parameters,
          call.query, call.caller.tenant ? std::string_view(*call.caller.tenant) : ""};
}

Result<entities::ListResult> ReadList(const ReadContext& context, const Call& call,
                                      const ReadRequest& request) {
  entities::ListRequest list = request.options.list;
  if (request.options.after != nullptr) {
    TRY_ASSIGN(list.after, context.cursors.Open(*request.options.after, QuestionOf(call, request)));
  }
  return request.pattern->reader->List(list, call.caller);
}

// How many items there are on all pages.
Result<entities::ListResult> CountAll(const Call& call, const ReadRequest& request) {
  entities::ListRequest list = request.options.list;
  list.count_only = true;
  list.limit.reset();
  TRY_ASSIGN(entities::ListResult result, request.pattern->reader->List(list, call.caller));
  if (!result.next) return result;
  return entities::InvalidFields({{"count", "range",
                                   fmt::format("There are more than {} items, which is too many to "
                                               "count.",
                                               entities::kMaxCounted)}});
}

void AppendNext(const ReadContext& context, const Call& call, const ReadRequest& request,
                const entities::ListResult& result, json::Writer* writer) {
  writer->Key("next");
  if (!result.next) {
    writer->Raw("null");
    return;
  }
  writer->String(context.cursors.Seal(*result.next, QuestionOf(call, request)));
}

void AppendMeta(const entities::ListResult& result, const std::string& plan,
                const std::optional<int64_t>& total, json::Writer* writer) {
  writer->Key("meta").BeginObject().Key("count").Integer(result.count);
  if (total) writer->Key("total").Integer(*total);
  writer->Key("scanned").Integer(result.scanned);
  writer->Key("consumed").BeginObject().Key("rcu").Raw(UnitsText(result.read_units)).EndObject();
  writer->Key("plan").String(plan).EndObject();
}

Result<http::Response> AnswerItem(const Call& call, const ReadRequest& request,
                                  const entities::Found& found) {
  const encoding::ItemView item(found.item);
  const double units = engine::ReadUnits(item.ChargedSize(), request.options.list.consistent);
  std::string tag = entities::EntityTag(*found.entity, item);
  std::string body;
  const bool unchanged = IsUnchanged(call.request, tag);
  if (!unchanged) {
    body.reserve(found.item.bytes.size() * 3 / 2);
    entities::AppendJson(*found.entity, item, request.options.presentation, &body);
  }
  http::Response response = MakeAnswer(call, unchanged ? 304 : 200, std::move(body));
  response.headers.emplace_back("ETag", std::move(tag));
  return WithUnits(std::move(response), units);
}

Result<entities::Found> FindOne(const ReadContext& context, const Call& call,
                                const ReadRequest& request) {
  const entities::ListRequest& list = request.options.list;
  if (request.pattern != nullptr) {
    return request.pattern->reader->Get(list.parameters, call.caller, list.consistent);
  }
  TRY_ASSIGN(auto found,
             entities::FindItem(context.engine, *request.entity, list.parameters, call.caller));
  if (!found) return entities::NotFound(request.entity->name());
  return *std::move(found);
}

Result<http::Response> AnswerList(const ReadContext& context, const Call& call,
                                  const ReadRequest& request) {
  TRY_ASSIGN(entities::ListResult result, ReadList(context, call, request));
  std::optional<int64_t> total;
  if (request.options.count_exact) {
    TRY_ASSIGN(const entities::ListResult all, CountAll(call, request));
    total = all.count;
    result.read_units += all.read_units;
  }
  size_t bytes = 0;
  for (const entities::Found& found : result.items) bytes += found.item.bytes.size();
  std::string body;
  body.reserve(bytes * 3 / 2 + 256);
  body.append("{\"items\":[");
  for (const entities::Found& found : result.items) {
    if (body.back() != '[') body.push_back(',');
    entities::AppendJson(*found.entity, encoding::ItemView(found.item),
                         request.options.presentation, &body);
  }
  body.push_back(']');
  json::Writer writer(&body);
  AppendNext(context, call, request, result, &writer);
  AppendMeta(result, request.pattern->reader->plan_text(), total, &writer);
  writer.EndObject();
  return WithUnits(MakeAnswer(call, 200, std::move(body)), result.read_units);
}

Result<http::Response> AnswerCount(const Call& call, const ReadRequest& request) {
  TRY_ASSIGN(const entities::ListResult result, CountAll(call, request));
  std::string body;
  json::Writer writer(&body);
  writer.BeginObject();
  if (!result.counts.empty()) {
    writer.Key("counts").BeginObject();
    for (const auto& [value, count] : result.counts) writer.Key(value).Integer(count);
    writer.EndObject();
  }
  writer.Key("total").Integer(result.count);
  AppendMeta(result, request.pattern->reader->plan_text(), {}, &writer);
  writer.EndObject();
  return WithUnits(MakeAnswer(call, 200, std::move(body)), result.read_units);
}

Result<http::Response> AnswerCollection(const ReadContext& context, const Call& call,
                                        const ReadRequest& request) {
  TRY_ASSIGN(const entities::ListResult result, ReadList(context, call, request));
  const CollectionJson collection(*request.pattern, request.options);
  const bool begins = request.options.after == nullptr;
  // Only the first page has the root; without a root there is no collection.
  if (begins && !collection.HasRoot(result.items))
    return entities::NotFound(request.entity->name());
  std::string body;
  json::Writer writer(&body);
  collection.Append(result.items, &writer);
  AppendNext(context, call, request, result, &writer);
  writer.Key("complete").Bool(begins && !result.next);
  writer.EndObject();
  return WithUnits(MakeAnswer(call, 200, std::move(body)), result.read_units);
}

// An item with members of its collection: one Query of its partition. Where the parameters do not
// name the partition, the item does.
Result<http::Response> AnswerExpanded(const ReadContext& context, const Call& call,
                                      const ReadRequest& request) {
  ReadRequest whole = request;
  whole.pattern = call.model->CollectionOf(*request.entity);
  item::Map& parameters = whole.options.list.parameters;
  const auto& needed = whole.pattern->parameters;
  const bool named = std::all_of(needed.begin(), needed.end(), [&](const PatternParameter& each) {
    return parameters.Contains(each.name);
  });
  if (!named) {
    TRY_ASSIGN(const entities::Found found, FindOne(context, call, request));
    TRY_ASSIGN(const item::Item item, encoding::DecodeItem(found.item.bytes));
    TRY_ASSIGN(entities::Record record, entities::RecordOf(*found.entity, item));
    parameters = std::move(record.attributes);
  }
  return AnswerCollection(context, call, whole);
}

}  // namespace

Result<ReadRequest> ParseRead(const Call& call) {
  const model::Route& route = *call.match.route;
  ReadRequest request;
  if (route.pattern != nullptr) {
    request.pattern = &call.model->PatternOf(*route.pattern);
    request.entity = request.pattern->entity;
  } else {
    request.entity = &call.model->EntityOf(*route.entity);
  }
  TRY_ASSIGN(request.options, ParseReadOptions(call, *request.entity, request.pattern));
  return request;
}

Result<http::Response> AnswerRead(const ReadContext& context, const Call& call,
                                  const ReadRequest& request) {
  const PatternKind kind =
      request.pattern != nullptr ? request.pattern->model().kind : PatternKind::kGet;
  switch (kind) {
    case PatternKind::kGet: {
      if (!request.options.expand.empty()) return AnswerExpanded(context, call, request);
      TRY_ASSIGN(const entities::Found found, FindOne(context, call, request));
      return AnswerItem(call, request, found);
    }
    case PatternKind::kList:
      return AnswerList(context, call, request);
    case PatternKind::kCount:
      return AnswerCount(call, request);
    case PatternKind::kCollection:
      return AnswerCollection(context, call, request);
  }
  return Error::Internal("The pattern has an unknown kind.");
}

}  // namespace monotable::api::rest
