#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace tuner {

/// How the life of one configuration ended. Persisted as numbers in databases: never renumber, only append.
enum class Outcome : int {
  ok = 0,                ///< compiled, reproduced the reference, was timed
  compile_error = 1,     ///< NVRTC or ptxas refused the source
  compile_timeout = 2,   ///< the compiler was still busy at the time limit and was stopped
  launch_refused = 3,    ///< the driver refused to load or launch it (registers, shared memory, block size)
  illegal_access = 4,    ///< an illegal address, a trap or any other error that kills the context
  guard_violation = 5,   ///< wrote outside its buffers
  input_modified = 6,    ///< changed a buffer that is declared as input
  wrong_result = 7,      ///< an output differs from the reference by more than the tolerance
  unwritten_output = 8,  ///< left words unwritten that the reference writes
  nondeterministic = 9,  ///< right in one run, wrong in another
  run_timeout = 10,      ///< still running at the time limit
  out_of_memory = 11,    ///< its buffers do not fit on the device
  worker_lost = 12,      ///< the process that held it ended for a reason of its own
  compile_memory = 13,   ///< the compiler held more memory than it may and was stopped
};

struct OutcomeName {
  Outcome outcome;
  std::string_view name;
};

/// Every outcome with the name used in databases, recordings, JSON and reports.
inline constexpr std::array<OutcomeName, 14> kOutcomeNames{{
    {Outcome::ok, "ok"},
    {Outcome::compile_error, "compile_error"},
    {Outcome::compile_timeout, "compile_timeout"},
    {Outcome::launch_refused, "launch_refused"},
    {Outcome::illegal_access, "illegal_access"},
    {Outcome::guard_violation, "guard_violation"},
    {Outcome::input_modified, "input_modified"},
    {Outcome::wrong_result, "wrong_result"},
    {Outcome::unwritten_output, "unwritten_output"},
    {Outcome::nondeterministic, "nondeterministic"},
    {Outcome::run_timeout, "run_timeout"},
    {Outcome::out_of_memory, "out_of_memory"},
    {Outcome::worker_lost, "worker_lost"},
    {Outcome::compile_memory, "compile_memory"},
}};

/// The outcome's name, e.g. "wrong_result".
constexpr std::string_view to_string(Outcome outcome) {
  for (const OutcomeName& entry : kOutcomeNames) {
    if (entry.outcome == outcome) return entry.name;
  }
  return "unknown";
}

/// The outcome of that name; nothing if no outcome is called so.
constexpr std::optional<Outcome> outcome_from_string(std::string_view name) {
  for (const OutcomeName& entry : kOutcomeNames) {
    if (entry.name == name) return entry.outcome;
  }
  return std::nullopt;
}

}  // namespace tuner
