#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/effort.hpp"
#include "tuner/timing.hpp"

namespace tuner::fleet {

/// A file that a job carries: its name as the kernel's source says it, and sha256 of its bytes.
struct CarriedFile {
  std::string name;
  std::string hash;
};

/// What is to be tuned: one kernel for one problem. Its files travel beside it, by their hashes.
struct JobSpec {
  std::string kernel;
  std::string identity;  ///< kernel_identity of source and headers, where the job was made
  std::string problem;   ///< canonical text
  Timing timing = Timing::cold;
  Effort effort = Effort::normal;
  CarriedFile source;
  std::vector<CarriedFile> headers;  ///< in the order in which they are included first
  std::vector<CarriedFile> data;
};

/// A job with its files.
struct Package {
  JobSpec spec;
  std::map<std::string, std::string> contents;  ///< by sha256
};

/// As the queue has it: JSON, `{"format": 1, ...}`.
std::string to_json(const JobSpec& spec);
/// The reverse. It is data from anyone: throws Error{bad_description} with one sentence for what no job is.
JobSpec job_from_json(std::string_view text);

/// The hashes of all files of the job, each once.
std::vector<std::string> hashes_of(const JobSpec& spec);

/// A job carries at most so many files, each of at most so many bytes.
inline constexpr std::size_t kMostFiles = 1000, kMostBytesOfFile = std::size_t{256} << 20;

}  // namespace tuner::fleet
