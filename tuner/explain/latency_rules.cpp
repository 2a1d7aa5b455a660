#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tuner/explain/l2_path.hpp"
#include "tuner/explain/rule_list.hpp"
#include "tuner/explain/wording.hpp"

namespace tuner::explain {
namespace {

std::optional<Both> bytes_of_sm(const Difference& difference) {
  const auto& slower = difference.slower();
  const auto& faster = difference.faster();
  if (!slower.bytes_under_way || !faster.bytes_under_way || !slower.code || !faster.code) return std::nullopt;
  return Both{*slower.bytes_under_way, *faster.bytes_under_way};
}

std::string keeps_text(const Difference& difference, const Both& bytes) {
  return fmt::format("{} keeps {} under way in every multiprocessor, {} {}", difference.faster().name,
                     memory_text(bytes.faster), difference.slower().name, memory_text(bytes.slower));
}

/// More bytes under way do not help where DRAM delivers all it can, nor do more warps.
bool dram_is_full(const Difference& difference) {
  const auto busy = difference.counter(counter::kDramThroughput);
  constexpr double kLimit = 85;  // percent
  return busy && busy->slower > kLimit;
}

bool fetches_alike(const Difference& difference) {
  const bool copies = copies_to_shared(difference.faster());
  const auto fetched = difference.counter(copies ? counter::kDramRead : counter::kGlobalLoadSectors);
  return (!fetched || fetched->times_less() < 1.3) && !fetches_nearer(difference);
}

std::string what_limits(const ConfigurationFacts& facts) {
  const std::int64_t threads =
      std::int64_t{facts.geometry.block[0]} * facts.geometry.block[1] * facts.geometry.block[2];
  const auto blocks = [&] {
    return fmt::format("{} of {} threads", count_text(facts.resident->blocks, "block"), threads);
  };
  switch (facts.resident->limiter) {
    case Resource::registers:
      return fmt::format("{} registers a thread leave room for {}", facts.resources.registers.value_or(0), blocks());
    case Resource::shared:
      return fmt::format("{} of shared memory a block leave room for {}",
                         memory_text(facts.resources.static_shared_bytes.value_or(0) + facts.geometry.shared_bytes),
                         blocks());
    case Resource::blocks:
      return fmt::format("a multiprocessor has slots for {}", blocks());
    case Resource::warps:
      break;
  }
  return fmt::format("all its warps are resident: {}", blocks());
}

std::string both_limits(const Difference& difference) {
  return fmt::format("in {} {}; in {} {}", difference.slower().name, what_limits(difference.slower()),
                     difference.faster().name, what_limits(difference.faster()));
}

bool holds_more(const Difference& difference) {
  const auto& slower = difference.slower().resident;
  const auto& faster = difference.faster().resident;
  return slower && faster && slower->blocks > 0 && faster->occupancy >= 1.1 * slower->occupancy;
}

/// What more active warps account for: only where they make more instructions ready, not where each then waits longer.
double share_of_warps(const Difference& difference) {
  const auto active = difference.counter(counter::kOccupancy);
  const auto eligible = difference.counter(counter::kWarpsEligible);
  const auto issue = difference.counter(counter::kIssueActive);
  if (!difference.counted() || !active || !issue || dram_is_full(difference)) return 0;
  if (active->times_more() < 1.1 || issue->times_more() < 1.03 || (eligible && eligible->times_more() < 1.03)) return 0;
  // Four times as many warps that issue a tenth more are not what was missing.
  constexpr double kLeastEffect = 0.15;
  if (std::log(issue->times_more()) < kLeastEffect * std::log(active->times_more())) return 0;
  return difference.share_of_factor(std::min(active->times_more(), issue->times_more()));
}

Finding more_warps(const Difference& difference, std::string_view cause, const std::string& reason, double share) {
  const Both active = *difference.counter(counter::kOccupancy), issue = *difference.counter(counter::kIssueActive);
  return Finding{
      .cause = cause,
      .claim = Claim::cause,
      .sentence = fmt::format("active warps {}, instructions issued in a cycle of a scheduler from {} to {}: {}",
                              moved_text(active.slower, active.faster, "%"), number_text(issue.slower),
                              number_text(issue.faster), reason),
      .slower = active.slower,
      .faster = active.faster,
      .strength = share};
}

/// Threads of the launch for each multiprocessor.
double launched_threads(const ConfigurationFacts& facts, const DeviceInfo& device) {
  double threads = 1;
  for (const std::uint32_t size : facts.geometry.grid) threads *= size;
  for (const std::uint32_t size : facts.geometry.block) threads *= size;
  return threads / device.sm_count;
}

std::optional<Finding> occupancy_by(const Difference& difference, Resource limit, std::string_view cause) {
  if (!holds_more(difference) || difference.slower().resident->limiter != limit) return std::nullopt;
  const Residency &slower = *difference.slower().resident, &faster = *difference.faster().resident;
  // Room for more warps brings nothing where there are not even as many as have room.
  const double launched = launched_threads(difference.slower(), difference.device());
  if (launched < 0.9 * static_cast<double>(slower.threads)) return std::nullopt;
  const double share =
      std::min(share_of_warps(difference), difference.share_of_factor(faster.occupancy / slower.occupancy));
  if (share < kLeastShare) return std::nullopt;
  return more_warps(difference, cause, both_limits(difference), share);
}

}  // namespace

std::optional<Finding> bytes_under_way(const Difference& difference) {
  const std::optional<Both> bytes = bytes_of_sm(difference);
  if (!difference.counted() || !bytes || bytes->slower <= 0 || bytes->times_more() < 1.15) return std::nullopt;
  if (!fetches_alike(difference) || dram_is_full(difference)) return std::nullopt;
  // What room for more warps brings is occupancy's part; the rest is what a thread has under way, and how many threads
  // there are at all.
  const auto &slower = difference.slower().resident, &faster = difference.faster().resident;
  const double room = std::max(1.0, faster->occupancy / std::max(slower->occupancy, 1e-9));
  const double rest = bytes->times_more() / room;
  const auto stalls = difference.counter(counter::kLongScoreboard);
  const auto dram = difference.counter(counter::kDramThroughput);
  const double share = std::min(difference.share_of_stalls({counter::kLongScoreboard}), most_of_loading(difference));
  if (rest < 1.15 || !stalls || share < 0.2) return std::nullopt;
  const double part = std::log(rest) / std::log(bytes->times_more());
  std::string shown;
  if (stalls->times_less() >= 1.1) {
    shown =
        fmt::format("long-scoreboard stalls {}: ", moved_text(stalls->slower, stalls->faster, "cycles an instruction"));
  } else if (dram && dram->times_more() >= 1.1) {
    shown = fmt::format("DRAM throughput {} of the peak: ", moved_text(dram->slower, dram->faster, "%"));
  }
  return Finding{.cause = "bytes_under_way",
                 .claim = Claim::cause,
                 .sentence = shown + keeps_text(difference, *bytes),
                 .slower = bytes->slower,
                 .faster = bytes->faster,
                 .strength = share * part};
}

std::optional<Finding> idle_registers_used(const Difference& difference) {
  const auto &slower = difference.slower(), &faster = difference.faster();
  const std::optional<Both> bytes = bytes_of_sm(difference);
  if (!difference.counted() || !bytes || !slower.resources.registers || !faster.resources.registers)
    return std::nullopt;
  const int idle = slower.idle_registers.value_or(0);
  const int more = *faster.resources.registers - *slower.resources.registers;
  const double share = difference.share_of_stalls({counter::kLongScoreboard});
  if (idle < 4 || more < 4 || bytes->times_more() < 1.15 || share < 0.2) return std::nullopt;
  return Finding{
      .cause = "idle_registers",
      .claim = Claim::consequence,
      .sentence = fmt::format("registers of a thread rose from {} to {}: {} uses registers that {} leaves "
                              "idle, which are {} a thread",
                              *slower.resources.registers, *faster.resources.registers, faster.name, slower.name, idle),
      .slower = static_cast<double>(*slower.resources.registers),
      .faster = static_cast<double>(*faster.resources.registers),
      .strength = share};
}

std::optional<Finding> bytes_under_way_seen(const Difference& difference) {
  const std::optional<Both> bytes = bytes_of_sm(difference);
  if (!bytes || bytes->times_more() < 1.15) return std::nullopt;
  return Finding{.cause = "bytes_under_way",
                 .sentence = keeps_text(difference, *bytes),
                 .slower = bytes->slower,
                 .faster = bytes->faster};
}

std::optional<Finding> occupancy_by_registers(const Difference& difference) {
  return occupancy_by(difference, Resource::registers, "occupancy_registers");
}

std::optional<Finding> occupancy_by_shared(const Difference& difference) {
  return occupancy_by(difference, Resource::shared, "occupancy_shared");
}

std::optional<Finding> occupancy_by_blocks(const Difference& difference) {
  return occupancy_by(difference, Resource::blocks, "occupancy_blocks");
}

std::optional<Finding> small_grid(const Difference& difference) {
  const auto& resident = difference.slower().resident;
  const Both launched{launched_threads(difference.slower(), difference.device()),
                      launched_threads(difference.faster(), difference.device())};
  if (!resident || launched.times_more() < 1.1 || launched.slower >= static_cast<double>(resident->threads))
    return std::nullopt;
  const double share = share_of_warps(difference);
  if (share < kLeastShare) return std::nullopt;
  return more_warps(difference, "small_grid",
                    fmt::format("{} launches {} threads for each multiprocessor, {} {}", difference.slower().name,
                                number_text(launched.slower), difference.faster().name, number_text(launched.faster)),
                    share);
}

std::optional<Finding> occupancy_seen(const Difference& difference) {
  if (!holds_more(difference)) return std::nullopt;
  constexpr std::array<std::string_view, 4> kCauses{"occupancy_warps", "occupancy_registers", "occupancy_shared",
                                                    "occupancy_blocks"};
  const Residency &slower = *difference.slower().resident, &faster = *difference.faster().resident;
  return Finding{.cause = kCauses[static_cast<std::size_t>(slower.limiter)],
                 .sentence = fmt::format("{:.0f} and {:.0f} % of the warps fit: {}", 100 * slower.occupancy,
                                         100 * faster.occupancy, both_limits(difference)),
                 .slower = 100 * slower.occupancy,
                 .faster = 100 * faster.occupancy};
}

std::optional<Finding> load_width_seen(const Difference& difference) {
  if (!difference.slower().code || !difference.faster().code) return std::nullopt;
  const int slower = difference.slower().code->loads.widest_bits();
  const int faster = difference.faster().code->loads.widest_bits();
  if (faster <= slower) return std::nullopt;
  return Finding{.cause = "load_width",
                 .sentence = fmt::format("{} loads {} bits at once, {} {}", difference.faster().name, faster,
                                         difference.slower().name, slower),
                 .slower = static_cast<double>(slower),
                 .faster = static_cast<double>(faster)};
}

std::optional<Finding> latencies_seen(const Difference& difference) {
  if (!difference.slower().code || !difference.faster().code) return std::nullopt;
  const auto slower = difference.slower().code->loads.waits_in_loop,
             faster = difference.faster().code->loads.waits_in_loop;
  if (!slower || !faster || *faster >= *slower) return std::nullopt;
  return Finding{.cause = "exposed_latencies",
                 .sentence = fmt::format("a turn of the inner loop of {} exposes {} latencies of memory, that of {} {}",
                                         difference.slower().name, *slower, difference.faster().name, *faster),
                 .slower = static_cast<double>(*slower),
                 .faster = static_cast<double>(*faster)};
}

std::optional<Finding> exposed_latencies(const Difference& difference) {
  std::optional<Finding> finding = latencies_seen(difference);
  const double share = difference.share_of_stalls({counter::kLongScoreboard});
  if (!finding || share < 0.2) return std::nullopt;
  finding->claim = Claim::consequence;
  finding->strength = share;
  return finding;
}

}  // namespace tuner::explain
