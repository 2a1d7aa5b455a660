#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/engine/device/worker/buffers.hpp"
#include "tuner/engine/device/worker/verdict.hpp"

namespace tuner::engine {

/// What all runs of a kernel together say about one output.
struct Mismatch {
  const ArgumentState* state = nullptr;
  std::vector<std::uint64_t> count;  ///< elements beyond the tolerance, by run; 0 where so many may be
  std::uint64_t first = 0;           ///< of the first run that has any
  std::string found, expected;       ///< at that element
  double worst = 0;
  bool knows_rounding = false;  ///< how exactly the reference computes was measured
  bool like_rounding = true;    ///< nothing is further off than what may be rounding; of runs with elements beyond
  std::uint64_t unwritten = 0;  ///< elements that hold the poison after every run, and the reference writes
  std::uint64_t first_unwritten = 0;
  Finding overwritten;              ///< elements that the reference leaves unwritten, and this does not
  std::vector<std::uint64_t> bits;  ///< checksums by run, where the bits matter
};

/// Whether a kernel did what it should, and else why not, in the order of severity: unwritten outputs, wrong results
/// (in some runs only: nondeterministic), elements that the reference leaves unwritten, other bits in another run.
Verdict judge(const std::vector<Mismatch>& mismatches);
/// The same for runs of the reference, which must agree with each other and with the files that say what is right.
Verdict judge_reference(const std::vector<Mismatch>& mismatches);

}  // namespace tuner::engine
