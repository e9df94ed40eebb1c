#include "storage/rocksdb/log_records.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

namespace monotable::storage {

namespace {

constexpr size_t kBlockBytes = 32768;
constexpr size_t kHeaderBytes = 7;
// A record is a batch, which begins with its sequence number.
constexpr size_t kSequenceBytes = 8;
// No two neighbours in a log are further apart. What looks like a record and has another number is
// the content of an item.
constexpr uint64_t kSequenceDistance = uint64_t{1} << 32;

enum FragmentType : uint8_t { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

// Eight tables, so that eight bytes take one step.
using CrcTables = std::array<std::array<uint32_t, 256>, 8>;

CrcTables MakeCrcTables() {
  CrcTables tables;
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78U : 0U);
    tables[0][i] = crc;
  }
  for (size_t table = 1; table < tables.size(); ++table) {
    for (uint32_t i = 0; i < 256; ++i) {
      const uint32_t before = tables[table - 1][i];
      tables[table][i] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

uint64_t LittleEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    value |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return value;
}

// RocksDB changes checksums that it stores, because a checksum of bytes that hold their own
// checksum is a weak one.
uint32_t Masked(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

// The fragment at the beginning of the bytes, which end with the block or the file.
struct Fragment {
  uint8_t type;
  std::string_view content;
};

std::optional<Fragment> ReadFragment(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes) return std::nullopt;
  const size_t length = LittleEndian(bytes.substr(4, 2));
  const auto type = static_cast<uint8_t>(bytes[6]);
  if (type < kFull || type > kLast || length > bytes.size() - kHeaderBytes) return std::nullopt;
  // The checksum covers the type and the content, which are neighbours.
  const uint32_t crc = Masked(Crc32c(bytes.substr(kHeaderBytes - 1, length + 1)));
  if (crc != LittleEndian(bytes.substr(0, 4))) return std::nullopt;
  return Fragment{type, bytes.substr(kHeaderBytes, length)};
}

bool BeginsRecord(const Fragment& fragment) {
  return fragment.type == kFull || fragment.type == kFirst;
}

// Follows the blocks of a log. Not thread-safe.
class LogScanner {
 public:
  LogScanner(uint64_t last_sequence, LogScan* scan) : scan_(*scan) {
    scan_.last_sequence = last_sequence;
  }

  // The next block; only the last one may be shorter than kBlockBytes.
  void Read(std::string_view block) {
    const uint64_t begin = scan_.size;
    scan_.size += block.size();
    size_t at = 0;
    while (!bad_ && at + kHeaderBytes <= block.size()) at += ReadOne(block.substr(at), begin + at);
    if (bad_) {
      LookForRecord(block.substr(at));
    } else if (block.size() == kBlockBytes && !begun_) {
      // The rest is too short for a header, so RocksDB has left it empty.
      scan_.good_size = scan_.size;
    }
  }

 private:
  // Reads one fragment and returns its size.
  size_t ReadOne(std::string_view bytes, uint64_t position) {
    const std::optional<Fragment> fragment = ReadFragment(bytes);
    if (!fragment || BeginsRecord(*fragment) == begun_) {
      bad_ = true;
      // A fragment that is good in itself ends a record that was never completed.
      scan_.record_follows = fragment && BeginsRecord(*fragment);
      return std::min(bytes.size(), size_t{1});
    }
    const size_t size = kHeaderBytes + fragment->content.size();
    if (BeginsRecord(*fragment)) sequence_ = Sequence(*fragment);
    begun_ = fragment->type == kFirst || fragment->type == kMiddle;
    if (!begun_) {
      scan_.good_size = position + size;
      ++scan_.good_records;
      scan_.last_sequence = sequence_;
    }
    return size;
  }

  static uint64_t Sequence(const Fragment& fragment) {
    return LittleEndian(fragment.content.substr(0, kSequenceBytes));
  }

  // After a bad fragment it is not known where the next one begins, so every place is tried.
  void LookForRecord(std::string_view bytes) {
    for (size_t at = 0; !scan_.record_follows && at + kHeaderBytes + kSequenceBytes < bytes.size();
         ++at) {
      const auto type = static_cast<uint8_t>(bytes[at + kHeaderBytes - 1]);
      if (type != kFull && type != kFirst) continue;
      const uint64_t sequence = LittleEndian(bytes.substr(at + kHeaderBytes, kSequenceBytes));
      if (!IsLater(sequence)) continue;
      scan_.record_follows = ReadFragment(bytes.substr(at)).has_value();
    }
  }

  bool IsLater(uint64_t sequence) const {
    if (scan_.last_sequence == 0) return true;
    return sequence > scan_.last_sequence && sequence - scan_.last_sequence < kSequenceDistance;
  }

  LogScan& scan_;
  bool begun_ = false;  // a record of several fragments
  bool bad_ = false;
  uint64_t sequence_ = 0;  // of the record that is being read
};

}  // namespace

uint32_t Crc32c(std::string_view bytes) {
  static const CrcTables kTables = MakeCrcTables();
  uint32_t crc = ~0U;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  for (; end - at >= 8; at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    word ^= crc;
    crc = kTables[7][word & 0xff] ^ kTables[6][(word >> 8) & 0xff] ^
          kTables[5][(word >> 16) & 0xff] ^ kTables[4][(word >> 24) & 0xff] ^
          kTables[3][(word >> 32) & 0xff] ^ kTables[2][(word >> 40) & 0xff] ^
          kTables[1][(word >> 48) & 0xff] ^ kTables[0][word >> 56];
  }
  for (; at != end; ++at) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<unsigned char>(*at)) & 0xff];
  }
  return ~crc;
}

rocksdb::IOStatus ScanLog(rocksdb::FileSystem& files, const std::string& path, uint64_t digest_size,
                          uint64_t last_sequence, LogScan* scan) {
  *scan = {};
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  rocksdb::IOStatus status = files.NewSequentialFile(path, rocksdb::FileOptions(), &file, nullptr);
  if (!status.ok()) return status;
  LogScanner scanner(last_sequence, scan);
  RunningDigest digest;
  std::string memory(kBlockBytes, '\0');
  bool more = true;
  while (more) {
    size_t filled = 0;
    while (more && filled < kBlockBytes) {
      rocksdb::Slice part;
      status = file->Read(kBlockBytes - filled, rocksdb::IOOptions(), &part, memory.data() + filled,
                          nullptr);
      if (!status.ok()) return status;
      // The file system may have put the bytes elsewhere.
      if (part.data() != memory.data() + filled) {
        std::memmove(memory.data() + filled, part.data(), part.size());
      }
      filled += part.size();
      more = !part.empty();
    }
    if (filled == 0) break;
    const std::string_view block(memory.data(), filled);
    if (scan->size < digest_size) {
      digest.Add(block.substr(0, std::min<uint64_t>(filled, digest_size - scan->size)));
    }
    scanner.Read(block);
  }
  if (scan->size >= digest_size) scan->digest = digest.value();
  return rocksdb::IOStatus::OK();
}

}  // namespace monotable::storage
