#include "tuner/host/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "tuner/error.hpp"
#include "tuner/host/addresses.hpp"
#include "tuner/host/budget.hpp"
#include "tuner/host/build.hpp"
#include "tuner/host/cases.hpp"
#include "tuner/host/compare.hpp"
#include "tuner/host/compiler.hpp"
#include "tuner/host/execution.hpp"
#include "tuner/host/judge.hpp"
#include "tuner/host/outcome.hpp"
#include "tuner/host/own_headers.hpp"
#include "tuner/host/reference.hpp"
#include "tuner/host/signatures.hpp"
#include "tuner/host/work_folder.hpp"
#include "tuner/process/process_tree.hpp"
#include "tuner/process/usable_memory.hpp"

namespace tuner::host {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

JobLimits limits_of(const HostOptions& options, const WorkFolder& folder) {
  constexpr std::size_t kOfJob = 8;  // a compiler starts its parts, and may be wrapped
  JobLimits limits;
  limits.at_once = options.jobs;
  limits.stop = options.stop;
  limits.temporary = folder.temporary();
  limits.memory = options.memory != 0 ? options.memory : usable_memory();
  limits.processes = 64 + kOfJob * static_cast<std::size_t>(options.jobs);
  return limits;
}

class Check {
 public:
  Check(std::shared_ptr<const KernelDescription> description, const std::vector<Pick>& picks,
        const HostOptions& options)
      : description_(std::move(description)),
        options_(options),
        limits_(limits_of(options, folder_)),
        compiler_(Compiler::find(limits_)),
        cases_(make_cases(description_, picks, options)) {
    result_.compiler = compiler_.version();
    result_.unchecked = std::move(cases_.unchecked);
    result_.notes = std::move(cases_.notes);
    files_.push_back(description_->file.string());
    if (!cases_.problems.empty()) {
      headers_ = own_headers(*description_, cases_.problems.front().task->headers(), options_.include_folders);
      for (const Header& header : headers_) files_.push_back(header.name);
    }
  }

  HostResult run() {
    result_.interrupted = stopped();
    if (cases_.cases.empty() || stopped()) return std::move(result_);
    const Clock::time_point start = Clock::now();
    const Program program(*cases_.problems.front().task, headers_, cases_.changing, options_.device, folder_.path());
    Build build(program, compiler_, cases_.variants, options_, limits_, files_);
    const bool compiled = build.run(Flavour::memory, cases_.variants.size(), budget_.until(Budget::Phase::compiling));
    has_compiled_all_ = !budget_.is_over(Budget::Phase::compiling);
    const bool built = compiled && is_described(build);
    const bool watched = built && options_.races && built_for_races(build);
    if (budget_.is_over(Budget::Phase::compiling_for_races)) most_watched_ = options_.most_for_races;
    result_.compile_s = seconds_since(start);
    note_what_does_not_compile(build);
    if (built) run_program(build);
    if (built && options_.races && !stopped()) look_for_races(build, watched);
    result_.run_s = seconds_since(start) - result_.compile_s;
    result_.interrupted = stopped();
    note_what_was_left_out(build);
    result_.findings = judge_.take_findings();
    return std::move(result_);
  }

 private:
  bool stopped() const { return limits_.stopped(); }

  /// Says what the time was too short for.
  void note_what_was_left_out(const Build& build) {
    if (!options_.budget || stopped()) return;
    std::set<int> failed;
    for (const Build::Failure& failure : build.failures())
      failed.insert(failure.variants.begin(), failure.variants.end());
    std::set<std::string> not_compiled, compiled;
    for (const HostCase& one : cases_.cases) {
      if (one.reference_only || failed.count(one.variant) != 0) continue;
      (build.compiled(Flavour::memory, one.variant) ? compiled : not_compiled).insert(one.configuration);
    }
    for (const std::string& configuration : compiled) not_compiled.erase(configuration);
    if (has_compiled_all_) not_compiled.clear();
    const std::string sentence = budget_.left_out(not_compiled.size(), runs_left_out_, race_runs_left_out_);
    if (!sentence.empty()) result_.unchecked.push_back({sentence});
  }

