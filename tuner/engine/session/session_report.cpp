#include "tuner/engine/session/session_report.hpp"

#include <algorithm>

namespace tuner::engine {

namespace {

class ReportBuilder {
 public:
  explicit ReportBuilder(const SessionFacts& facts) : facts_(facts), candidates_(facts.candidates) {}

  TuneReport build() {
    describe_task();
    if (facts_.final && none_is_left(*facts_.final)) {
      // Everything that was timed was found wrong afterwards: there is no winner.
    } else if (facts_.final && raced(*facts_.final)) {
      describe_race(*facts_.final);
    } else if (const auto best = candidates_.best()) {
      describe_winner(*best, *candidates_.best_ns());
    }
    if (facts_.baseline) describe_baseline(*facts_.baseline);
    for (const auto& [outcome, failure] : facts_.failures) report_.failures.push_back(failure);
    report_.decision.counters = candidates_.counters();
    for (const EntryId entry : facts_.warm_start) {
      ++report_.warm_start.tried;
      if (candidates_.text(entry) == report_.decision.configuration) report_.warm_start.won = true;
    }
    return std::move(report_);
  }

 private:
  /// A race that was stopped before its first block, or that no entrant survived, says nothing.
  static bool raced(const FinalResult& final) {
    const Standing& shown = final.race.standings[final.winner.value_or(final.race.leader)];
    return shown.blocks > 0 && !shown.withdrawn;
  }

  static bool none_is_left(const FinalResult& final) {
    return std::all_of(final.race.standings.begin(), final.race.standings.end(),
                       [](const Standing& standing) { return standing.withdrawn; });
  }

  void describe_task() {
    const Task& task = facts_.task;
    report_.kernel = task.description().kernel;
    report_.file = task.description().file.string();
    report_.problem = problem_text(task.problem());
    report_.device = task.device().name;
    for (const BoundArgument& argument : task.arguments_with_data()) {
      if (const auto& file = argument.file) report_.data.push_back({argument.name, file->path.string(), file->hash});
      if (const auto& file = argument.expected) {
        report_.data.push_back({argument.name, file->path.string(), file->hash, true});
      }
    }
    const std::vector<BoundArgument> arguments = task.arguments();
    report_.has_fresh_inputs = std::any_of(arguments.begin(), arguments.end(), is_seeded);
    report_.mode = facts_.common.key.mode;
    report_.strategy = facts_.options.strategy;
    report_.effort = facts_.options.effort;
    report_.seed = facts_.options.seed;
    report_.session = facts_.common.session;
    report_.replayed = facts_.options.origin == cache::Origin::replay;
    report_.space_size = task.space().size();
    report_.where = task.where();
    describe_budget(facts_.options.budget);
    report_.baseline_excluded = facts_.baseline && !task.space().contains(candidates_[*facts_.baseline].configuration);
    report_.cartesian_size = task.space().cartesian_size();

    cache::Decision& decision = report_.decision;
    decision.key = facts_.common.key;
    decision.reuse_hash = task.reuse_hash();
    decision.session = facts_.common.session;
    decision.conditions = facts_.common.conditions;
    decision.origin = facts_.common.origin;
  }

  void describe_budget(const Budget& budget) {
    report_.budget = {.evaluations = budget.evaluations,
                      .seconds = std::nullopt,
                      .share = budget.share,
                      .target_ns = budget.target_ns,
                      .target_speedup = budget.target_speedup,
                      .roofline = budget.roofline,
                      .idle = budget.idle,
                      .gain = budget.gain};
    if (budget.time) report_.budget.seconds = std::chrono::duration<double>(*budget.time).count();
  }

  CodeFacts code_facts(EntryId entry) const {
    const CompileReply& binary = candidates_[candidates_.original(entry)].binary;
    return {idle_registers(candidates_[entry].trial.facts, candidates_[entry].geometry, facts_.task.device()),
            global_loads(binary.cubin.bytes, binary.cubin.kernel)};
  }

