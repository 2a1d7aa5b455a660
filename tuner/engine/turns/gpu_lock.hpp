#pragma once

#include <string>

#include "cache/file/file_lock.hpp"

namespace tuner::engine {

/// The right to measure on one GPU: of all processes on this machine, whoever runs them, one has it. It is a lock in
/// /tmp/tuner-gpu-<uuid>.lock and ends with the process. In /tmp and not in the folder that $TMPDIR or $XDG_RUNTIME_DIR
/// names, which cron, sudo and other users do not share. Throws what cache::FileLock throws.
cache::FileLock gpu_lock(const std::string& uuid);

}  // namespace tuner::engine
