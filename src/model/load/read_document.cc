#include <algorithm>
#include <cstddef>
#include <exception>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/node/node.h>  // parser.h declares it, and model has a Node of its own
#include <yaml-cpp/parser.h>

#include "json/parse.h"
#include "model/load/load.h"
#include "text/characters.h"

namespace monotable::model {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The lines of the file. yaml-cpp counts columns in bytes and from zero; people count characters
// from one.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      lines_.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  const std::vector<std::string_view>& all() const { return lines_; }

  Place PlaceOf(const YAML::Mark& mark) const {
    if (mark.is_null()) return {1, 1};
    int column = 1;
    for (const char byte : UpTo(mark)) column += (byte & 0xC0) == 0x80 ? 0 : 1;
    return {mark.line + 1, column};
  }

  // The unquoted word that begins at the mark; empty at the end of a line.
  std::string_view WordAt(const YAML::Mark& mark) const {
    const std::string_view rest = LineOf(mark).substr(UpTo(mark).size());
    return rest.substr(0, rest.find_first_of(" \t\r,]}:#"));
  }

  // Whether a quoted text that begins at the mark ends before the end of the file. yaml-cpp does
  // not report one that does not.
  bool IsClosed(const YAML::Mark& mark) const {
    const char* begin = LineOf(mark).data() + UpTo(mark).size();
    const std::string_view rest = text_.substr(static_cast<size_t>(begin - text_.data()));
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"')) return true;
    const char quote = rest.front();
    for (size_t at = 1; at < rest.size(); ++at) {
      if (quote == '"' && rest[at] == '\\') {
        ++at;
      } else if (rest[at] == quote) {
        if (quote == '"' || at + 1 == rest.size() || rest[at + 1] != quote) return true;
        ++at;
      }
    }
    return false;
  }

  std::string_view LineOf(const YAML::Mark& mark) const {
    const size_t line = static_cast<size_t>(std::max(mark.line, 0));
    return line < lines_.size() ? lines_[line] : std::string_view();
  }

 private:
  std::string_view UpTo(const YAML::Mark& mark) const {
    return LineOf(mark).substr(0, static_cast<size_t>(std::max(mark.column, 0)));
  }

  std::string_view text_;
  std::vector<std::string_view> lines_;
};

// What JSON calls a number: no leading zeros, no plus, no hexadecimals.
bool IsJsonNumber(std::string_view text) {
  size_t at = 0;
  const auto digits = [&] {
    const size_t begin = at;
    while (at < text.size() && text::IsDigit(text[at])) ++at;
    return at - begin;
  };
  if (at < text.size() && text[at] == '-') ++at;
  const size_t first = at;
  const size_t whole = digits();
  if (whole == 0 || (whole > 1 && text[first] == '0')) return false;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (digits() == 0) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (digits() == 0) return false;
  }
  return at == text.size();
}

Node::Kind KindOfPlain(std::string_view text) {
  if (text == "true" || text == "false") return Node::Kind::kBoolean;
  return IsJsonNumber(text) ? Node::Kind::kNumber : Node::Kind::kText;
}

// Builds nodes from the events of yaml-cpp, and reports the parts of YAML that the model language
// leaves out.
class Builder : public YAML::EventHandler {
 public:
  Builder(const Lines& lines, Findings* findings) : lines_(lines), findings_(findings) {}

