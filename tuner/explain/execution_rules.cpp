#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tuner/explain/rule_list.hpp"
#include "tuner/explain/wording.hpp"

namespace tuner::explain {
namespace {

int conversions(const ConfigurationFacts& facts) {
  return facts.code ? facts.code->all.double_conversions : 0;
}

int doubles(const ConfigurationFacts& facts) {
  return facts.code ? facts.code->all.of(Work::float64) : 0;
}

/// Whether doubles are no data: they are converted from floats, or come and go without a load as wide as they are.
bool has_literals(const Difference& difference) {
  const auto &slower = difference.slower(), &faster = difference.faster();
  if (conversions(slower) > conversions(faster)) return true;
  return doubles(slower) > 0 && doubles(faster) == 0 && slower.code->loads.widest_bits() <= 32;
}

/// What a pipe that is in use for so many percent of the time accounts for.
double share_of_pipe(const Difference& difference, const Both& percent) {
  return difference.share_of_time((percent.slower - percent.faster / difference.ratio()) / 100);
}

/// By how many times the instructions could be fewer without doubles: beside each of them, or of their conversions,
/// there may be one that moves what it needs. Of a loop that has some, else of all the code; no bound where that is not
/// known.
double most_times_less(const ConfigurationFacts& facts) {
  if (!facts.code) return HUGE_VAL;
  const auto with_doubles = [](const CodeCounts& counts) {
    return counts.of(Work::float64) + counts.double_conversions;
  };
  const auto& loop = facts.code->loop;
  const CodeCounts& counts = loop && with_doubles(*loop) > 0 ? *loop : facts.code->all;
  const double part = 2.0 * with_doubles(counts) / std::max(1, counts.instructions);
  return part < 1 ? 1 / (1 - part) : HUGE_VAL;
}

/// What double arithmetic and its conversions account for: the latter are the work of the XU pipe.
double share_of_doubles(const Difference& difference) {
  const auto pipe = difference.counter(counter::kFp64Pipe);
  const auto executed = difference.counter(counter::kInstructions);
  if (!difference.counted() || !pipe || !executed || pipe->slower < 0.5 || pipe->times_less() < 1.25) return 0;
  const auto conversion = has_literals(difference) ? difference.counter(counter::kXuPipe) : std::nullopt;
  return std::max({share_of_pipe(difference, *pipe), conversion ? share_of_pipe(difference, *conversion) : 0.0,
                   difference.share_of_factor(std::min(executed->times_less(), most_times_less(difference.slower())))});
}

/// The use of the fp64 pipe, and that of the one that converts where it is the larger part.
std::string use_text(const Difference& difference, const Both& pipe) {
  std::string text = "use of the fp64 pipe " + moved_text(pipe.slower, pipe.faster, "%");
  const auto conversion = has_literals(difference) ? difference.counter(counter::kXuPipe) : std::nullopt;
  if (conversion && share_of_pipe(difference, *conversion) > share_of_pipe(difference, pipe)) {
    text += fmt::format(", of the XU pipe, which converts, from {} to {} %", number_text(conversion->slower),
                        number_text(conversion->faster));
  }
  return text;
}

std::optional<Finding> doubles_cost(const Difference& difference, std::string_view cause, const std::string& code) {
  const double share = share_of_doubles(difference);
  if (share < kLeastShare) return std::nullopt;
  const Both pipe = *difference.counter(counter::kFp64Pipe);
  return Finding{.cause = cause,
                 .claim = Claim::cause,
                 .sentence = use_text(difference, pipe) + ": " + code,
                 .slower = pipe.slower,
                 .faster = pipe.faster,
                 .strength = share};
}

std::string doubles_text(const Difference& difference) {
  return fmt::format("the code of {} has {} in double and {}, that of {} {} and {}", difference.slower().name,
                     count_text(doubles(difference.slower()), "instruction"),
                     count_text(conversions(difference.slower()), "conversion"), difference.faster().name,
                     doubles(difference.faster()), conversions(difference.faster()));
}

struct BusyPipe {
  const char* name;
  Both percent;  ///< of the time
};

/// The pipe that takes the time of both: nearly always in use, more than schedulers issue, and with as much to do in
/// the faster one, which leaves fewer instructions of other kinds without effect.
std::optional<BusyPipe> pipe_that_binds(const Difference& difference) {
  struct Pipe {
    const char* name;
    std::string_view counter;
  };
  constexpr std::array kPipes{Pipe{"fp64", counter::kFp64Pipe}, Pipe{"XU", counter::kXuPipe},
                              Pipe{"LSU", counter::kLsuPipe}};
  constexpr double kBusy = 80;  // percent
  const auto issue = difference.counter(counter::kIssueActive);
  for (const Pipe& pipe : kPipes) {
    const auto use = difference.counter(pipe.counter);
    if (!issue || !use || std::min(use->slower, use->faster) < kBusy || use->slower < 100 * issue->slower) continue;
    const double fewer = difference.ratio() * use->slower / use->faster;
    if (difference.share_of_factor(fewer) < kLeastShare) return BusyPipe{pipe.name, *use};
  }
  return std::nullopt;
}

/// Threads that repeat an atomic until it succeeds diverge because of it.
bool repeats_atomics(const Difference& difference) {
  const auto& code = difference.slower().code;
  if (!code || !code->loop) return false;
  const auto conflicts = difference.counter(counter::kSharedAtomicConflicts);
  const auto awaited = difference.counter(counter::kAtomicResultRequests);
  return (code->loop->shared_atomics > 0 && (!conflicts || conflicts->times_less() >= 1.25)) ||
         (code->loop->global_atomics > 0 && awaited && awaited->times_less() >= 1.25);
}

}  // namespace

std::optional<Finding> fp64_literal(const Difference& difference) {
  if (!has_literals(difference)) return std::nullopt;
  return doubles_cost(difference, "fp64_literal", doubles_text(difference));
}

std::optional<Finding> fp64_arithmetic(const Difference& difference) {
  if (has_literals(difference)) return std::nullopt;
  return doubles_cost(difference, "fp64_arithmetic", doubles_text(difference));
}

std::optional<Finding> doubles_seen(const Difference& difference) {
  if (!has_literals(difference)) return std::nullopt;
  return Finding{.cause = "fp64_literal",
                 .sentence = doubles_text(difference),
                 .slower = static_cast<double>(doubles(difference.slower())),
                 .faster = static_cast<double>(doubles(difference.faster()))};
}

std::optional<Finding> divergence(const Difference& difference) {
  // Short branches become predicates: all threads are there, and some do nothing.
  auto threads = difference.counter(counter::kThreadsPerInstruction);
  const auto predicated = difference.counter(counter::kThreadsNotPredicatedOff);
  if (threads && predicated && predicated->times_more() > threads->times_more()) threads = predicated;
  const auto executed = difference.counter(counter::kInstructions);
  if (!difference.counted() || !threads || !executed) return std::nullopt;
  if (repeats_atomics(difference)) return std::nullopt;
  if (threads->times_more() < 1.1 || executed->times_less() < 1.05) return std::nullopt;
  const double share = difference.share_of_factor(std::min(threads->times_more(), executed->times_less()));
  if (share < kLeastShare) return std::nullopt;
  std::string sentence = fmt::format("threads of a warp that execute an instruction {} of 32",
                                     moved_text(threads->slower, threads->faster));
  // Where instructions fell by much more, that has other reasons.
  if (executed->times_less() <= 1.5 * threads->times_more())
    sentence += ", so instructions " + moved_text(executed->slower, executed->faster);
  return Finding{.cause = "divergence",
                 .claim = Claim::cause,
                 .sentence = std::move(sentence),
                 .slower = threads->slower,
                 .faster = threads->faster,
                 .strength = share};
}

std::optional<Finding> instruction_count(const Difference& difference) {
  const auto executed = difference.counter(counter::kInstructions);
  const auto issue = difference.counter(counter::kIssueActive);
  if (!difference.counted() || !executed || !issue || executed->times_less() < 1.05) return std::nullopt;
  const double share = difference.share_of_factor(executed->times_less());
  if (share < kLeastShare) return std::nullopt;
  // Fewer instructions are time where issuing them is what takes it; elsewhere they show that something else changed.
  constexpr double kBusy = 0.6;
  const double issuing =
      difference.share_of_stalls({counter::kMathPipeThrottle, counter::kWait, counter::kNotSelected});
  const std::optional<BusyPipe> pipe = pipe_that_binds(difference);
  const bool is_cause = !pipe && (issue->slower >= kBusy || issuing >= 0.5);
  std::string sentence = fmt::format("instructions {}, {} and {} issued in a cycle of a scheduler",
                                     moved_text(executed->slower, executed->faster), number_text(issue->slower),
                                     number_text(issue->faster));
  if (pipe) {
    sentence += fmt::format(", where the {} pipe is in use for {:.0f} and {:.0f} % of the time", pipe->name,
                            pipe->percent.slower, pipe->percent.faster);
  }
  return Finding{.cause = "instruction_count",
                 .claim = is_cause ? Claim::cause : Claim::consequence,
                 .sentence = std::move(sentence),
                 .slower = executed->slower,
                 .faster = executed->faster,
                 .strength = share};
}

std::optional<Finding> block_starts(const Difference& difference) {
  const auto blocks_of = [](const ConfigurationFacts& facts) {
    return static_cast<double>(facts.geometry.grid[0]) * facts.geometry.grid[1] * facts.geometry.grid[2];
  };
  const Both blocks{blocks_of(difference.slower()), blocks_of(difference.faster())};
  const auto active = difference.counter(counter::kOccupancy);
  const auto& slower = difference.slower();
  if (!difference.counted() || !active || !slower.resident || !slower.time_ns || blocks.times_less() < 1.25)
    return std::nullopt;
  // Slots of warps stay empty although there are blocks for them: they do not start fast enough. A multiprocessor
  // starts one in some 80 ns.
  constexpr double kLeastNanoseconds = 80, kMostNanoseconds = 140;
  const std::int64_t threads =
      std::int64_t{slower.geometry.block[0]} * slower.geometry.block[1] * slower.geometry.block[2];
  const double each = *slower.time_ns * difference.device().sm_count / blocks.slower;
  if (active->slower > 80 * slower.resident->occupancy) return std::nullopt;
  const double certain = std::clamp((kMostNanoseconds - each) / (kMostNanoseconds - kLeastNanoseconds), 0.0, 1.0);
  // At most all of them could be in use.
  const double empty = 100 * slower.resident->occupancy / std::max(active->slower, 1.0);
  const double share = certain * difference.share_of_factor(std::min(blocks.times_less(), empty));
  if (share < kLeastShare) return std::nullopt;
  return Finding{
      .cause = "block_starts",
      .claim = Claim::cause,
      .sentence = fmt::format("blocks {}: {} starts {} blocks of {} threads a nanosecond, and keeps {:.0f} % of the "
                              "warps active where {:.0f} % fit",
                              moved_text(blocks.slower, blocks.faster), slower.name,
                              number_text(blocks.slower / *slower.time_ns), threads, active->slower,
                              100 * slower.resident->occupancy),
      .slower = blocks.slower,
      .faster = blocks.faster,
      .strength = share};
}

}  // namespace tuner::explain
