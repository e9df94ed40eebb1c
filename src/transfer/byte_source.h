#pragma once

#include <memory>
#include <span>

#include "error/result.h"
#include "http/file_descriptor.h"
#include "operations/transfers.h"

namespace monotable::transfer {

// Bytes in their order, however they are stored. Not thread-safe.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills some of the space, which is not empty, and returns how much; 0 at the end. An error if
  // what is stored is damaged or cut short.
  virtual Result<size_t> Read(std::span<char> space) = 0;
};

// What a file holds, decompressed. Several members of gzip or frames of Zstandard in one file are
// one after the other what the file holds.
Result<std::unique_ptr<ByteSource>> OpenByteSource(http::FileDescriptor file,
                                                   operations::Compression compression);

}  // namespace monotable::transfer