  std::optional<Node> TakeRoot() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    // yaml-cpp also calls ~, Null and an empty value null, and places an empty value at the next
    // token.
    const std::string_view word = lines_.WordAt(mark);
    if (word == "null") {
      Add({Node::Kind::kNull, lines_.PlaceOf(mark), "null", {}, {}});
    } else if (word == "~" || word == "Null" || word == "NULL") {
      Add({Node::Kind::kText, lines_.PlaceOf(mark), std::string(word), {}, {}});
    } else {
      const bool has_key = !open_.empty() && open_.back().key.has_value();
      Add({Node::Kind::kNull,
           has_key ? open_.back().key->place : lines_.PlaceOf(mark),
           "",
           {},
           {}});
    }
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    Refuse("alias", mark, "Aliases (*name) are not part of the model language.",
           "Write the value out, or declare what is shared under types.");
    Add({Node::Kind::kNull, lines_.PlaceOf(mark), "", {}, {}});
  }

  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    Refuse("anchor", mark, "Anchors (&" + name + ") are not part of the model language.",
           "Remove the anchor; declare what is shared under types.");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    CheckTag(mark, tag);
    const bool plain = tag == "?";
    if (!plain && !lines_.IsClosed(mark)) {
      throw YAML::ParserException(mark, "the text in quotes has no end");
    }
    Add({plain ? KindOfPlain(value) : Node::Kind::kText, lines_.PlaceOf(mark), value, {}, {}});
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    CheckTag(mark, tag);
    open_.push_back({{Node::Kind::kList, lines_.PlaceOf(mark), "", {}, {}}, {}});
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    CheckTag(mark, tag);
    open_.push_back({{Node::Kind::kMap, lines_.PlaceOf(mark), "", {}, {}}, {}});
  }
  void OnMapEnd() override { Close(); }

 private:
  struct Open {
    Node node;
    std::optional<Node> key;  // of a map: the one whose value comes next
  };

  void Refuse(std::string id, const YAML::Mark& mark, std::string message, std::string fix) {
    findings_->Error(std::move(id), lines_.PlaceOf(mark), "", std::move(message), std::move(fix));
  }

  // Nodes without a tag have "?", quoted text has "!".
  void CheckTag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    Refuse("tag", mark, "Tags (\"" + tag + "\") are not part of the model language.",
           "Remove the tag. Quotes keep text that looks like a number as text.");
  }

  void Close() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    Add(std::move(node));
  }

  void Add(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.is_list()) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.key) {
      CheckKey(parent.node, node);
      parent.key = std::move(node);
    } else {
      parent.node.members.push_back({parent.key->text, parent.key->place, std::move(node)});
      parent.key.reset();
    }
  }

  void CheckKey(const Node& map, const Node& key) {
    if (!key.is_text()) {
      findings_->Error("key_not_text", key.place, "",
                       key.is_scalar() && !key.text.empty()
                           ? "The name " + key.text + " is not read as text."
                           : "A name is expected here, but this is a list, a map or nothing.",
                       "Names must be text; put it in quotes.");
      return;
    }
    if (key.text == "<<") {
      findings_->Error("merge_key", key.place, "",
                       "Merge keys (<<) are not part of the model language.",
                       "Write the members out, or declare a mixin under types and include it.");
      return;
    }
    for (const Node::Member& member : map.members) {
      if (member.name != key.text) continue;
      findings_->Error("duplicate_key", key.place, "",
                       "\"" + key.text + "\" is written twice in one map; the first is in line " +
                           std::to_string(member.place.line) + ".",
                       "Keep one of them.");
      return;
    }
  }

  const Lines& lines_;
  Findings* findings_;
  std::vector<Open> open_;
  std::optional<Node> root_;
};

// Finds text that no YAML or JSON document may contain, and that yaml-cpp would accept.
bool CheckCharacters(const Lines& lines, std::string_view text, Findings* findings) {
  if (!json::IsUtf8(text)) {
    findings->Error("not_utf8", {1, 1}, "", "The file is not UTF-8.", "Save it as UTF-8.");
    return false;
  }
  bool fine = true;
  int number = 0;
  for (const std::string_view line : lines.all()) {
    ++number;
    const size_t tab = line.substr(0, line.find_first_not_of(" \t")).find('\t');
    if (tab != std::string_view::npos) {
      findings->Error("tab_indentation", {number, static_cast<int>(tab) + 1}, "",
                      "The line is indented with a tab.", "Indent with spaces.");
      fine = false;
    }
    int column = 0;
    for (const char byte : line) {
      if ((byte & 0xC0) != 0x80) ++column;
      const auto value = static_cast<unsigned char>(byte);
      if (value >= 0x20 || byte == '\t' || byte == '\r') continue;
      findings->Error("control_character", {number, column}, "",
                      "The line contains the control character " + std::to_string(value) + ".",
                      "Remove it, or write it as an escape in double quotes.");
      fine = false;
    }
  }
  return fine;
}

