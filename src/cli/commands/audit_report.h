#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "json/tree.h"

// The report of `monotable model verify` and `monotable model repair`: what they have found so far,
// and where they go on.
namespace monotable::cli {

// The text or number of a member; empty or 0 if there is none.
std::string TextIn(const json::Node& object, std::string_view name);
int64_t NumberIn(const json::Node& object, std::string_view name);

// One finding, as the server says it.
struct AuditFinding {
  struct KeyPart {
    std::string name;
    std::string type;  // S, N or B
    std::string text;
    friend bool operator==(const KeyPart&, const KeyPart&) = default;
  };

  std::string kind;
  std::string state;
  std::string table;
  std::string entity;
  std::vector<KeyPart> key;
  std::string attribute;
  std::string message;
  std::string remedy;

  static AuditFinding Read(const json::Node& node);
  // The item: SalesTable-dev Sale PK=SALE#1 SK=LINE#001.
  std::string Where() const;
};

struct AuditReport {
  std::string command;  // verify or repair
  std::string model;
  bool apply = false;
  bool complete = false;
  int pass = 1;          // of a repair
  std::string position;  // where the pass goes on; empty: at the beginning, or at the end
  int64_t items = 0;     // that this pass has looked at
  // Counts of all findings. The lists end after the first hundred thousand.
  int64_t undecided_count = 0;   // in this pass
  int64_t repairable_count = 0;  // in this pass
  int64_t repaired_count = 0;    // in all passes
  int64_t repaired_in_pass = 0;
  std::vector<AuditFinding> findings;  // of this pass
  std::vector<AuditFinding> repaired;  // of all passes

  // Findings that are not notes and not repaired.
  int64_t found() const { return undecided_count + repairable_count; }
  void Add(AuditFinding finding);
  // Starts over for what a repair may have uncovered.
  void BeginPass();

  std::string ToJson() const;
  static Result<AuditReport> Parse(std::string_view text);
};

}  // namespace monotable::cli
