#pragma once

#include <filesystem>
#include <string_view>

#include "tuner/core/description/description.hpp"
#include "tuner/effort.hpp"
#include "tuner/fleet/job/job.hpp"

namespace tuner::fleet {

/// A job for `kernel`, but for its problem, with the source, the user's headers and the data that they name. Reads all
/// of them. Throws Error{bad_description, file_not_found} for what a worker would refuse (see unpack_job), and for what
/// a job cannot carry yet: T1 files.
Package pack_job(const KernelDescription& kernel, Timing timing, Effort effort);

/// The kernel of a job that comes from anyone. Its data is written to `folder`, which nobody else may enter, and
/// everything else is kept in memory: nothing is read of this machine. Throws Error{bad_description} with one sentence
/// for a file that is not what its hash says or is not there, for names that lead out of the job, for `-I` and other
/// compiler options that name folders, and where source and headers are not what was submitted.
KernelDescription unpack_job(const Package& package, const std::filesystem::path& folder);

}  // namespace tuner::fleet
