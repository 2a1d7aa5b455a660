#include "tuner/capture/inject/launch_table.hpp"

#include <utility>

namespace tuner::capture {
namespace {

template <typename T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

}  // namespace

void LaunchTable::add(std::string_view kernel, const LaunchShape& shape, double nanoseconds) {
  std::string key(bytes_of(shape));
  key += kernel.substr(0, kLongestKernelName);
  const std::lock_guard lock(mutex_);
  sums_[std::move(key)].add({1, nanoseconds, nanoseconds * nanoseconds, nanoseconds, nanoseconds});
}

bool LaunchTable::send_to(const Parent& parent) {
  Sums sums;
  {
    const std::lock_guard lock(mutex_);
    sums.swap(sums_);
  }
  bool all_sent = true;
  for (const auto& [key, launches] : sums) {
    std::string body = key;
    body.insert(sizeof(LaunchShape), bytes_of(launches));
    if (all_sent && parent.send(MessageKind::launches, body)) continue;
    all_sent = false;
    const std::lock_guard lock(mutex_);
    sums_[key].add(launches);
  }
  return all_sent;
}

}  // namespace tuner::capture
