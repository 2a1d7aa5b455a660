#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tuner::capture {

// Contents in a file of their own, in chunks that are compressed apart, so that several threads work and little memory
// is needed:
//   file  = chunk*
//   chunk = count:u64 byte[count]      of kChunkBytes, the last of the rest: a zlib stream, or, where that would not be
//                                      shorter, they themselves. The count is little-endian.

inline constexpr std::size_t kChunkBytes = std::size_t{4} << 20;

/// Contents, by what they are.
struct Blob {
  std::string hash;  ///< as cache::content_hash says
  std::uint64_t size = 0;

  /// "0123456789abcdef0123456789abcdef.4096"
  std::string file_name() const;
  friend auto operator<=>(const Blob&, const Blob&) = default;
};

Blob blob_of(std::span<const std::byte> contents);

/// Calls `write` with what the file of these contents is made of. Uses all cores for long ones.
void pack(std::span<const std::byte> contents, const std::function<void(std::span<const std::byte>)>& write);

/// Gets so many bytes of a file; fewer where it ends.
using ReadBytes = std::function<std::size_t(std::span<std::byte>)>;
/// Calls `visit` with each chunk of a file's contents, in order. False if the file does not hold this blob: what was
/// visited is to be thrown away then. Uses all cores. Whatever the file holds, memory for two chunks a core is needed.
bool unpack(const Blob& blob, const ReadBytes& read, const std::function<void(std::span<const std::byte>)>& visit);

}  // namespace tuner::capture
