#pragma once

#include <cstdint>
#include <filesystem>

namespace tuner::attack {

/// The job that these bits choose, as a worker of the fleet takes it that works in sandbox/job. Prints why it is
/// refused, or writes what a compiler is sent to sandbox/out/request. 0: either of these.
int work_off_job(std::uint64_t bits, const std::filesystem::path& sandbox);

}  // namespace tuner::attack
