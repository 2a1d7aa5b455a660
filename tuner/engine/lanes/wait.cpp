#include "tuner/engine/lanes/wait.hpp"

#include <poll.h>

#include <algorithm>

namespace tuner::engine {

void wait_readable(std::span<const int> fds, std::chrono::steady_clock::time_point until) {
  using std::chrono::milliseconds;
  const auto now = std::chrono::steady_clock::now();
  if (until <= now) return;
  std::vector<pollfd> waiting;
  for (const int fd : fds) waiting.push_back({fd, POLLIN, 0});
  // Rounded up: waking a moment early would only spin until the deadline.
  const auto left =
      std::chrono::ceil<milliseconds>(std::min(until - now, std::chrono::steady_clock::duration(milliseconds(60000))));
  poll(waiting.data(), waiting.size(), static_cast<int>(left.count()));
}

}  // namespace tuner::engine
