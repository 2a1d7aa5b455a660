#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cache/records/resource_facts.hpp"
#include "cache/records/run.hpp"
#include "search/space/space.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/report/report.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/ground/outcome.hpp"

namespace tuner::engine {

/// One configuration as it was recorded.
struct RecordedTrial {
  search::Configuration configuration;
  Outcome outcome = Outcome::ok;
  std::string message;
  double time_ns = 0;              ///< ok only
  double relative_deviation = 0;   ///< of a sample: standard deviation / mean; 0 where it is not recorded
  std::vector<double> samples_ns;  ///< screening samples; one entry, the mean, in foreign recordings
  std::vector<double> race_ns;     ///< one per block of the final race, for finalists
  cache::ResourceFacts facts;
  std::string launch;
  double compile_ms = 0, verify_ms = 0, bench_ms = 0;
};

/// A recorded search space: the community's exchange of "every configuration, compiled and timed once". Text,
/// optionally gzipped; docs/recordings.md is the grammar. Files with only the columns of the first version (status,
/// time_ms, …) and our own (samples, facts, race) are read by the same code.
struct Recording {
  std::filesystem::path file;
  std::string kernel;
  std::string kernel_identity;  ///< empty in foreign recordings
  std::string problem;          ///< canonical text, or as recorded
  std::string date;             ///< ISO 8601, ours only
  std::string mode;             ///< "cold" or "warm"; empty in foreign recordings, which do not say
  DeviceInfo device;
  cache::Conditions conditions;
  std::optional<search::Configuration> baseline;
  std::string winner;  ///< canonical text of the recorded decision; empty in foreign recordings
  std::vector<search::Parameter> parameters;
  std::vector<std::string> restrictions;
  /// No restriction says which configurations there are, as in results of another tuner: those that are recorded.
  bool rows_are_space = false;
  /// How a configuration is launched and what it is worth, as expression texts; ours only.
  std::vector<std::pair<std::string, std::string>> lets;
  std::vector<std::string> grid, block;
  std::string shared_bytes, work_bytes, work_flops;
  std::vector<RecordedTrial> trials;
};

/// Reads a recording, or results of another tuner as one (foreign.hpp). Throws Error{file_not_found},
/// Error{bad_recording} naming file, line or JSON path, and what was expected.
Recording read_recording(const std::filesystem::path& file);
/// The text of one, not packed; it reads back equal.
std::string recording_text(const Recording& recording);
/// Writes one, over an older one too, as RecordingFile does: never half a file.
void write_recording(const Recording& recording, const std::filesystem::path& file);

/// A task over exactly the recorded configurations, on the recorded device and problem: restrictions as constraints,
/// membership checked against the rows. It can be searched and its launches computed, but nothing of it can be
/// compiled. Throws Error{bad_recording} if restrictions and rows disagree.
Task recorded_task(const Recording& recording);

}  // namespace tuner::engine