// What is left of a line without quoted text, comments and space at its end. `hash` tells whether a
// comment was cut off.
std::string BareLine(std::string_view line, bool* hash) {
  std::string bare;
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char byte = line[i];
    if (quote != 0) {
      if (byte == quote) quote = 0;
    } else if (byte == '"' || byte == '\'') {
      quote = byte;
    } else if (byte == '#' && (i == 0 || line[i - 1] == ' ')) {
      *hash = true;
      break;
    } else {
      bare += byte;
    }
  }
  bare.erase(bare.find_last_not_of(" \r") + 1);
  return bare;
}

// What an author most likely did wrong, from the line where the parser gave up and the line before.
std::string SyntaxFix(const Lines& lines, const YAML::Exception& error) {
  const std::string_view line = lines.LineOf(error.mark);
  const int number = lines.PlaceOf(error.mark).line;
  if (line.find("\u201C") != std::string_view::npos ||
      line.find("\u201D") != std::string_view::npos) {
    return "Write straight quotes: \".";
  }
  for (const int each : {number - 1, number}) {
    if (each < 1) continue;
    bool hash = false;
    const std::string bare = BareLine(lines.all()[static_cast<size_t>(each) - 1], &hash);
    const auto opened = std::count(bare.begin(), bare.end(), '{');
    const auto closed = std::count(bare.begin(), bare.end(), '}');
    const std::string where = "Line " + std::to_string(each);
    if (opened > closed && hash) return where + " has a # that begins a comment; quote the text.";
    if (opened > closed) return where + " has a { without its }; add it.";
    const bool item = bare.find_first_not_of(' ') != std::string::npos;
    if (each < number && item && bare.find(':') == std::string::npos && opened == closed &&
        bare.find_first_of("-[]{},") == std::string::npos) {
      return where + " has no colon after its name; add it.";
    }
  }
  if (line.find('{') != std::string_view::npos) {
    return "Text that contains { must be quoted; check that each { has its }.";
  }
  bool hash = false;
  const std::string bare = BareLine(line, &hash);
  const size_t colon = bare.find(": ");
  if (colon != std::string::npos && bare.find(": ", colon + 1) != std::string::npos) {
    return "Put text that contains a colon and a space into quotes.";
  }
  if (error.msg == YAML::ErrorMsg::END_OF_MAP) {
    return "Indent the line like the other lines of its map; it has " +
           std::to_string(line.find_first_not_of(' ')) + " spaces.";
  }
  return "Check indentation, quotes and brackets here and in the line before.";
}

void ReportSyntax(const Lines& lines, const YAML::Exception& error, Findings* findings) {
  findings->Error("syntax_error", lines.PlaceOf(error.mark), "",
                  "This is not YAML: " + error.msg + ".", SyntaxFix(lines, error));
}

}  // namespace

std::optional<Node> ReadDocument(std::string_view text, Findings* findings) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const Lines lines(text);
  if (!CheckCharacters(lines, text, findings)) return std::nullopt;

  Findings refused;
  Builder builder(lines, &refused);
  std::optional<Node> root;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (parser.HandleNextDocument(builder)) root = builder.TakeRoot();
    Findings ignored;
    Builder second(lines, &ignored);
    if (root && parser.HandleNextDocument(second)) {
      const std::optional<Node> more = second.TakeRoot();
      refused.Error("several_documents", more ? more->place : Place{1, 1}, "",
                    "Something follows the end of the document.",
                    "Put each model into its own file, and indent all lines alike.");
    }
  } catch (const YAML::Exception& error) {
    refused = Findings();  // What was found up to here may come from the same mistake.
    ReportSyntax(lines, error, &refused);
  } catch (const std::exception& error) {
    refused.Error("syntax_error", {1, 1}, "",
                  std::string("This is not YAML: ") + error.what() + ".");
  }
  if (!root && !refused.has_errors()) {
    refused.Error("empty_document", {1, 1}, "", "The file is empty.",
                  "Begin with format: stm/1 and model: a-name.");
  }
  const bool fine = !refused.has_errors();
  for (const Finding& finding : refused.all()) findings->Add(finding);
  return fine ? std::move(root) : std::nullopt;
}

}  // namespace monotable::model
