#include "cache/exchange/binary_export.hpp"

#include <iterator>
#include <limits>

#include "cache/file/fail.hpp"
#include "cache/store/binary_store.hpp"

namespace tuner::cache {
namespace {

namespace fs = std::filesystem;

void require_trust(const BinaryStore& store) {
  if (!store.distrust()) return;
  fail(Errc::store_unavailable, "Binaries cannot be exported. {}", *store.distrust());
}

void pin(const fs::path& path, std::span<const Binary> builds) {
  const auto store = BinaryStore::open({.path = path, .limit_bytes = std::numeric_limits<std::int64_t>::max()});
  require_trust(*store);
  for (const Binary& build : builds) store->put(build, Keep::pinned);
}

/// As far as they can be read: of a file that is damaged, or not trusted, no program loads any.
std::vector<Binary> builds_in(const fs::path& path) {
  std::vector<Binary> all;
  try {
    const auto store = BinaryStore::open({.path = path, .access = Access::read_only});
    for (const Hash& hash : store->list()) {
      std::vector<Binary> builds = store->find_builds(hash);
      std::move(builds.begin(), builds.end(), std::back_inserter(all));
    }
  } catch (const Error&) {
  }
  return all;
}

}  // namespace

void require_others(const fs::path& from, const fs::path& to) {
  std::error_code ignored;
  if (!fs::equivalent(from, to, ignored)) return;
  fail(Errc::bad_usage, "{} is the database itself, which cannot be exported onto itself: choose another name.",
       to.string());
}

BinaryExport::BinaryExport(const ExportRequest::Binaries& files, const std::set<Hash>& hashes, bool overwrite)
    : to_(files.to) {
  require_others(files.from, to_);
  const auto source = BinaryStore::open({.path = files.from, .access = Access::read_only});
  require_trust(*source);
  for (const Hash& hash : hashes) {
    std::vector<Binary> builds = source->find_builds(hash);
    ++(builds.empty() ? counts_.missing : counts_.written);
    std::move(builds.begin(), builds.end(), std::back_inserter(builds_));
  }
  alone_.emplace(to_, overwrite);
  pin(alone_->path(), builds_);
}

void BinaryExport::publish_beside_earlier() {
  if (!fs::exists(fs::symlink_status(to_))) return remove_earlier();
  FreshFile both(to_, true);
  pin(both.path(), builds_in(to_));
  pin(both.path(), builds_);
  both.publish();
}

void BinaryExport::remove_earlier() {
  if (alone_) alone_->publish();
  alone_.reset();
}

void write_binaries(const fs::path& to, std::span<const Binary> builds, bool overwrite) {
  FreshFile file(to, overwrite);
  pin(file.path(), builds);
  file.publish();
}

}  // namespace tuner::cache
