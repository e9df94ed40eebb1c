#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/load/load_context.h"
#include "model/load/node_reader.h"

namespace monotable::model {
namespace {

struct WhereOperator {
  std::string_view text;
  WhereTerm::Comparison comparison;
};
constexpr WhereOperator kOperators[] = {
    {"=", WhereTerm::Comparison::kEqual},
    {"<", WhereTerm::Comparison::kLess},
    {"<=", WhereTerm::Comparison::kLessOrEqual},
    {">", WhereTerm::Comparison::kGreater},
    {">=", WhereTerm::Comparison::kGreaterOrEqual},
    {"begins_with", WhereTerm::Comparison::kBeginsWith},
    {"between", WhereTerm::Comparison::kBetween},
};

// One comparison before its texts are read as templates.
struct RawTerm {
  std::string attribute;
  WhereTerm::Comparison comparison = WhereTerm::Comparison::kEqual;
  std::string value;
  std::string upper;
};

// Splits at spaces. A template in braces and a text in single quotes stay whole.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) { Skip(); }

  bool at_end() const { return at_ == text_.size(); }

  std::string_view Next() {
    const size_t begin = at_;
    bool braces = false;
    bool quotes = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == ' ' && !braces && !quotes) break;
      if (c == '\'') quotes = !quotes;
      if (!quotes && (c == '{' || c == '}')) braces = c == '{';
    }
    const std::string_view word = text_.substr(begin, at_ - begin);
    Skip();
    return word;
  }

  // Takes everything up to the next `and`, and the `and` too. Says whether there was one.
  std::string Value(bool* more) {
    std::string value;
    *more = false;
    while (!at_end()) {
      const std::string_view word = Next();
      if (word == "and") {
        *more = true;
        break;
      }
      if (!value.empty()) value += ' ';
      value += word;
    }
    if (value.size() >= 2 && value.front() == '\'' && value.back() == '\'') {
      value = value.substr(1, value.size() - 2);
    }
    return value;
  }

 private:
  void Skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  std::string_view text_;
  size_t at_ = 0;
};

// Says what is wrong with the text; empty if nothing is.
std::optional<std::string> Parse(std::string_view text, std::vector<RawTerm>* terms) {
  Words words(text);
  for (bool more = true; more;) {
    RawTerm term;
    term.attribute = words.Next();
    if (term.attribute.empty()) return "a comparison is missing";
    const std::string_view word = words.Next();
    const WhereOperator* known = nullptr;
    for (const WhereOperator& one : kOperators) {
      if (one.text == word) known = &one;
    }
    if (known == nullptr) return Quoted(word) + " is not a comparison";
    term.comparison = known->comparison;
    term.value = words.Value(&more);
    if (term.value.empty()) return "nothing follows " + Quoted(word);
    if (term.comparison == WhereTerm::Comparison::kBetween) {
      if (!more) return "between needs two texts, joined by and";
      term.upper = words.Value(&more);
      if (term.upper.empty()) return "between needs a second text";
    }
    terms->push_back(std::move(term));
  }
  return std::nullopt;
}

// Reads a where: "PK = SALE#{SaleId} and SK begins_with LINE#". The compared attributes must belong
// to the key, and the templates may name only attributes of the entity.
std::vector<WhereTerm> ReadWhere(const Node& node, const std::string& subject,
                                 const EntityModel& entity, const table::KeySchema& key,
                                 LoadContext* context) {
  std::vector<WhereTerm> where;
  if (!ExpectText(node, subject, context->findings)) return where;
  std::vector<RawTerm> terms;
  if (const auto problem = Parse(node.text, &terms)) {
    context->Error("bad_where", node.place, subject,
                   Quoted(node.text) + " cannot be read: " + *problem + ".",
                   "Write for example \"PK = SALE#{SaleId} and SK begins_with LINE#\".");
    return where;
  }
  std::vector<std::string> known;
  for (const table::KeyAttribute& attribute : key.hash) known.push_back(attribute.name);
  for (const table::KeyAttribute& attribute : key.range) known.push_back(attribute.name);
  for (const RawTerm& raw : terms) {
    if (!key.Has(raw.attribute)) {
      context->Error(
          "where_not_a_key", node.place, subject,
          Quoted(raw.attribute) + " is not a key attribute of the table or index that is read.",
          Suggest(raw.attribute, known));
    }
    WhereTerm term;
    term.attribute = raw.attribute;
    term.comparison = raw.comparison;
    auto value = ReadTemplateText(raw.value, node.place, subject, entity, context);
    if (!value) continue;
    term.value = *std::move(value);
    if (raw.comparison == WhereTerm::Comparison::kBetween) {
      term.upper = ReadTemplateText(raw.upper, node.place, subject, entity, context);
    }
    where.push_back(std::move(term));
  }
  return where;
}

