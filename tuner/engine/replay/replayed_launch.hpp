#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/engine/device/lane/replay.hpp"
#include "tuner/engine/replay/launch_facts.hpp"

namespace tuner::engine {

/// What running a launch again comes to, from the best.
enum class ReplayVerdict {
  exact,           ///< five launches left, byte for byte, what the program's did
  close,           ///< they differ in real numbers only, within the tolerance of descriptions
  same_set,        ///< or in the order of records
  not_repeatable,  ///< something else
  not_run,         ///< it faults, hangs or cannot be launched
};
std::string_view to_string(ReplayVerdict verdict);

/// What a kernel does to a piece of memory that the capture has.
enum class MemoryUse {
  unreached,  ///< no address leads there
  in,         ///< it writes nothing there
  out,        ///< what it writes does not depend on what was there
  inout,
};
std::string_view to_string(MemoryUse use);

struct MemoryFacts {
  MemoryUse use = MemoryUse::unreached;
  bool is_certain = true;  ///< false: whether it is written could not be found out
  ReplayedMemory replayed;
  std::optional<PatternResult> pattern;  ///< of what is written, if launches over patterns came to an end
  std::vector<ArrayFact> arrays;
};

struct ReplayedLaunch {
  ReplayVerdict verdict = ReplayVerdict::not_run;
  std::string reason;                 ///< one sentence, of what is not exact
  std::vector<MemoryFacts> memories;  ///< in the order of capture::MemoryMap
  bool at_own_addresses = false;      ///< it needed all memory where it lay
  int workers_lost = 0;
};

}  // namespace tuner::engine
