#pragma once

#include <cstddef>
#include <functional>

namespace tuner {

/// Calls `work` with each number below `count`, in up to `most` threads of which the caller's is one, and returns when
/// all are done. Threads that the system refuses are done without. What `work` throws first is thrown here, and no
/// number is begun after that.
void in_threads(std::size_t count, std::size_t most, const std::function<void(std::size_t)>& work);
/// In as many as there are cores.
void in_threads(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace tuner