using PatternKind = PatternModel::Kind;

// Reads one pattern. Members are read in the order of their dependencies.
class PatternReader {
 public:
  PatternReader(const Node& node, const std::string& subject, LoadContext* context)
      : node_(node), reader_(node, subject, context->findings), context_(context) {}

  PatternModel Read() {
    pattern_.place = node_.place;
    ReadNames();
    ReadKind();
    pattern_.requirements = reader_.Strings("requirements");
    pattern_.description = reader_.Text("description");
    pattern_.accepted_findings = reader_.Strings("accept");
    pattern_.expected_unserved = !reader_.Boolean("served", true);
    pattern_.hydrate = reader_.Boolean("hydrate", false);
    pattern_.descending = reader_.Choice("order", false, {{"asc", false}, {"desc", true}});
    pattern_.page = reader_.Integer("page", 0, 1, 1000);
    pattern_.by = reader_.Strings("by");
    for (const std::string_view name :
         {"index", "where", "range", "fan_out", "filter", "examples", "route"}) {
      reader_.Find(name);
    }
    ReadParents();
    if (entity_ != nullptr) ReadAgainstEntity();
    reader_.Finish();
    return std::move(pattern_);
  }

 private:
  void Error(std::string id, Place place, std::string_view member, std::string message,
             std::string fix) {
    context_->Error(std::move(id), place,
                    member.empty() ? reader_.subject() : reader_.SubjectOf(member),
                    std::move(message), std::move(fix));
  }

  void ReadParents() {
    pattern_.parents = reader_.Boolean("parents", false);
    if (!pattern_.parents || entity_ == nullptr || !entity_->parent.empty()) return;
    Error("no_parents", reader_.Find("parents")->place, "parents",
          entity_->name + " has no parent, so there are no parents to return.",
          "Remove parents, or give the entity a parent.");
  }

  void ReadNames() {
    pattern_.id = reader_.Text("id");
    pattern_.name = reader_.RequiredText("name");
    if (!pattern_.name.empty()) {
      ExpectName(pattern_.name, reader_.Find("name")->place, reader_.SubjectOf("name"),
                 context_->findings);
    }
    for (const char* member : {"id", "name"}) {
      const Node* node = reader_.Find(member);
      if (node == nullptr || context_->model.FindPattern(node->text) == nullptr) continue;
      Error("duplicate_name", node->place, member,
            Quoted(node->text) + " is the id or the name of another pattern.",
            "Give each pattern an id and a name of its own.");
    }
  }

  void ReadKind() {
    const std::pair<const char*, PatternKind> kinds[] = {{"get", PatternKind::kGet},
                                                         {"list", PatternKind::kList},
                                                         {"count", PatternKind::kCount},
                                                         {"collection", PatternKind::kCollection}};
    const Node* said = nullptr;
    for (const auto& [member, kind] : kinds) {
      const Node* node = reader_.FindText(member);
      if (node == nullptr) continue;
      if (said != nullptr) {
        Error("several_kinds", node->place, member,
              "The pattern says more than one of get, list, count and collection.",
              "Keep one, and write another pattern for the other.");
        return;
      }
      said = node;
      pattern_.kind = kind;
    }
    if (said == nullptr) {
      if (!reader_.is_map()) return;
      Error("no_kind", reader_.place(), "", "The pattern does not say what it reads.",
            "Add get:, list: or count: with an entity, or collection: with a collection.");
      return;
    }
    pattern_.entity = said->text;
    if (pattern_.kind == PatternKind::kCollection) {
      const CollectionModel* collection = context_->model.FindCollection(said->text);
      if (collection == nullptr) {
        Error("unknown_collection", said->place, "collection",
              Quoted(said->text) + " is not a collection.",
              Suggest(said->text, NamesOf(context_->model.collections)));
        return;
      }
      pattern_.collection = said->text;
      pattern_.entity = collection->root;
    }
    entity_ = ExpectEntity(pattern_.entity, said->place, reader_.subject(), context_);
    if (entity_ != nullptr) table_ = context_->model.FindTable(entity_->table);
  }

