#include "json/tree.h"

#include <algorithm>
#include <cstddef>
#include <set>

#include "json/parse.h"
#include "text/characters.h"

namespace monotable::json {
namespace {

void AppendUtf8(uint32_t code, std::string* out) {
  const auto byte = [out](uint32_t value) { out->push_back(static_cast<char>(value)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6));
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

// Finds names that occur twice in one object. Few objects have many names, so most need no set.
bool HasDuplicate(const std::vector<Member>& members) {
  constexpr size_t kFew = 16;
  if (members.size() <= kFew) {
    for (size_t i = 1; i < members.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (members[i].name == members[j].name) return true;
      }
    }
    return false;
  }
  std::set<std::string_view> names;
  return !std::all_of(members.begin(), members.end(),
                      [&names](const Member& member) { return names.insert(member.name).second; });
}

// Reads one document by recursive descent. After a mistake every function returns false, and
// Mistake() says what it was.
class Reader {
 public:
  Reader(std::string_view text, std::deque<std::string>* unescaped)
      : text_(text), unescaped_(*unescaped) {}

  bool ReadDocument(Node* root) {
    if (!IsUtf8(text_)) return Fail("is not UTF-8");
    SkipSpace();
    if (!ReadValue(root, 1)) return false;
    SkipSpace();
    return at_ == text_.size() || Fail("goes on after its end");
  }

  Error Mistake() const {
    const std::string_view before = text_.substr(0, std::min(at_, text_.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const size_t newline = before.rfind('\n');
    const size_t column = before.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
    return Error(ErrorCode::kSerialization, std::string("The JSON ") + mistake_ + " (line " +
                                                std::to_string(line) + ", column " +
                                                std::to_string(column) + ").");
  }

 private:
  bool Fail(const char* mistake) {
    mistake_ = mistake;
    return false;
  }

  // The next character, or zero at the end. No valid text has a zero outside of strings.
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool Accept(char c) {
    if (Peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }

  void SkipSpace() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return;
      ++at_;
    }
  }

  bool ReadValue(Node* node, size_t depth) {
    switch (Peek()) {
      case '{':
        return ReadObject(node, depth);
      case '[':
        return ReadArray(node, depth);
      case '"':
        node->kind = Node::Kind::kString;
        return ReadString(&node->text);
      case 't':
        node->boolean = true;
        return ReadWord("true", Node::Kind::kBoolean, node);
      case 'f':
        return ReadWord("false", Node::Kind::kBoolean, node);
      case 'n':
        return ReadWord("null", Node::Kind::kNull, node);
      default:
        return ReadNumber(node);
    }
  }

  bool ReadWord(std::string_view word, Node::Kind kind, Node* node) {
    if (text_.substr(at_, word.size()) != word) return Fail("has a word that is not a JSON value");
    at_ += word.size();
    node->kind = kind;
    return true;
  }

  bool ReadDigits() {
    const size_t begin = at_;
    while (text::IsDigit(Peek())) ++at_;
    return at_ > begin;
  }

  bool ReadNumber(Node* node) {
    const size_t begin = at_;
    if (at_ == text_.size()) return Fail("ends before its end");
    Accept('-');
    const bool starts_with_zero = Peek() == '0';
    const size_t digits = at_;
    if (!ReadDigits()) return Fail("has something that is not a JSON value");
    if (starts_with_zero && at_ - digits > 1) return Fail("has a number with leading zeros");
    if (Accept('.') && !ReadDigits()) return Fail("has a number without digits after its point");
    if (Accept('e') || Accept('E')) {
      if (!Accept('+')) Accept('-');
      if (!ReadDigits()) return Fail("has a number without digits in its exponent");
    }
    node->kind = Node::Kind::kNumber;
    node->text = text_.substr(begin, at_ - begin);
    return true;
  }

  bool ReadArray(Node* node, size_t depth) {
    if (depth > kMaxDepth) return Fail("is nested too deep");
    node->kind = Node::Kind::kArray;
    ++at_;
    SkipSpace();
    if (Accept(']')) return true;
    while (true) {
      if (!ReadValue(&node->items.emplace_back(), depth + 1)) return false;
      SkipSpace();
      if (Accept(']')) return true;
      if (!Accept(',')) return Fail("lacks a comma or the end of a list");
      SkipSpace();
    }
  }

  bool ReadObject(Node* node, size_t depth) {
    if (depth > kMaxDepth) return Fail("is nested too deep");
    node->kind = Node::Kind::kObject;
    ++at_;
    SkipSpace();
    if (Accept('}')) return true;
    while (true) {
      if (Peek() != '"') return Fail("lacks a name in double quotes");
      Member& member = node->members.emplace_back();
      if (!ReadString(&member.name)) return false;
      SkipSpace();
      if (!Accept(':')) return Fail("lacks a colon");
      SkipSpace();
      if (!ReadValue(&member.value, depth + 1)) return false;
      SkipSpace();
      if (Accept('}')) break;
      if (!Accept(',')) return Fail("lacks a comma or the end of an object");
      SkipSpace();
    }
    return !HasDuplicate(node->members) || Fail("has a name twice in one object");
  }

  bool ReadString(std::string_view* out) {
    const size_t begin = ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        *out = text_.substr(begin, at_++ - begin);
        return true;
      }
      if (c == '\\') return ReadEscapedString(begin, out);
      if (static_cast<unsigned char>(c) < 0x20) return Fail("has a control character in a string");
      ++at_;
    }
    return Fail("lacks the end of a string");
  }

