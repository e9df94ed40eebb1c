#pragma once

#include <string>
#include <vector>

#include "storage/store.h"

// What damage in the files of a store means for the tables. The functions are thread-safe.
namespace monotable::engine {

// What a range of keys holds, in words: "items of the table Music", "the catalog of tables". The
// reader says which tables there are.
std::vector<std::string> WhatIsIn(const storage::Range& keys, const storage::Reader& reader);

// One line about damage, with the file, the keys in hexadecimal, and what they hold.
std::string DescribeDamage(const storage::Damage& damage, const storage::Reader& reader);

// Keys of a range in hexadecimal, shortened: `from 0300000001 to 0300000002`.
std::string DescribeKeys(const storage::Range& keys);

}  // namespace monotable::engine