  void ReadAgainstEntity() {
    for (const Node* by : reader_.Texts("by")) {
      ExpectAttribute(by->text, by->place, reader_.SubjectOf("by"), *entity_, context_);
      parameters_.insert(by->text);
    }
    const size_t mistakes = context_->findings->all().size();
    const bool by_key =
        pattern_.kind == PatternKind::kGet || pattern_.kind == PatternKind::kCollection;
    if (by_key) {
      ReadByKey();
    } else if (table_ != nullptr) {
      ReadQuery();
    }
    ReadRange();
    parameters_known_ = context_->findings->all().size() == mistakes;
    if (const Node* filter = reader_.Find("filter")) {
      pattern_.filter =
          ReadRule(*filter, reader_.SubjectOf("filter"), {entity_}, {.condition = true}, context_);
    }
    ReadRoute(&reader_,
              {&pattern_.method, &pattern_.route, /*reads=*/true,
               [this](std::string_view name) { return IsParameter(name); }},
              context_);
    ReadExamples();
  }

  // Whether a caller may give the parameter. An unreadable where may have named it, so anything is
  // then allowed.
  bool IsParameter(std::string_view name) const {
    return !parameters_known_ || parameters_.contains(name);
  }

  void ReadByKey() {
    if (pattern_.by.empty() && !pattern_.expected_unserved) {
      Error("missing_by", reader_.place(), "", "The pattern does not say what the caller gives.",
            "Add by: [attributes of the primary key].");
    }
    for (const char* member : {"index", "where", "range", "fan_out", "filter"}) {
      const Node* node = reader_.Find(member);
      if (node == nullptr) continue;
      Error("not_for_key_reads", node->place, member,
            Quoted(member) + " is for list and count; this pattern reads by the primary key.",
            "Remove it, or make the pattern a list.");
    }
  }

  const IndexModel* ExpectIndex(const Node& node, const std::string& subject) {
    const IndexModel* index = table_->FindIndex(node.text);
    if (index == nullptr) {
      context_->Error("unknown_index", node.place, subject,
                      Quoted(node.text) + " is not an index of the table " + table_->id + ".",
                      Suggest(node.text, NamesOf(table_->indexes)));
    }
    return index;
  }

  void ReadQuery() {
    const Node* index_name = reader_.FindText("index");
    const Node* where = reader_.Find("where");
    const Node* fan_out = reader_.Find("fan_out");
    if (const Node* by = reader_.Find("by")) {
      Error("by_with_where", by->place, "by",
            "A list or a count reads by its where, not by attributes.",
            "Remove by; the caller gives the attributes in where.");
    }
    if (fan_out != nullptr) {
      if (index_name != nullptr || where != nullptr) {
        Error("fan_out_with_where", fan_out->place, "fan_out", "fan_out replaces index and where.",
              "Keep either fan_out, or index and where.");
      }
      ReadFanOut(*fan_out);
      return;
    }
    const IndexModel* index = nullptr;
    if (index_name != nullptr) {
      pattern_.index = index_name->text;
      index = ExpectIndex(*index_name, reader_.SubjectOf("index"));
      if (index == nullptr) return;
    }
    if (where == nullptr) {
      if (pattern_.expected_unserved) return;
      Error("missing_where", reader_.place(), "", "The pattern does not say which items it reads.",
            "Add where: with the keys, or fan_out:, or served: false.");
      return;
    }
    pattern_.where = ReadWhere(*where, reader_.SubjectOf("where"), *entity_,
                               index == nullptr ? table_->key : index->key, context_);
    for (const WhereTerm& term : pattern_.where) {
      AddParameters(term.value);
      if (term.upper) AddParameters(*term.upper);
    }
  }

  void AddParameters(const Template& text) {
    for (std::string& name : text.attributes()) parameters_.insert(std::move(name));
  }

  bool IsSharded(const Template& text, const std::string& attribute) const {
    return std::any_of(text.parts().begin(), text.parts().end(), [&](const TemplatePart& part) {
      return part.attribute == attribute && part.shards > 0;
    });
  }

