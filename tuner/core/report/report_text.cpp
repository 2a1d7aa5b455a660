#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/wrapping.hpp"
#include "tuner/core/report/payback.hpp"
#include "tuner/core/report/report.hpp"
#include "tuner/core/report/resources_text.hpp"
#include "tuner/core/report/rivals_text.hpp"
#include "tuner/core/task/beyond_memory.hpp"
#include "tuner/core/task/decision_text.hpp"
#include "tuner/core/task/like_rounding.hpp"
#include "tuner/effort.hpp"

namespace tuner {

namespace {

constexpr std::size_t kFailureTextLimit = 300;

/// A ratio needs as many digits as its interval is narrow; four are enough to see one part in a thousand.
std::string times(double ratio) {
  return fmt::format("{:.3f}x", ratio);
}

std::int64_t counter(const cache::Decision& decision, const std::string& name) {
  const auto found = decision.counters.find(name);
  return found == decision.counters.end() ? 0 : found->second;
}

std::uint64_t failures_of(const TuneReport& report) {
  std::uint64_t count = 0;
  for (const FailureReport& failure : report.failures) count += static_cast<std::uint64_t>(failure.count);
  return count;
}

/// Those that the search asked for, and a replay's baseline that failed without having been asked for.
std::uint64_t tried(const TuneReport& report) {
  const auto of = [&](const char* name) { return static_cast<std::uint64_t>(counter(report.decision, name)); };
  if (!report.replayed || report.decision.has_baseline()) return of("asked");
  return std::max(of("asked"), of("timed") + of("deduplicated") + failures_of(report));
}

std::string budget_text(const ReportBudget& budget) {
  std::vector<std::string> limits;
  if (budget.evaluations) limits.push_back(counted(*budget.evaluations, "configuration"));
  if (budget.seconds) limits.push_back(duration_text(*budget.seconds));
  if (budget.share) limits.push_back(fmt::format("{} of the space", percent(*budget.share)));
  std::string text = limits.empty() ? std::string() : fmt::format(", budget {}", fmt::join(limits, " or "));
  if (budget.target_ns) text += fmt::format(", stop at {}", time_text(*budget.target_ns));
  if (budget.target_speedup) text += fmt::format(", stop at {:.4g}x", *budget.target_speedup);
  if (budget.roofline) text += fmt::format(", stop at {} of the roofline", percent(*budget.roofline));
  if (budget.idle) text += fmt::format(", stop after {} idle", *budget.idle);
  if (budget.gain) text += fmt::format(", stop when the expected gain is below {}", percent(*budget.gain));
  return text;
}

/// The sections of a report's text.
std::string left_to_gain(const TuneReport& report) {
  if (!report.chance_left) {
    const bool believes = report.strategy == "auto" || report.strategy == "model";
    return "it is not known how much is left: " + (believes
                                                       ? "too few were tried to form a belief"
                                                       : fmt::format("strategy {} forms no belief", report.strategy));
  }
  if (!report.is_belief_judged()) {
    return fmt::format("it is not known how much is left in a space of more than {}",
                       counted(TuneReport::kLargestJudged, "configuration"));
  }
  constexpr double kSmall = 0.2;  // docs/results/search.md says how often that is right
  const double chance = *report.chance_left;
  if (chance < kSmall) return "less than 1 % is believed left";
  return fmt::format("1 % or more is believed left with a chance of {}", percent(chance));
}

struct ReportText {
  const TuneReport& report;
  std::size_t width;

  std::string heading() const;
  std::string left_out() const;
  std::string winner() const;
  std::string awkward() const;
  std::string failures() const;
  std::string accounts() const;
  std::string where_stored() const;
  std::string warnings() const;

