#pragma once

#include "cache/store/binary_store.hpp"
#include "tests/cache/support.hpp"

namespace tuner::cache::test {

/// A copy of the file, "decisions" or "binaries", that a program of format 1 wrote: the trials and the decision of one
/// session, or the binaries. Only this user may write it.
inline std::filesystem::path old_file(const TemporaryFolder& folder, const std::string& name) {
  using std::filesystem::perms;
  const std::filesystem::path path = folder / (name + ".db");
  std::filesystem::copy_file(std::string(TUNER_TEST_DATA "/") + name + "-format-1.sqlite", path);
  std::filesystem::permissions(path, perms::owner_read | perms::owner_write);
  return path;
}

/// Code for sm_90, `size` bytes that differ from those of another text.
inline Binary binary_of(const std::string& key, const std::string& code, std::size_t size) {
  Binary binary{{.kernel = "copy"}, "sm_90", key, "log"};
  for (std::size_t i = 0; i < size; ++i) binary.bytes.push_back(static_cast<std::byte>(code[i % code.size()]));
  return binary;
}

}  // namespace tuner::cache::test
