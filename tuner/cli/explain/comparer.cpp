#include "tuner/cli/explain/comparer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "cache/file/location.hpp"
#include "tuner/cli/explain/measured_facts.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/given/stored_kernel.hpp"
#include "tuner/cli/terminal/progress_line.hpp"
#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/engine/workplace/workplace.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

/// What `given` leaves out is the baseline's, as in the decision's trials: its source may not be stored. Throws
/// Error{bad_usage}.
std::string completed(const std::string& given, const cache::Decision& decision) {
  const auto assigned = [](const std::string& assignment) { return assignment.substr(0, assignment.find('=') + 1); };
  std::vector<std::string> parts =
      split_assignments(decision.baseline.empty() ? decision.configuration : decision.baseline);
  for (const std::string& assignment : split_assignments(given)) {
    const auto part = std::find_if(parts.begin(), parts.end(),
                                   [&](const std::string& one) { return assigned(one) == assigned(assignment); });
    if (part == parts.end()) {
      throw Error(Errc::bad_usage,
                  fmt::format("`{}` is no value of a parameter of {}, whose decision has {}.", assignment,
                              decision.key.kernel_name,
                              parts.empty() ? "no parameters" : fmt::format("{}", fmt::join(parts, ","))));
    }
    *part = assignment;
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

class Comparer {
 public:
  Comparer(CompareRequest request, const cache::Database* store, const std::atomic<bool>& stop)
      : request_(std::move(request)), store_(store), stop_(stop) {}

  std::optional<ComparisonReport> compare() {
    read_decisions();
    if (why_not_raced_.empty()) {
      try {
        return race();
      } catch (const Error& error) {
        if (stop_) return std::nullopt;
        // A stored source may need what is not stored: headers of other folders, say.
        const bool is_stored = request_.first.number || request_.second.number;
        const bool goes_on =
            error.code() == Errc::no_driver ||
            (is_stored && (error.code() == Errc::baseline_failed || error.code() == Errc::bad_description));
        if (!goes_on) throw;
        why_not_raced_ = error.what();
        if (error.code() == Errc::no_driver) missing_ = Errc::no_driver;
      }
    }
    return compare_stored();
  }

 private:
  /// Decisions bring problem and mode along.
  void read_decisions() {
    for (auto [side, kernel] : {std::pair(&request_.first, &first_), std::pair(&request_.second, &second_)}) {
      if (!side->decision) continue;
      StoredKernel stored = stored_kernel(*side->decision, *store_, cache::locate(request_.database).decisions);
      *kernel = std::move(stored.description);
      if (!stored.why_not.empty()) why_not_raced_ = fmt::format("Decision {}: {}", *side->number, stored.why_not);
      if (side->configuration.empty() || side->configuration == "winner")
        side->configuration = side->decision->configuration;
      request_.problem = parse_problem(side->decision->key.problem);
      request_.session.mode = timing_from_string(side->decision->key.mode).value_or(Timing::cold);
    }
    const bool both = request_.first.decision && request_.second.decision;
    if (both && (request_.first.decision->key.problem != request_.second.decision->key.problem ||
                 request_.first.decision->key.mode != request_.second.decision->key.mode))
      why_not_raced_ = "The two decisions are for different problems or cache modes.";
  }

  // ---- On a GPU ----

  std::optional<ComparisonReport> race() {
    ProgressLine line;
    engine::Workplace workplace(request_.device, request_.session.include_folders, line, stop_);
    const DeviceInfo& device = workplace.device();
    const Task first = task_of(request_.first, first_, device, line);
    std::optional<Task> other;
    const bool is_one_kernel =
        request_.first.number == request_.second.number && request_.first.file == request_.second.file;
    if (!is_one_kernel) other.emplace(task_of(request_.second, second_, device, line));
    const Task& second = other ? *other : first;
    choose_unsaid(first, second);
    const search::Configuration of_first = configuration_of(request_.first, first, request_.session.mode, store_);
    const search::Configuration of_second = configuration_of(request_.second, second, request_.session.mode, store_);
    if (!workplace.take_turn(first)) return std::nullopt;

    const engine::SessionParts parts = workplace.parts();
    engine::SideBySide side_by_side(first, request_.session, parts);
    const std::vector<std::size_t> both = side_by_side.add({{&first, of_first}, {&second, of_second}});
    if (stop_) return std::nullopt;
    ComparisonReport report{.kernel = first.description().kernel,
                            .problem = problem_text(first.problem()),
                            .device = device.name,
                            .mode = std::string(to_string(request_.session.mode)),
                            .within = request_.pair.within};
    if (side_by_side.all_run(both)) {
      report.raced = engine::race_pair(side_by_side, both[0], both[1], request_.pair);
      if (report.raced->blocks == 0) {
        report.raced.reset();
        report.not_raced = "the time was over before a pair was timed; --limit gives it more.";
      }
    } else {
      report.not_raced = "One of them does not run.";
    }
    if (stop_) return std::nullopt;
    const engine::PairResult result = report.raced.value_or(engine::PairResult{});
    report.first = compared(request_.first, side_by_side[both[0]], result.first_ns);
    report.second = compared(request_.second, side_by_side[both[1]], result.second_ns);
    remark_on_kernel(report, second.description().kernel);
    line.erase();
    report.warnings = line.take_warnings();
    return report;
  }

  Task task_of(const Side& side, const std::optional<KernelDescription>& stored, const DeviceInfo& device,
               engine::Observer& observer) const {
    KernelDescription description =
        stored ? *stored : load_description(side.file, request_.kernel, [&](const std::string& sentence) {
          observer.warning(sentence);
        });
    return Task(std::move(description), request_.problem, device, {}, request_.session.include_folders,
                search::Listing::when_needed);
  }

  /// What a side is that names no configuration: beside a decision the same as that, if it is valid there; else its
  /// winner if both have one, so that like is compared with like; or its baseline.
  void choose_unsaid(const Task& first, const Task& second) {
    const Timing mode = request_.session.mode;
    const bool both_won = stored_winner(first, mode, store_) && stored_winner(second, mode, store_);
    for (auto [side, task, other] : {std::tuple(&request_.first, &first, &request_.second),
                                     std::tuple(&request_.second, &second, &request_.first)}) {
      if (side->decision || !side->configuration.empty()) continue;
      side->configuration = both_won && !other->number ? "winner" : "baseline";
      // The only configuration of a kernel without parameters has no name: it is the baseline.
      const bool is_named = other->number && !other->configuration.empty();
      if (is_named && is_valid(other->configuration, *task)) side->configuration = other->configuration;
      side->written += "@" + side->configuration;
    }
  }

  static bool is_valid(const std::string& configuration, const Task& task) {
    try {
      return task.accepts(task.space().parse(configuration));
    } catch (const Error&) {
      return false;
    }
  }

  static ComparedSide compared(const Side& side, const engine::Contestant& contestant, double time_ns) {
    ComparedSide shown{measured_facts(contestant, side.written), {}};
    if (time_ns > 0) shown.facts.time_ns = time_ns;
    if (contestant.failure) shown.failure = contestant.failure->message;
    return shown;
  }

  static void remark_on_kernel(ComparisonReport& report, const std::string& second) {
    if (second != report.kernel) report.second.remarks.push_back("kernel " + second);
  }

  // ---- What is stored ----

  ComparisonReport compare_stored() {
    if (store_ == nullptr)
      throw Error(missing_, fmt::format("{} Nothing is stored that could be compared.", why_not_raced_));
    const auto [first, of_first] = stored_side(request_.first);
    auto [second, of_second] = stored_side(request_.second);
    ComparisonReport report{.kernel = of_first.kernel_name,
                            .problem = of_first.problem,
                            .device = device_name(of_first.device),
                            .mode = of_first.mode,
                            .within = request_.pair.within};
    if (of_first.problem != of_second.problem || of_first.device != of_second.device ||
        of_first.mode != of_second.mode) {
      second.remarks.push_back(
          fmt::format("{} on {}, {} cache", of_second.problem, device_name(of_second.device), of_second.mode));
    }
    report.first = first;
    report.second = second;
    remark_on_kernel(report, of_second.kernel_name);
    report.not_raced = fmt::format("these are times that are stored, of different moments. {}", why_not_raced_);
    return report;
  }

  std::pair<ComparedSide, cache::DecisionKey> stored_side(const Side& side) const {
    std::optional<cache::Decision> decision = side.decision;
    std::string configuration = side.configuration;
    const bool is_named = !configuration.empty() && configuration != "baseline" && configuration != "winner";
    if (decision) {
      if (is_named && configuration != decision->configuration) configuration = completed(configuration, *decision);
    } else {
      const Task task(load_description(side.file, request_.kernel), request_.problem, known_device(kPlanDevice), {},
                      request_.session.include_folders, search::Listing::when_needed);
      decision = newest_decision(task);
      if (!decision) {
        throw Error(missing_, fmt::format("{} No decision is stored for {} with this problem.", why_not_raced_,
                                          side.file.string()));
      }
      if (is_named) configuration = task.space().text(task.space().parse(configuration));
    }
    if (configuration.empty() || configuration == "winner") configuration = decision->configuration;
    if (configuration == "baseline") configuration = decision->baseline;
    ComparedSide shown;
    explain::ConfigurationFacts& facts = shown.facts;
    facts.name = side.written;
    facts.configuration = configuration;
    bool is_lower_bound = false;
    for (const cache::Trial& trial : trials_behind(*decision, *store_)) {
      if (trial.configuration != configuration) continue;
      facts.time_ns = trial.time_ns;
      is_lower_bound = trial.censored;
      facts.geometry = geometry_from_text(trial.launch).value_or(Geometry{});
      facts.resources = trial.facts;
      if (trial.outcome != Outcome::ok) shown.failure = trial.message;
    }
    if (configuration == decision->configuration) {
      facts.time_ns = decision->time_ns;
      is_lower_bound = false;
      if (const auto geometry = geometry_from_text(decision->launch)) facts.geometry = *geometry;
    }
    if (configuration == decision->baseline && decision->baseline_time_ns) {
      facts.time_ns = decision->baseline_time_ns;
      is_lower_bound = false;
    }
    if (is_lower_bound) shown.remarks.push_back("stopped early: its time is a lower bound");
    if (facts.time_ns || !shown.failure.empty()) return {std::move(shown), decision->key};
    throw Error(missing_, fmt::format("{} No trial of {} is stored.", why_not_raced_,
                                      configuration.empty() ? "the baseline" : configuration));
  }

  /// On whatever GPU.
  std::optional<cache::Decision> newest_decision(const Task& task) const {
    const std::string identity = task.kernel_identity(), problem = problem_text(task.problem());
    const std::string mode(to_string(request_.session.mode));
    for (cache::Decision& decision : store_->list_decisions({.kernel_name = task.description().kernel})) {
      const cache::DecisionKey& key = decision.key;
      if (key.kernel_identity == identity && key.problem == problem && key.mode == mode) return std::move(decision);
    }
    return std::nullopt;
  }

  CompareRequest request_;
  const cache::Database* store_;
  const std::atomic<bool>& stop_;
  std::optional<KernelDescription> first_, second_;  ///< what is stored with their decisions
  std::string why_not_raced_;
  Errc missing_ = Errc::not_stored;  ///< what nothing to show for it means
};

}  // namespace

std::optional<ComparisonReport> compare(CompareRequest request, const cache::Database* store,
                                        const std::atomic<bool>& stop) {
  return Comparer(std::move(request), store, stop).compare();
}

}  // namespace tuner::cli
