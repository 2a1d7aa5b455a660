#include "cache/store/lease.hpp"

#include <string>

#include "cache/sqlite/database_file.hpp"

namespace tuner::cache {
namespace {

/// The key's hash, cut to what fits: two keys that meet in 2^52 wait for each other and are none the worse for it.
std::int64_t lock_number(const DecisionKey& key) {
  return static_cast<std::int64_t>(std::stoull(key.hash().text.substr(0, 13), nullptr, 16));
}

}  // namespace

FileLock lease_on(const DecisionKey& key, const std::filesystem::path& database) {
  return {resolved(database).string() + "-lock", lock_number(key), FileLock::Sharing::user};
}

}  // namespace tuner::cache