  // Reads the string that began at `begin` and has its first escape at the current position.
  bool ReadEscapedString(size_t begin, std::string_view* out) {
    std::string& plain = unescaped_.emplace_back(text_.substr(begin, at_ - begin));
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        *out = plain;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20) return Fail("has a control character in a string");
      if (c == '\\') {
        if (!ReadEscape(&plain)) return false;
      } else {
        plain.push_back(c);
        ++at_;
      }
    }
    return Fail("lacks the end of a string");
  }

  bool ReadEscape(std::string* plain) {
    static constexpr std::string_view kLetters = "\"\\/bfnrt";
    static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    ++at_;
    if (Accept('u')) return ReadUnicodeEscape(plain);
    const size_t letter = at_ < text_.size() ? kLetters.find(text_[at_]) : std::string_view::npos;
    if (letter == std::string_view::npos) return Fail("has an escape that does not exist");
    plain->push_back(kMeanings[letter]);
    ++at_;
    return true;
  }

  bool ReadHex(uint32_t* code) {
    *code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const int digit = at_ < text_.size() ? text::HexDigit(text_[at_]) : -1;
      if (digit < 0) return Fail("has an escape without four hexadecimal digits");
      *code = *code * 16 + static_cast<uint32_t>(digit);
    }
    return true;
  }

  bool ReadUnicodeEscape(std::string* plain) {
    uint32_t code = 0;
    if (!ReadHex(&code)) return false;
    if (code >= 0xD800 && code < 0xE000) {
      uint32_t low = 0;
      if (code >= 0xDC00 || !Accept('\\') || !Accept('u')) return Fail("has half of a character");
      if (!ReadHex(&low)) return false;
      if (low < 0xDC00 || low > 0xDFFF) return Fail("has half of a character");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    AppendUtf8(code, plain);
    return true;
  }

  std::string_view text_;
  std::deque<std::string>& unescaped_;
  size_t at_ = 0;
  const char* mistake_ = "";
};

}  // namespace

const Node* Node::Find(std::string_view name) const {
  for (const Member& member : members) {
    if (member.name == name) return &member.value;
  }
  return nullptr;
}

Result<Tree> Tree::Parse(std::string_view text) {
  Tree tree;
  Reader reader(text, &tree.unescaped_);
  if (!reader.ReadDocument(&tree.root_)) return reader.Mistake();
  return tree;
}

}  // namespace monotable::json
