#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tuner::cache {

/// One compiled binary and how it was made.
struct Binary {
  std::string hash;          ///< content_hash of `bytes`; filled in by BinaryStore::put when empty
  std::string architecture;  ///< "sm_90"
  std::string compile_key;   ///< canonical text of everything that the binary depends on
  std::string kernel;        ///< the kernel's symbol in the binary (its lowered name)
  std::string resource_log;  ///< what the compiler said about registers, stack and spills
  std::vector<std::byte> bytes;
};

/// A binary as it was read, with what ties it to its build; nothing of it was compared yet.
struct StoredBinary {
  Binary binary;
  std::string checksum;  ///< over everything but the bytes, for which their hash stands; "format 1" in such a file
};

}  // namespace tuner::cache
