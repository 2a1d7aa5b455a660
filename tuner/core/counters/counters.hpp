#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace tuner {

/// What the hardware counted while a kernel ran once, by the name that CUPTI and ncu give it; what a GPU does not have
/// is missing.
using Counters = std::map<std::string, double, std::less<>>;

/// The counters by which differences between configurations are explained.
namespace counter {

// Cycles that a warp is held up for each instruction issued, by reason; and in all.
inline constexpr std::string_view kLongScoreboard =
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio";
inline constexpr std::string_view kShortScoreboard =
    "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio";
inline constexpr std::string_view kLgThrottle = "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio";
inline constexpr std::string_view kMioThrottle =
    "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio";
inline constexpr std::string_view kMathPipeThrottle =
    "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio";
inline constexpr std::string_view kBarrier = "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio";
inline constexpr std::string_view kWait = "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio";
inline constexpr std::string_view kNotSelected =
    "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio";
inline constexpr std::string_view kNoInstruction =
    "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio";
inline constexpr std::string_view kDrain = "smsp__average_warps_issue_stalled_drain_per_issue_active.ratio";
inline constexpr std::string_view kWarpLatency = "smsp__average_warp_latency_per_inst_issued.ratio";

// Warps of a scheduler in a cycle, and instructions issued in one.
inline constexpr std::string_view kIssueActive = "smsp__issue_active.avg.per_cycle_active";
inline constexpr std::string_view kWarpsEligible = "smsp__warps_eligible.avg.per_cycle_active";
inline constexpr std::string_view kOccupancy = "sm__warps_active.avg.pct_of_peak_sustained_active";
inline constexpr std::string_view kThreadsPerInstruction = "smsp__thread_inst_executed_per_inst_executed.ratio";
inline constexpr std::string_view kThreadsNotPredicatedOff =
    "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio";

// Percent of what the unit can do at most.
inline constexpr std::string_view kSmThroughput = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
inline constexpr std::string_view kDramThroughput = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
inline constexpr std::string_view kFp64Pipe = "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active";
inline constexpr std::string_view kFmaPipe = "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active";
inline constexpr std::string_view kXuPipe = "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active";
inline constexpr std::string_view kLsuPipe = "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active";

// Instructions of all warps.
inline constexpr std::string_view kInstructions = "smsp__inst_executed.sum";
inline constexpr std::string_view kLocalLoads = "smsp__inst_executed_op_local_ld.sum";
inline constexpr std::string_view kLocalStores = "smsp__inst_executed_op_local_st.sum";

// Global memory: requests are instructions of a warp, sectors are 32 bytes.
inline constexpr std::string_view kGlobalLoadRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
inline constexpr std::string_view kGlobalLoadSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
inline constexpr std::string_view kGlobalStoreRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
inline constexpr std::string_view kGlobalStoreSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
inline constexpr std::string_view kAtomicRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum";
inline constexpr std::string_view kAtomicResultRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum";
inline constexpr std::string_view kL2AtomicSectors = "lts__t_sectors_op_red.sum";
inline constexpr std::string_view kL1HitRate = "l1tex__t_sector_hit_rate.pct";
inline constexpr std::string_view kL2HitRate = "lts__t_sector_hit_rate.pct";
inline constexpr std::string_view kDramRead = "dram__bytes_read.sum";
inline constexpr std::string_view kDramWritten = "dram__bytes_write.sum";
inline constexpr std::string_view kL1ToL2Written = "l1tex__m_l1tex2xbar_write_bytes.sum";

// Shared memory: cycles lost to bank conflicts.
inline constexpr std::string_view kSharedLoadConflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
inline constexpr std::string_view kSharedStoreConflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum";
inline constexpr std::string_view kSharedAtomicConflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum";
inline constexpr std::string_view kSharedWavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum";

}  // namespace counter

/// All of them.
std::span<const std::string_view> counter_names();

}  // namespace tuner
