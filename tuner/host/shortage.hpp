#pragma once

#include <string>

#include "tuner/host/jobs.hpp"

namespace tuner::host {

/// Why a job failed, with a way out, where it was for want of something that this machine has or this user may have:
/// memory, disk, processes, descriptors, time. Empty where the program itself is to blame. `who` begins the sentence
/// ("The C++ compiler"), which has no full stop.
std::string shortage(const Job& job, const std::string& who, const JobLimits& limits);

/// Likewise, of what a program said of itself before it failed. What a compiler says about a source, or quotes of it,
/// does not count.
std::string shortage_in(const std::string& words, const std::string& who, const JobLimits& limits);

/// The program that a compiler did not find and cannot do without, its assembler or linker, from what it said (in
/// English, LC_ALL=C). Empty if it said nothing of the kind.
std::string missing_part(const std::string& messages);

/// Why the program that runs the kernel ended before it was to: of want of something, or what it said itself.
std::string why_program_failed(const Job& job, const JobLimits& limits);

/// What to do about a folder for temporary files that is of no use: "set TMPDIR to ...".
std::string other_folder();

}  // namespace tuner::host
