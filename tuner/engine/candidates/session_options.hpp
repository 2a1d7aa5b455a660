#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cache/store/store.hpp"
#include "tuner/core/task/beyond_memory.hpp"
#include "tuner/core/task/roofline.hpp"
#include "tuner/effort.hpp"
#include "tuner/engine/device/lane/device.hpp"
#include "tuner/engine/effort/budget.hpp"

namespace tuner::engine {

struct SessionOptions {
  /// From when on the session's time is accounted for: what came before it, such as reading and waiting, is its start.
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  std::string strategy = "auto";
  Budget budget;
  /// Its rules take the place of the budget's, but for time. Nothing: the budget's alone.
  std::optional<Effort> effort;
  /// What a search of an effort spends on making the kernel one per cent faster. Higher: it goes on for longer.
  std::chrono::duration<double> percent_worth{2};
  /// What the GPU was measured to reach; for the budget's rule that stops there. Nothing: not measured.
  std::optional<Roofline> roofline;
  /// Measures what memory and the L2 cache deliver, or takes it from the store; with the session's lanes, when nothing
  /// else uses them. Asked only for a winner that may be faster than that: from 0.9 times what the memory's clock
  /// allows.
  std::function<std::optional<MemoryRates>()> memory_rates;
  /// Whether a stored decision of more effort is an answer, and nothing is measured.
  bool takes_stored = false;
  Timing mode = Timing::cold;
  std::uint64_t seed = 0;
  /// A launch still running after this is stopped and its worker replaced. Higher: slow kernels live; lower: hangs cost
  /// less.
  std::chrono::milliseconds launch_timeout{2000};
  /// How late a finished trial may reach the store. Higher: fewer disk flushes; lower: less is lost with the power.
  std::chrono::milliseconds row_delay{250};
  /// Off for recordings: every candidate gets all its samples.
  bool early_kill = true;
  std::vector<std::filesystem::path> include_folders;
  /// Off: trials in the store are not taken over, everything is measured again.
  bool reuse = true;
  /// Whether configurations that won for other problems and on other GPUs, as the store has them, are tried first. They
  /// are measured like any others.
  bool warm_start = true;
  /// Configurations that did well elsewhere by another's word, the best first, as texts: tried before what `warm_start`
  /// finds, and believed as little. They may lack parameters, which then have their defaults, and name others, which
  /// are passed over; so is what the space does not have.
  std::vector<std::string> hints;
  /// Configurations that are known to be good, the best first, as texts: tried first, in the place of what `warm_start`
  /// finds. What the space does not have is passed over.
  std::vector<std::string> proven;
  /// How many other problems they come from that were tuned together with this one: the more, the less is searched.
  std::size_t known_problems = 0;
  /// The stored winner, which is measured again, stays without a race unless something that ran is faster.
  bool races_if_faster = false;
  cache::Origin origin = cache::Origin::measured;
  /// A program is at work on the same GPU all the while: samples are taken and judged so that its interruptions do not
  /// count, the decision says `contended`, and what is measured is taken over by sessions of this kind only.
  bool contended = false;
  /// A search that the budget's time ended records a decision only if besides the baseline so many were timed. Its
  /// trials are recorded in any case.
  std::size_t least_timed = 0;
  /// Whether the kernel's source and the user's headers are stored with the decision.
  bool keeps_source = true;
  /// The configuration that a program uses now: raced with the others where the space has it. Empty: none.
  std::string serving;
};

}  // namespace tuner::engine