  void ReadFanOut(const Node& node) {
    MapReader reader(node, reader_.SubjectOf("fan_out"), context_->findings);
    PatternModel::FanOut fan_out;
    fan_out.index = reader.RequiredText("index");
    fan_out.over = reader.RequiredText("over");
    fan_out.merge = reader.Text("merge");
    reader.Finish();
    const Node* index_node = reader.Find("index");
    const Node* over = reader.Find("over");
    if (fan_out.index.empty() || fan_out.over.empty()) return;
    const IndexModel* index = ExpectIndex(*index_node, reader.SubjectOf("index"));
    if (index == nullptr ||
        !ExpectAttribute(fan_out.over, over->place, reader.SubjectOf("over"), *entity_, context_)) {
      return;
    }
    bool countable = entity_->FindPath(fan_out.over)->kind == TypeKind::kEnum;
    if (const KeyModel* keys = entity_->FindKeys(fan_out.index);
        keys != nullptr && !keys->parts.empty()) {
      countable = countable || IsSharded(keys->parts.front().text, fan_out.over);
      AddParameters(keys->parts.front().text);
    }
    if (!countable) {
      context_->Error("fan_out_not_countable", over->place, reader.SubjectOf("over"),
                      Quoted(fan_out.over) + " has no list of values to fan out over.",
                      "Fan out over an enum, or over an attribute with |shard(n) in the key.");
    }
    const auto& range = index->key.range;
    if (!fan_out.merge.empty() && (range.empty() || range.front().name != fan_out.merge)) {
      context_->Error("merge_not_sort_key", reader.Find("merge")->place, reader.SubjectOf("merge"),
                      Quoted(fan_out.merge) + " is not the range key of " + fan_out.index + ".",
                      "Merge by the range key of the index.");
    }
    pattern_.fan_out = std::move(fan_out);
  }

  void ReadRange() {
    const Node* node = reader_.Find("range");
    if (node == nullptr) return;
    MapReader reader(*node, reader_.SubjectOf("range"), context_->findings);
    PatternModel::Range range;
    range.field = reader.RequiredText("field");
    range.required = reader.Boolean("required", false);
    range.dates = reader.Choice(
        "dates", PatternModel::Dates::kExact,
        {{"exact", PatternModel::Dates::kExact}, {"whole_days", PatternModel::Dates::kWholeDays}});
    reader.Finish();
    if (range.field.empty()) return;
    if (ExpectAttribute(range.field, reader.Find("field")->place, reader.SubjectOf("field"),
                        *entity_, context_) &&
        range.dates == PatternModel::Dates::kWholeDays) {
      const TypeKind kind = entity_->FindPath(range.field)->kind;
      if (kind != TypeKind::kInstant && kind != TypeKind::kDate) {
        context_->Error("range_not_instant", reader.Find("dates")->place, reader.SubjectOf("dates"),
                        Quoted(range.field) + " is not an instant, so dates does not apply.",
                        "Remove dates.");
      }
    }
    parameters_.insert("from");
    parameters_.insert("to");
    pattern_.range = std::move(range);
  }

  void ReadExamples() {
    const Node* list = reader_.FindList("examples");
    if (list == nullptr) return;
    for (const Node& node : list->items) {
      MapReader reader(node, reader_.SubjectOf("examples"), context_->findings);
      PatternModel::Example example;
      if (const Node* given = reader.FindMap("given")) ReadGiven(*given, &example);
      reader.Require("returns");
      example.returns = reader.Strings("returns");
      if (const Node* units = reader.FindText("units")) {
        const Result<item::Number> number = item::Number::Parse(units->text);
        if (number) {
          example.most_units = *number;
        } else {
          context_->Error("not_a_number", units->place, reader.SubjectOf("units"),
                          Quoted(units->text) + " is not a number.", "Write digits.");
        }
      }
      reader.Finish();
      pattern_.examples.push_back(std::move(example));
    }
  }

  void ReadGiven(const Node& given, PatternModel::Example* example) {
    for (const Node::Member& member : given.members) {
      if (!IsParameter(member.name)) {
        Error("unknown_example_parameter", member.place, "examples",
              Quoted(member.name) + " is not a parameter of the pattern.",
              Suggest(member.name, {parameters_.begin(), parameters_.end()}));
      }
      if (!ExpectText(member.value, reader_.SubjectOf("examples"), context_->findings)) continue;
      example->given.emplace_back(member.name, member.value.text);
    }
  }

  const Node& node_;
  MapReader reader_;
  LoadContext* context_;
  PatternModel pattern_;
  const EntityModel* entity_ = nullptr;
  const TableModel* table_ = nullptr;
  std::set<std::string, std::less<>> parameters_;  // what a caller may give
  bool parameters_known_ = true;
};

}  // namespace

void LoadPatterns(const Node& node, LoadContext* context) {
  if (!ExpectList(node, "patterns", context->findings)) return;
  for (size_t i = 0; i < node.items.size(); ++i) {
    const Node& item = node.items[i];
    // Findings call a pattern by its id, its name or its number, in that order.
    std::string label = std::to_string(i + 1);
    for (const char* member : {"name", "id"}) {
      const Node* text = item.Find(member);
      if (text != nullptr && text->is_scalar() && !text->text.empty()) label = text->text;
    }
    context->model.patterns.push_back(PatternReader(item, "patterns." + label, context).Read());
  }
}

}  // namespace monotable::model
