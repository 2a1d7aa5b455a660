#pragma once

#include <optional>

#include "tuner/explain/difference.hpp"
#include "tuner/explain/finding.hpp"

namespace tuner::explain {

/// Says what one difference accounts for; nothing where there is none, or where it could not account for the time.
using Rule = std::optional<Finding> (*)(const Difference&);

/// Less than this part of the difference in time is not worth a sentence.
inline constexpr double kLeastShare = 0.1;
/// Estimates are not more exact than this: what accounts for less does not come before what is more general, and what
/// is left of a difference that is less needs no cause of its own.
inline constexpr double kSmallShare = 0.25;

// What a kernel's code does to memory and execution: from counters.
std::optional<Finding> bank_conflicts(const Difference& difference);
std::optional<Finding> uncoalesced_access(const Difference& difference);
std::optional<Finding> register_spills(const Difference& difference);
std::optional<Finding> local_indexing(const Difference& difference);
std::optional<Finding> divergence(const Difference& difference);
std::optional<Finding> fp64_literal(const Difference& difference);
std::optional<Finding> fp64_arithmetic(const Difference& difference);
std::optional<Finding> contended_atomics(const Difference& difference);

// How much latency is hidden. These are asked last, because latencies that the former cause differ too.
std::optional<Finding> bytes_under_way(const Difference& difference);
std::optional<Finding> occupancy_by_registers(const Difference& difference);
std::optional<Finding> occupancy_by_shared(const Difference& difference);
std::optional<Finding> occupancy_by_blocks(const Difference& difference);

// What is full, where nothing more special says by what. More latency hidden would not help.
std::optional<Finding> dram_traffic(const Difference& difference);
std::optional<Finding> writes_to_l2(const Difference& difference);
std::optional<Finding> shared_wavefronts(const Difference& difference);
std::optional<Finding> block_starts(const Difference& difference);

// What follows from causes, or is one where nothing more special is.
std::optional<Finding> barriers(const Difference& difference);
std::optional<Finding> instruction_count(const Difference& difference);
std::optional<Finding> most_stalls(const Difference& difference);
std::optional<Finding> memory_requests(const Difference& difference);
std::optional<Finding> idle_registers_used(const Difference& difference);
std::optional<Finding> load_width(const Difference& difference);
std::optional<Finding> exposed_latencies(const Difference& difference);
std::optional<Finding> small_grid(const Difference& difference);
std::optional<Finding> bandwidth_binds(const Difference& difference);

// What differs where there are no counters.
std::optional<Finding> spills_seen(const Difference& difference);
std::optional<Finding> local_arrays_seen(const Difference& difference);
std::optional<Finding> doubles_seen(const Difference& difference);
std::optional<Finding> atomics_seen(const Difference& difference);
std::optional<Finding> bytes_under_way_seen(const Difference& difference);
std::optional<Finding> occupancy_seen(const Difference& difference);
std::optional<Finding> load_width_seen(const Difference& difference);
std::optional<Finding> latencies_seen(const Difference& difference);

}  // namespace tuner::explain
