#pragma once

#include <cstdint>
#include <filesystem>

namespace tuner {

/// Three quarters of the memory that is free on this machine and allowed to this process, in bytes; but not less than
/// 1 GB where there is as much in all, since what is free may soon be more. `root` is where /proc and /sys lie.
std::uint64_t usable_memory(const std::filesystem::path& root = "/");

}  // namespace tuner
