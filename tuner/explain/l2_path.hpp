#pragma once

#include "tuner/explain/difference.hpp"

namespace tuner::explain {

// What a multiprocessor gets from L2, and puts there, in a cycle at most; what all of them together get is a third of
// it or less. So a sector takes between a half and two cycles.
inline constexpr double kSectorBytes = 32, kL2BytesPerCycle = 64, kL2AllTogether = 3.5;

/// The part that so many bytes between L1 and L2, of all multiprocessors, make up at most, 0 to 1.
inline double most_of_l2_bytes(const Difference& difference, double bytes) {
  return difference.share_of_cycles(kL2AllTogether * bytes / difference.device().sm_count / kL2BytesPerCycle);
}

/// Bytes that the slower one writes to L2 beyond the faster one and that are no stores to global memory: those to local
/// memory, which are written through. 0 where it is not known.
double more_local_bytes(const Difference& difference);

/// Whether a good part of what the slower one loads comes from a memory that is farther away: L2 instead of L1, or DRAM
/// instead of L2. Then it waits longer for each load, however many are under way.
bool fetches_nearer(const Difference& difference);

/// Whether its code has asynchronous copies, whose requests and sectors are not among those of loads.
bool copies_to_shared(const ConfigurationFacts& facts);

/// An estimate of the part that waiting for what the slower one loads makes up at most, 0 to 1: its bytes, those under
/// way at a time, and the latency of a busy DRAM for each time (Little's law). 1 where it is not known what is loaded,
/// as of copies.
double most_of_loading(const Difference& difference);

}  // namespace tuner::explain