  /// How many of these were to run and did not.
  static std::size_t not_run(const std::vector<CaseOutcome>& outcomes) {
    return static_cast<std::size_t>(std::count_if(outcomes.begin(), outcomes.end(), [](const CaseOutcome& outcome) {
      return !outcome.was_run() && outcome.state != CaseOutcome::State::left;
    }));
  }

  /// Whether the program can be asked, and nothing that it answers contradicts the description.
  bool is_described(const Build& build) {
    const std::string why = check_signatures(cases_, build.program(Flavour::memory), folder_.path(), limits_);
    if (!why.empty()) result_.unchecked.push_back({why});
    return why.empty();
  }

  /// What was found before stays found.
  bool built_for_races(Build& build) {
    try {
      return build.run(Flavour::threads, options_.most_for_races, budget_.until(Budget::Phase::compiling_for_races));
    } catch (const Error& error) {
      not_looked_for_races(error);
      return false;
    }
  }

  void not_looked_for_races(const Error& error) {
    result_.unchecked.push_back({fmt::format("Races were not checked. {}", error.what())});
  }

  void note_what_does_not_compile(const Build& build) {
    for (const Build::Failure& failure : build.failures()) {
      std::set<std::string> configurations;
      for (const HostCase& one : cases_.cases) {
        if (std::find(failure.variants.begin(), failure.variants.end(), one.variant) != failure.variants.end())
          configurations.insert(one.configuration);
      }
      Unchecked unchecked = failure.why;
      unchecked.configurations = configurations.size();
      if (!configurations.empty()) unchecked.configuration = *configurations.begin();
      result_.unchecked.push_back(std::move(unchecked));
    }
  }

  /// The outcomes of these cases.
  std::vector<CaseOutcome> outcomes_of(const Build& build, Flavour flavour, const std::vector<std::size_t>& numbers,
                                       Clock::time_point until) {
    JobLimits limits = limits_;
    limits.until = until;
    Execution execution = execute(cases_, numbers, flavour, build.program(flavour), folder_.path(), options_, limits);
    for (std::string& why : execution.lost) result_.unchecked.push_back({std::move(why)});
    return std::move(execution.outcomes);
  }

