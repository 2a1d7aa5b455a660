#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cache/file/hash.hpp"
#include "cache/records/described.hpp"

namespace tuner::cache {

/// A compiled kernel.
struct Cubin {
  Hash hash;           ///< content_hash of `bytes`; BinaryStore::put fills it in when empty
  std::string kernel;  ///< its symbol in the binary (its lowered name)
  std::vector<std::byte> bytes;
};

void describe(auto& fields, MaybeConst<Cubin> auto& cubin) {
  fields("hash", cubin.hash);
  fields("kernel", cubin.kernel);
  fields("bytes", cubin.bytes);
}

/// One compiled binary and how it was made.
struct Binary : Cubin {
  std::string architecture;  ///< "sm_90"
  std::string compile_key;   ///< canonical text of everything that the binary depends on
  std::string resource_log;  ///< what the compiler said about registers, stack and spills
};

/// A binary as it was read, with what ties it to its build; nothing of it was compared yet.
struct StoredBinary {
  Binary binary;
  std::string checksum;  ///< over everything but the bytes, for which their hash stands; "format 1" in such a file
};

}  // namespace tuner::cache
