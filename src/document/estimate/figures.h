#pragma once

#include <string>
#include <vector>

namespace monotable::document {

// A number with as many decimals as tell something and a comma between thousands: 36,500 or 0.0002.
std::string Figure(double value);

// A rate of a second, as capacity tables print it: three decimals, four below a thousandth.
std::string PerSecond(double per_day);

// Bytes in KB, MB or GB, each 1000 of the smaller one and the KB of 1024 bytes, as capacity tables
// have it.
std::string Size(double bytes);

// Columns of text: the first and the last to the left, those between to the right.
class TextColumns {
 public:
  explicit TextColumns(std::vector<std::string> header);
  void Add(std::vector<std::string> cells);
  std::string Text() const;  // indented by two

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace monotable::document
