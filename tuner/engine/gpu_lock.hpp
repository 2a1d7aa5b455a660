#pragma once

#include <string>

#include "cache/file_lock.hpp"

namespace tuner::engine {

/// The right to measure on one GPU: of this user's processes on this machine one has it. It is a lock in
/// tuner-gpu-<uuid>.lock, in $XDG_RUNTIME_DIR or else in /tmp, where other users' processes share it, and ends with the
/// process. Throws what cache::FileLock throws.
cache::FileLock gpu_lock(const std::string& uuid);

}  // namespace tuner::engine