  void run_program(const Build& build) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < cases_.cases.size(); ++i) {
      if (build.compiled(Flavour::memory, cases_.cases[i].variant)) numbers.push_back(i);
    }
    write_inputs(cases_, folder_.path() / kInputsFile);
    std::vector<CaseOutcome> outcomes =
        outcomes_of(build, Flavour::memory, numbers, budget_.until(Budget::Phase::running));
    if (budget_.is_over(Budget::Phase::running)) runs_left_out_ = not_run(outcomes);
    std::vector<const CaseOutcome*> by_case(cases_.cases.size(), nullptr);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      put_in_order(outcomes[i], cases_.problems[cases_.cases[numbers[i]].problem].arguments);
      by_case[numbers[i]] = &outcomes[i];
    }
    std::vector<std::optional<Expected>> expected(cases_.problems.size());
    for (std::size_t p = 0; p < cases_.problems.size(); ++p)
      expected[p] = expected_on(cases_.problems[p], by_case, options_);
    add(unwritten_by_reference(*description_, cases_, expected));

    std::set<std::string> configurations;
    std::set<std::size_t> problems;
    std::size_t left = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const HostCase& one = cases_.cases[numbers[i]];
      const CaseOutcome& outcome = outcomes[i];
      if (outcome.state == CaseOutcome::State::left) ++left;
      if (!outcome.was_run()) continue;
      const Expected* const right = expected[one.problem] ? &*expected[one.problem] : nullptr;
      if (one.reference_only) {
        judge_.judge_reference(one, outcome, right);
        continue;
      }
      if (!judge_.could_not_run(outcome)) {
        configurations.insert(one.configuration);
        problems.insert(one.problem);
        ++result_.cases;
      }
      judge_.judge(one, i, outcome, right);
      if (outcome.has_result()) ended_.insert(numbers[i]);
    }
    add(unproven_by_reference(cases_, expected));
    result_.configurations = configurations.size();
    result_.problems = problems.size();
    if (left > 0) {
      result_.unchecked.push_back({fmt::format(
          "{} runs were skipped: the remaining runs of a configuration that crashes, and all runs after many crashes",
          left)});
    }
  }

  void add(ReferenceGaps found) {
    for (ReferenceGaps::Gap& gap : found.gaps) judge_.add(std::move(gap.finding), cases_.cases[gap.shown_by]);
    result_.notes.insert(result_.notes.end(), found.notes.begin(), found.notes.end());
  }

  /// `watched`: there is a program for it.
  void look_for_races(const Build& build, bool watched) {
    // What crashes or hangs has been said already.
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < cases_.cases.size(); ++i) {
      const HostCase& one = cases_.cases[i];
      if (one.reference_only || ended_.count(i) == 0) continue;
      if (watched && build.compiled(Flavour::threads, one.variant))
        numbers.push_back(i);
      else if (static_cast<std::size_t>(one.variant) < most_watched_)
        ++race_runs_left_out_;
    }
    if (numbers.empty()) return;
    std::vector<CaseOutcome> outcomes;
    try {
      outcomes = outcomes_of(build, Flavour::threads, numbers, budget_.until(Budget::Phase::looking_for_races));
    } catch (const Error& error) {
      return not_looked_for_races(error);
    }
    if (budget_.is_over(Budget::Phase::looking_for_races)) race_runs_left_out_ += not_run(outcomes);
    std::set<std::string> configurations;
    std::size_t unfinished = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (outcomes[i].state == CaseOutcome::State::ended)
        configurations.insert(cases_.cases[numbers[i]].configuration);
      else if (outcomes[i].was_run())
        ++unfinished;
    }
    result_.raced = configurations.size();
    if (unfinished > 0) {
      result_.unchecked.push_back({fmt::format(
          "{} not checked for races to the end: under the watch for races, which is slower, {} not end in {} s",
          unfinished == 1 ? "1 run was" : fmt::format("{} runs were", unfinished),
          unfinished == 1 ? "it did" : "they did", options_.limit.count())});
    }
    std::set<std::string> addresses;
    for (const CaseOutcome& outcome : outcomes) {
      for (const RaceEvent& event : outcome.races) {
        addresses.insert(event.stack.begin(), event.stack.end());
        addresses.insert(event.other_stack.begin(), event.other_stack.end());
      }
    }
    const Addresses places(build.program(Flavour::threads), addresses, files_, limits_);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      judge_.judge_races(cases_.cases[numbers[i]], outcomes[i], places);
    }
  }

  std::shared_ptr<const KernelDescription> description_;
  const HostOptions& options_;
  const Budget budget_{options_.budget};
  WorkFolder folder_;
  Adoption adoption_;  ///< ends before the folder does: nothing that was started writes there any more
  JobLimits limits_;
  Compiler compiler_;
  Cases cases_;
  std::vector<Header> headers_;
  KnownFiles files_;
  HostResult result_;
  Judge judge_{*description_, cases_, options_, files_, folder_.path(), result_.unchecked};
  std::set<std::size_t> ended_;   ///< cases
  bool has_compiled_all_ = true;  ///< there was time for it
  std::size_t most_watched_ = 0;  ///< variants that there was no time to compile for the watch for races are below this
  std::size_t runs_left_out_ = 0, race_runs_left_out_ = 0;
};

}  // namespace

HostResult check_on_host(std::shared_ptr<const KernelDescription> description, const std::vector<Pick>& picks,
                         const HostOptions& options) {
  return Check(std::move(description), picks, options).run();
}

}  // namespace tuner::host
