#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "tuner/host/finding.hpp"
#include "tuner/host/reports.hpp"

namespace tuner::host {

/// How often each case runs (shim/runs.hpp): runs 1 and 2 over other poison, 3 and 4 in other orders of threads.
inline constexpr std::size_t kRunsOfCase = 5;
inline constexpr std::size_t kRunsOverPoison = 3;

/// An access that races.cpp reported, as addresses in the program.
struct RaceEvent {
  std::string what;  ///< "race", "input", "uninitialised", "copy"
  int memory = 0;    ///< number of an argument; -1: dynamic, -2: static shared memory
  long long offset = 0;
  bool writes = false, other_writes = false;
  std::vector<std::string> stack, other_stack;  ///< addresses, innermost first
};

/// What the program said of one case.
struct CaseOutcome {
  enum class State { not_run, begun, ended, died, late, mismatch, left, lacking, busy };
  State state = State::not_run;
  std::string text;                 ///< how it died; what does not match; what there was too little of
  int misfit = 0;                   ///< the number, from 1, that does not fit its member, if that does not match
  std::size_t misfit_argument = 0;  ///< of which argument, from 0
  bool faulted = false;
  SourceSpot fault_place;
  std::string fault;
  int changed_input = -1;           ///< argument
  std::ptrdiff_t changed_byte = 0;  ///< counted from the first of its data
  Touched touched;
  int touched_argument = -1;
  std::array<bool, kRunsOfCase> has_outputs{};  ///< a run that ended without has the same as run 0
  std::array<std::vector<std::byte>, kRunsOfCase> outputs;
  std::vector<RaceEvent> races;
  bool has_result() const { return state == State::ended && !faulted && has_outputs[0]; }
  bool was_run() const { return state != State::not_run && state != State::begun && state != State::left; }
};

/// Reads what one program wrote (shim/runner.cpp explains the lines). `sizes` are the bytes of each case's outputs.
void read_events(const std::filesystem::path& events, const std::filesystem::path& results,
                 const std::vector<std::size_t>& sizes, std::vector<CaseOutcome>& outcomes);

}  // namespace tuner::host
