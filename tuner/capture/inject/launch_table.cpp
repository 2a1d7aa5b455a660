#include "tuner/capture/inject/launch_table.hpp"

namespace tuner::capture {
namespace {

/// Of the keys: some 60,000 kernels and shapes.
constexpr std::size_t kMostBytes = 8 * 1024 * 1024;

template <typename T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

}  // namespace

bool LaunchTable::add(std::string_view kernel, const LaunchShape& shape, double nanoseconds) {
  std::string key(bytes_of(shape));
  key += kernel.substr(0, kLongestKernelName);
  return add(key, {1, nanoseconds, nanoseconds * nanoseconds, nanoseconds, nanoseconds});
}

bool LaunchTable::add(const std::string& key, const LaunchSums& more) {
  const std::lock_guard lock(mutex_);
  auto entry = sums_.find(key);
  if (entry == sums_.end()) {
    if (bytes_ + key.size() > kMostBytes) return false;
    entry = sums_.try_emplace(key).first;
    bytes_ += key.size();
  }
  entry->second.add(more);
  return true;
}

bool LaunchTable::send_to(const Parent& parent) {
  Sums sums;
  {
    const std::lock_guard lock(mutex_);
    sums.swap(sums_);
    bytes_ = 0;
  }
  bool all_sent = true, all_kept = true;
  for (const auto& [key, launches] : sums) {
    if (all_sent) {
      std::string body = key;
      body.insert(sizeof(LaunchShape), bytes_of(launches));
      all_sent = parent.send(MessageKind::launches, body);
    }
    if (!all_sent) all_kept = add(key, launches) && all_kept;
  }
  return all_kept;
}

}  // namespace tuner::capture
