#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/finding.h"
#include "model/node.h"

// Reads nodes and reports a finding for everything that is not as it should be.
namespace monotable::model {

// Whether a node has the kind that the language wants there. Reports the node if not. Numbers are
// text too: a version 1.0 or an id 007 is what the author typed.
bool ExpectText(const Node& node, const std::string& subject, Findings* findings);
bool ExpectMap(const Node& node, const std::string& subject, Findings* findings);
bool ExpectList(const Node& node, const std::string& subject, Findings* findings);

// "Did you mean …?", or the list of known names.
std::string Suggest(std::string_view name, const std::vector<std::string>& known);

// Text in the quotes that messages use.
std::string Quoted(std::string_view text);

// Whether a text is a valid name: a letter, then letters, digits, underscores and hyphens.
bool IsName(std::string_view text);
// Reports bad_name if the text is not a valid name.
bool ExpectName(std::string_view name, Place place, const std::string& subject, Findings* findings);

// Reads the members of one map. The requested names are the names that the language has there, so
// Finish can report all others. Not thread-safe; refers to the node and the findings.
class MapReader {
 public:
  // A node that is not a map is reported, and read as an empty map.
  MapReader(const Node& node, std::string subject, Findings* findings);

  const std::string& subject() const { return subject_; }
  std::string SubjectOf(std::string_view member) const {
    return subject_.empty() ? std::string(member) : subject_ + "." + std::string(member);
  }
  Place place() const { return place_; }
  bool is_map() const { return map_ != nullptr; }

  // The member, or null.
  const Node* Find(std::string_view name);
  // The same, but a missing member is reported.
  const Node* Require(std::string_view name);
  // The member if it has that kind, or null. Another kind is reported.
  const Node* FindMap(std::string_view name);
  const Node* FindList(std::string_view name);
  const Node* FindText(std::string_view name);

  // Empty if the member is missing or not text.
  std::string Text(std::string_view name);
  std::string RequiredText(std::string_view name);
  // The texts of a list.
  std::vector<const Node*> Texts(std::string_view name);
  std::vector<std::string> Strings(std::string_view name);
  bool Boolean(std::string_view name, bool fallback);
  int Integer(std::string_view name, int fallback, int least, int most);

  // One of a few words.
  template <typename T>
  T Choice(std::string_view name, T fallback,
           std::initializer_list<std::pair<std::string_view, T>> choices) {
    const Node* node = FindText(name);
    if (node == nullptr) return fallback;
    std::vector<std::string> known;
    for (const auto& [text, value] : choices) {
      if (node->text == text) return value;
      known.emplace_back(text);
    }
    ReportChoice(*node, name, known);
    return fallback;
  }

  // Reports the members that nobody requested. Call it last.
  void Finish();

 private:
  void ReportChoice(const Node& node, std::string_view name, const std::vector<std::string>& known);

  const Node* map_ = nullptr;
  Place place_;
  std::string subject_;
  Findings* findings_;
  std::set<std::string, std::less<>> asked_;
};

}  // namespace monotable::model
