#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cache/records/binary.hpp"
#include "cache/records/decision.hpp"
#include "tuner/core/description/description.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/effort.hpp"
#include "tuner/ground/outcome.hpp"
#include "tuner/timing.hpp"

namespace tuner {

/// What a program gives its engine: one kernel for one problem on one GPU.
struct JobSubject {
  std::string text;             ///< the whole annotated source
  std::filesystem::path file;   ///< its name, for messages
  std::string kernel;           ///< which kernel of it
  std::vector<Header> headers;  ///< every header that it includes with quotes
  ProblemValues problem;        ///< complete
  DeviceInfo device;
  std::filesystem::path database;  ///< as chosen by the program; empty: the default place
};

/// Compile one configuration, and keep the binary in the database's binaries where that can be.
struct CompileJob {
  JobSubject subject;
  std::string configuration;  ///< canonical text
  /// After so long the engine answers compile_timeout. EngineClient sets it.
  std::chrono::milliseconds limit{20'000};
};

struct CompileAnswer {
  Outcome outcome = Outcome::ok;
  std::string message;  ///< a sentence, where it is not ok
  cache::Cubin cubin;
};

/// Find the best configuration. Of several engines that are asked for one key in one database, one tunes and the others
/// answer with what it found.
struct TuneJob {
  JobSubject subject;
  Timing timing = Timing::cold;
  Effort effort = Effort::quick;
  std::uint64_t evaluations = 0;                   ///< at most; 0: as many as the effort says
  std::optional<std::chrono::milliseconds> limit;  ///< for all of it, waiting for others included
  std::optional<double> share;                     ///< of the GPU's time, where a program is using it: in background
  int compile_workers = 0;                         ///< 0: as many as the cores allow; with a share, one
  std::chrono::milliseconds launch_timeout{2000};  ///< of a candidate
  /// A decision at least as new as this, by any process, is an answer, unless it took less effort: when the program
  /// looked and found none.
  std::int64_t since_unix_ms = 0;
  std::string serving;  ///< the configuration in use, raced with the others where the space has it; may be empty
};

struct TuneAnswer {
  enum class Result {
    decided,  ///< `decision` is there
    failed,   ///< it could not be tuned: `message` says why
  };
  Result result = Result::failed;
  std::string message;  ///< a sentence: why it failed, or what else is worth telling
  cache::Decision decision;
  bool cut_short = false;  ///< its time ended the search: the decision is stored only if enough was measured
  /// Lower end of the interval of (time of `serving` / time of the winner), where both raced.
  std::optional<double> gain_low;
  std::filesystem::path database;  ///< where the decision is stored; empty if it could not be
  cache::Cubin cubin;              ///< of the winner
};

}  // namespace tuner