  std::string labelled(std::string_view label, std::string_view text) const {
    return tuner::labelled(label, text, width);
  }
  /// What another program or room says stays as it is: there may be unmarked paths in it.
  static std::string verbatim(std::string_view label, std::string_view text) {
    return tuner::labelled(label, text, kUnwrapped);
  }
};

std::string ReportText::heading() const {
  std::string text =
      fmt::format("{} on {}{}{}\n", one_line(report.kernel), report.replayed ? "a recording of " : "",
                  one_line(report.device), report.mode.empty() ? "" : fmt::format(", {} cache", report.mode));
  if (!report.problem.empty()) text += labelled("  problem    ", report.problem);
  if (!report.file.empty()) text += labelled("  source     ", unbroken(report.file));
  for (const DataReport& data : report.data) {
    text += labelled("  data       ", fmt::format("{} {} {}", data.argument,
                                                  data.is_expected ? "expected as in" : "from", unbroken(data.file)));
  }
  if (report.replayed) text += labelled("  replayed   ", unbroken(report.replay_file) + ", " + report.replay_note);
  const auto finished = static_cast<std::uint64_t>(counter(report.decision, "asked"));
  std::string searched = finished == report.space_size
                             ? fmt::format("all {}", counted(report.space_size, "configuration"))
                             : fmt::format("{} of {}", grouped(finished), counted(report.space_size, "configuration"));
  if (report.cartesian_size > static_cast<double>(report.space_size)) {
    searched += report.cartesian_size < 1e15 ? fmt::format(" ({} without the constraints)",
                                                           grouped(static_cast<std::uint64_t>(report.cartesian_size)))
                                             : fmt::format(" ({:.3g} without the constraints)", report.cartesian_size);
  }
  if (report.from_store) {
    searched = fmt::format("{}, effort {}", searched_text(report.decision), to_string(*report.decision.effort));
  } else {
    searched += fmt::format(", strategy {}, seed {}", report.strategy, report.seed);
    searched += budget_text(report.budget);
    if (report.effort) searched += fmt::format(", effort {}", to_string(*report.effort));
  }
  if (report.interrupted) searched += "; stopped before all of them were measured";
  text += labelled("  searched   ", searched);
  if (!report.stopped_because.empty()) text += labelled("  stopped    ", "because " + report.stopped_because);
  const bool ended = finished < report.space_size && !report.from_store && !report.interrupted;
  if (report.chance_left || ended) text += labelled("  to gain    ", left_to_gain(report));
  text += left_out();
  for (const std::string& where : report.where) text += labelled("  where      ", where);
  const WarmStart& warm = report.warm_start;
  if (warm.tried > 0) {
    text += labelled("  warm start ",
                     fmt::format("{} suggested by earlier results {} tried; {}",
                                 counted(static_cast<std::uint64_t>(warm.tried), "configuration"),
                                 warm.tried == 1 ? "was" : "were", warm.won ? "one of them won" : "none of them won"));
  }
  return text;
}

/// What an effort spared, or found already done, and how to go on.
std::string ReportText::left_out() const {
  if (report.from_store) {
    const Effort stored = report.decision.effort.value();
    return labelled("  kept       ",
                    fmt::format("the decision of effort {} that is stored, so nothing was measured; {}`--fresh` "
                                "measures again",
                                to_string(stored), stored == Effort::full ? "" : "`--effort full` goes on from it, "));
  }
  const auto asked = static_cast<std::uint64_t>(counter(report.decision, "asked"));
  if (!report.effort || *report.effort == Effort::full || asked >= report.space_size) return {};
  const char* const more = *report.effort == Effort::quick ? "`--effort normal` or `--effort full`" : "`--effort full`";
  return labelled("  left out   ", fmt::format("{}; {} {}", counted(report.space_size - asked, "configuration"), more,
                                               report.replayed ? "searches more of them" : "goes on from here"));
}

std::string speedup_text(const TuneReport& report) {
  const cache::Decision& decision = report.decision;
  if (!decision.has_baseline()) {
    return report.replayed ? "unknown: the recording has no time of a baseline to compare with"
                           : "unknown: the constraints exclude the defaults, so there is no baseline to compare with";
  }
  const std::string baseline = decision.baseline_time_ns
                                   ? fmt::format("the baseline's {}", time_text(*decision.baseline_time_ns))
                                   : "the baseline";
  if (decision.configuration == decision.baseline) {
    return report.baseline_excluded ? "none: the baseline itself is the fastest, although --where excludes it"
                                    : "none: the baseline itself is the fastest";
  }
  if (!decision.speedup) return fmt::format("unknown: {} was not raced against the winner", baseline);
  std::string text = fmt::format("{} over {}", times(*decision.speedup), baseline);
  if (!decision.speedup_low || !decision.speedup_high) {
    return text + "; its uncertainty is unknown: one time for each configuration";
  }
  text += fmt::format(", {} confidence interval {} to {}", percent(decision.confidence), times(*decision.speedup_low),
                      times(*decision.speedup_high));
  if (decision.race_blocks > 0) {
    text += fmt::format(", {}", counted(static_cast<std::uint64_t>(decision.race_blocks), "paired sample"));
  }
  if (*decision.speedup_low <= 1 && *decision.speedup_high >= 1) text += "; the race cannot tell them apart";
  return text;
}

std::string verified_text(const TuneReport& report) {
  if (!report.decision.verified) return "in the search, but not again on fresh inputs";
  if (!report.has_fresh_inputs) return "again after the final race, on the same inputs, because none are random";
  const auto is_input = [](const DataReport& data) { return !data.is_expected; };
  const bool any_file = std::any_of(report.data.begin(), report.data.end(), is_input);
  return fmt::format("again after the final race, on fresh inputs{}", any_file ? ", except those from files" : "");
}

/// Where else the winner was verified, which says where else it may be served.
std::string ReportText::awkward() const {
  if (!report.awkward_problems.empty()) {
    return labelled("  and at     ", fmt::format("{}", fmt::join(report.awkward_problems, "; ")));
  }
  if (report.awkward_note.empty()) return {};
  return labelled("  and at     ",
                  fmt::format("no other size: {}; it is served only at this size", report.awkward_note));
}

/// What disturbed the measurements.
std::string disturbance_text(const cache::Decision& decision) {
  std::string text;
  if (decision.noisy) text += ", on a device that was disturbed during the measurement";
  if (decision.contended) text += ", while other processes had the device open";
  return text;
}

std::string ReportText::winner() const {
  const cache::Decision& decision = report.decision;
  if (!decision.has_winner()) {
    return "\nNo winner: no configuration ran and gave the correct result.\n";
  }
  std::string text = "\nWinner\n";
  text += labelled("  time       ", time_text(decision.time_ns) + disturbance_text(decision));
  text += labelled("  values     ", spaced_assignments(decision.configuration));
  if (report.winner_excluded) {
    text +=
        labelled("  note       ",
                 "the winner of an earlier session, which --where excludes: no configuration that it allows is faster");
  }
  text += labelled("  speed-up   ", speedup_text(report));
  if (const auto pays = payback(decision, report.time.tuning_s()); pays && !report.from_store)
    text += labelled("  payback    ", payback_text(*pays));
  if (decision.has_baseline() && decision.baseline != decision.configuration) {
    text += labelled("  baseline   ", spaced_assignments(decision.baseline));
  }
  if (!decision.launch.empty()) text += labelled("  launch     ", decision.launch);
  const std::string facts = resources_text(report.winner_facts, report.winner_code);
  if (!facts.empty()) text += labelled("  resources  ", facts);
  if (decision.has_baseline() && decision.baseline != decision.configuration) {
    const std::string baseline = resources_text(report.baseline_facts, report.baseline_code);
    if (!baseline.empty()) text += labelled("             ", "baseline: " + baseline);
  }
  std::string achieved;
  if (report.bytes_per_second) achieved = rate_text(*report.bytes_per_second, "B/s");
  if (report.flops_per_second) {
    if (!achieved.empty()) achieved += " and ";
    achieved += rate_text(*report.flops_per_second, "FLOP/s");
  }
  if (!achieved.empty()) text += labelled("  achieved   ", achieved + ", based on the declared work");
  if (const auto beyond = beyond_memory_in(decision.counters)) text += labelled("             ", text_of(*beyond));
  if (const auto& roofline = report.roofline) {
    text += labelled("  roofline   ", fmt::format("{} of what this GPU was measured to reach: {}",
                                                  percent(roofline->share), roofline->bound_text));
  }
  if (!report.replayed) {
    text += labelled("  verified   ", verified_text(report));
    text += awkward();
    if (!report.counting_inputs.empty()) text += labelled("  inputs     ", report.counting_inputs);
    if (!report.not_compared.empty()) {
      text += labelled("  uncompared ", text_of(report.not_compared) + ": the reference leaves them unwritten");
    }
    if (!report.unproven.empty()) text += labelled("  unproven   ", text_of(report.unproven));
    if (const auto rejected = like_rounding_in(decision.counters))
      text += labelled("  rejected   ", text_of(*rejected, decision.time_ns));
  }
  return text;
}

std::string ReportText::failures() const {
  if (report.failures.empty()) return {};
  std::string text =
      fmt::format("\nFailures: {} of {}\n", grouped(failures_of(report)), counted(tried(report), "configuration"));
  for (const FailureReport& failure : report.failures) {
    std::string message = failure.example_message;
    // The first lines of a compiler's log say what is wrong; all of it is in the database.
    if (message.size() > kFailureTextLimit) message = message.substr(0, kFailureTextLimit) + " ...";
    text += verbatim(fmt::format("  {:>5}  {:<17}  ", failure.count, to_string(failure.outcome)),
                     message.empty() ? "(no reason recorded)" : message);
    text += labelled("                            e.g. ", spaced_assignments(failure.example_configuration));
  }
  return text;
}

std::string ReportText::accounts() const {
  const cache::Decision& decision = report.decision;
  if (report.from_store)
    return report.stored_in.empty() ? "" : "\n" + labelled("Stored in ", unbroken(report.stored_in));
  std::string text = "\nCounts\n";
  const std::string reused = counter(decision, "reused") == 0
                                 ? std::string()
                                 : fmt::format(" {} screened now, {} known from earlier sessions;",
                                               counter(decision, "screened"), counter(decision, "reused"));
  const std::int64_t idle = counter(decision, "no_effect");
  const std::string no_effect = idle == 0 ? std::string() : fmt::format(" ({} of them without any effect)", idle);
  text += labelled(
      "  ",
      fmt::format("{}:{} {} timed, {} deduplicated{}, {} failed; {} binaries compiled, {} launches, {} rows stored",
                  counted(tried(report), "configuration"), reused, counter(decision, "timed"),
                  counter(decision, "deduplicated"), no_effect, failures_of(report), counter(decision, "compiled"),
                  counter(decision, "launched"), counter(decision, "stored")));
  const TimeSpent& time = report.time;
  text += "\n" + labelled("", fmt::format("Where the time went: {} in all{}", duration_text(time.total_s),
                                          report.replayed ? "; compiling and timing were replayed, not done" : ""));
  const auto line = [&](const char* what, double seconds) {
    const double share = time.total_s > 0 ? 100 * seconds / time.total_s : 0;
    text += fmt::format("  {:<30}{:>9}  {:>3.0f} %\n", what, duration_text(seconds), share);
  };
  if (!report.replayed) {
    line("starting", time.starting_s);
    line("waiting for compilers", time.waiting_s);
    line("loading", time.loading_s);
    line("verifying", time.verifying_s);
    line("timing", time.timing_s);
    line("communicating with the worker", time.exchanging_s);
    line("search and final selection", time.deciding_s());
    line("ending", time.ending_s);
    text += fmt::format("  {:<30}{:>9}  overlapped; summed over all compile workers\n", "compiling",
                        duration_text(time.compile_cpu_s));
  }
  text += fmt::format("  {:<30}{:>9}  overlapped\n", "storing", duration_text(time.storing_s));
  return text + "\n" + where_stored();
}

std::string ReportText::where_stored() const {
  const Stored& stored = report.stored;
  const bool kept = !report.stored_in.empty();
  if (kept && stored.everything() && stored.anything()) return labelled("Stored in ", unbroken(report.stored_in));
  if (kept && stored.everything()) return labelled("", "There was nothing to store.");
  if (!kept || !stored.anything()) return "Not stored: see the warnings.\n";
  const char* const decision = !stored.has_decision ? ""
                               : stored.decision    ? " and the decision"
                                                    : ", without the decision";
  return labelled("Not stored in full: ", fmt::format("{} of {}{}, in {}: see the warnings.", stored.trials,
                                                      counted(static_cast<std::uint64_t>(stored.of_trials), "trial"),
                                                      decision, unbroken(report.stored_in)));
}

std::string ReportText::warnings() const {
  std::string text;
  for (const std::string& warning : report.warnings) text += verbatim("Warning: ", warning);
  return text;
}

}  // namespace

std::string to_text(const TuneReport& report, std::size_t width) {
  const ReportText text{report, width};
  return text.heading() + text.winner() + rivals_text(report, width) + text.failures() + text.accounts() +
         text.warnings();
}

}  // namespace tuner