  void describe_winner(EntryId entry, double time_ns) {
    const cache::Trial& trial = candidates_[entry].trial;
    cache::Decision& decision = report_.decision;
    decision.configuration = trial.configuration;
    decision.time_ns = time_ns;
    decision.launch = trial.launch;
    decision.binary_hash = trial.facts.binary_hash;
    report_.winner_facts = trial.facts;
    report_.winner_code = code_facts(entry);
    const search::Configuration& configuration = candidates_[entry].configuration;
    report_.winner_excluded = entry != facts_.baseline && !facts_.task.space().contains(configuration);
    const double seconds = time_ns / 1e9;
    if (const auto bytes = facts_.task.work_bytes(configuration)) report_.bytes_per_second = *bytes / seconds;
    if (const auto flops = facts_.task.work_flops(configuration)) report_.flops_per_second = *flops / seconds;
    if (facts_.options.roofline) describe_roofline(*facts_.options.roofline, configuration, time_ns);
  }

  void describe_roofline(const Roofline& roofline, const search::Configuration& configuration, double time_ns) {
    const auto bound = roofline_bound(roofline, facts_.task, configuration);
    if (!bound) return;
    report_.roofline = {.rates = roofline,
                        .bound = *bound,
                        .bound_text = bound_text(*bound, roofline, facts_.task, configuration),
                        .share = bound->time_ns / time_ns};
  }

  void describe_baseline(EntryId entry) {
    const cache::Trial& trial = candidates_[entry].trial;
    report_.decision.baseline = trial.configuration;
    if (!report_.decision.baseline_time_ns) report_.decision.baseline_time_ns = trial.time_ns;
    report_.baseline_facts = trial.facts;
    report_.baseline_code = code_facts(entry);
  }

  void describe_race(const FinalResult& final) {
    cache::Decision& decision = report_.decision;
    const EntrantId shown = final.winner.value_or(final.race.leader);
    describe_winner(final.entries[shown], final.race.standings[shown].median_ns);
    decision.race_blocks = final.race.blocks;
    decision.confidence = final.race.confidence;
    decision.noisy = final.race.noisy;
    decision.verified = final.verified;
    if (final.speedup) {
      decision.speedup = final.speedup->ratio;
      // Samples that never differ, as in a recording with one time for each configuration, say nothing of uncertainty.
      if (final.speedup->low < final.speedup->high) {
        decision.speedup_low = final.speedup->low;
        decision.speedup_high = final.speedup->high;
      }
    }
    for (const EntrantId entrant : final.entries.ids()) {
      describe_finalist(final, entrant);
      describe_gain(final, entrant);
    }
    std::stable_sort(
        report_.finalists.begin(), report_.finalists.end(),
        [](const FinalistReport& a, const FinalistReport& b) { return a.relative_time < b.relative_time; });
    for (const FinalistReport& finalist : report_.finalists) {
      if (finalist.tied) decision.ties.push_back({finalist.configuration, finalist.relative_time});
    }
  }

  /// What the program would gain at least by using the winner.
  void describe_gain(const FinalResult& final, EntrantId entrant) {
    if (!facts_.serving || !final.winner) return;
    if (candidates_.original(final.entries[entrant]) != candidates_.original(*facts_.serving)) return;
    report_.gain_low = 1;
    if (entrant != *final.winner && final.to_winner[entrant]) report_.gain_low = final.to_winner[entrant]->low;
  }

  void describe_finalist(const FinalResult& final, EntrantId entrant) {
    const Standing& standing = final.race.standings[entrant];
    if (standing.withdrawn) return;  // it failed, and is among the failures
    const EntryId entry = final.entries[entrant];
    const Ratio ratio = final.to_winner[entrant].value_or(Ratio{standing.relative_time, standing.low, standing.high});
    FinalistReport finalist{.configuration = candidates_.text(entry),
                            .time_ns = standing.median_ns,
                            .relative_time = ratio.ratio,
                            .relative_low = ratio.low,
                            .relative_high = ratio.high,
                            .tied = standing.tied,
                            .is_baseline = entry == facts_.baseline,
                            .samples_ns = standing.samples_ns,
                            .facts = candidates_[entry].trial.facts,
                            .code = code_facts(entry)};
    if (facts_.baseline) {
      finalist.differing_parameters =
          differing_parameters(candidates_[entry].configuration, candidates_[*facts_.baseline].configuration);
    }
    if (finalist.is_baseline) report_.decision.baseline_time_ns = standing.median_ns;
    report_.finalists.push_back(std::move(finalist));
  }

  const SessionFacts& facts_;
  const Candidates& candidates_;
  TuneReport report_;
};

}  // namespace

TuneReport build_report(const SessionFacts& facts) {
  return ReportBuilder(facts).build();
}

}  // namespace tuner::engine
