#include "tuner/host/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "tuner/core/signature/value_source.hpp"
#include "tuner/error.hpp"
#include "tuner/host/addresses.hpp"
#include "tuner/host/budget.hpp"
#include "tuner/host/build.hpp"
#include "tuner/host/cases.hpp"
#include "tuner/host/compare.hpp"
#include "tuner/host/compiler.hpp"
#include "tuner/host/execution.hpp"
#include "tuner/host/outcome.hpp"
#include "tuner/host/own_headers.hpp"
#include "tuner/host/race_findings.hpp"
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

/// What the shim says where a kernel comes to something that it has not.
constexpr std::string_view kCannotRun = "cannot run on the CPU";

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
    drop_consequences(findings_);
    result_.findings = grouped(std::move(findings_));
    return std::move(result_);
  }

 private:
  bool stopped() const { return limits_.stopped(); }

  /// Such a case stands under what is not checked, and was not run.
  bool could_not_run(const CaseOutcome& outcome) const {
    return outcome.state == CaseOutcome::State::mismatch || outcome.state == CaseOutcome::State::lacking ||
           (outcome.state == CaseOutcome::State::busy && !options_.small_problems) ||
           (outcome.faulted && outcome.fault.find(kCannotRun) != std::string::npos);
  }

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
    for (std::size_t p = 0; p < cases_.problems.size(); ++p) expected[p] = expectation(cases_.problems[p], by_case);
    note_what_is_not_compared(expected);

    std::set<std::string> configurations;
    std::set<std::size_t> problems;
    std::size_t left = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const HostCase& one = cases_.cases[numbers[i]];
      const CaseOutcome& outcome = outcomes[i];
      if (outcome.state == CaseOutcome::State::left) ++left;
      if (!outcome.was_run()) continue;
      if (one.reference_only) {
        if (outcome.state != CaseOutcome::State::ended || outcome.faulted)
          unchecked_at({fmt::format("Results were not compared: the reference {} on {}",
                                    outcome.state == CaseOutcome::State::busy ? "is too much work" : "fails",
                                    cases_.problems[one.problem].text),
                        {},
                        one.configuration,
                        0});
        if (expected[one.problem] && has_expected_files()) judge_reference(outcome, one, *expected[one.problem]);
        continue;
      }
      if (!could_not_run(outcome)) {
        configurations.insert(one.configuration);
        problems.insert(one.problem);
        ++result_.cases;
      }
      judge(numbers[i], i, outcome, expected[one.problem] ? &*expected[one.problem] : nullptr);
    }
    note_what_is_unproven(expected);
    result_.configurations = configurations.size();
    result_.problems = problems.size();
    if (left > 0) {
      result_.unchecked.push_back({fmt::format(
          "{} runs were skipped: the remaining runs of a configuration that crashes, and all runs after many crashes",
          left)});
    }
  }

  std::optional<Expected> expectation(const HostProblem& problem,
                                      const std::vector<const CaseOutcome*>& by_case) const {
    if (options_.expected)
      return in_order({options_.expected(*problem.task, problem.arguments, problem.contents), {}}, problem);
    const CaseOutcome* reference = problem.reference == HostProblem::kNone ? nullptr : by_case[problem.reference];
    if (reference == nullptr || reference->state != CaseOutcome::State::ended || !reference->has_outputs[0])
      return std::nullopt;
    Expected expected = expected_of(*reference, problem.arguments);
    // What a file holds is right, whatever the reference computes.
    std::size_t output = 0;
    for (std::size_t i = 0; i < problem.arguments.size(); ++i) {
      const BoundArgument& argument = problem.arguments[i];
      if (!is_output(argument)) continue;
      const std::size_t number = output++;
      if (!argument.expected) continue;
      expected.outputs[number] = problem.expected[i];
      if (!argument.is_partial) std::fill(expected.unwritten[number].begin(), expected.unwritten[number].end(), 0);
    }
    return in_order(std::move(expected), problem);
  }

  static Expected in_order(Expected expected, const HostProblem& problem) {
    put_in_order({expected.outputs.begin(), expected.outputs.end()}, problem.arguments);
    return expected;
  }

  bool has_expected_files() const {
    return std::any_of(description_->arguments.begin(), description_->arguments.end(),
                       [](const Argument& argument) { return argument.expected.has_value(); });
  }

  /// Where files say what is right, the kernel that is named as the reference must reproduce them itself.
  void judge_reference(const CaseOutcome& outcome, const HostCase& one, const Expected& expected) {
    for (Finding& finding : compare_outputs(outcome, cases_.problems[one.problem].arguments, &expected, false)) {
      finding.sentence = "the reference differs from the file with the expected output: " + finding.sentence;
      add(std::move(finding), one);
    }
  }

  /// For an output of a T1 file, which may be one that the kernel reads as well; empty for any other.
  std::string t1_edit(const std::string& buffer) const {
    for (const Argument& argument : description_->arguments) {
      if (argument.name != buffer || argument.role != Argument::Role::out || !description_->is_from_t1()) continue;
      return fmt::format("; {}.AccessType: set ReadWrite if the kernel reads it", argument.place.file);
    }
    return {};
  }

  void add(Finding finding, const HostCase& shown_by) {
    if (finding.kind == FindingKind::uninitialised_read) {
      const std::size_t name = finding.sentence.find('`') + 1;
      if (name > 0) finding.sentence += t1_edit(finding.sentence.substr(name, finding.sentence.find('`', name) - name));
    }
    finding.configuration = shown_by.configuration;
    finding.problem = cases_.problems[shown_by.problem].text;
    findings_.push_back(std::move(finding));
  }

  /// Kernels with borders write nothing of the smallest problems: an output is too long, or not written at all, where
  /// that is so of all of them.
  void note_what_is_not_compared(const std::vector<std::optional<Expected>>& expected) {
    std::size_t problems = 0;
    bool is_compared = false;
    std::map<std::string, std::size_t> empty;  // on how many problems nothing is written of an output
    const auto each = [&](const auto& action) {
      for (std::size_t p = 0; p < expected.size(); ++p) {
        if (!expected[p]) continue;
        for (const NotCompared& left : not_compared(*expected[p], cases_.problems[p].arguments)) {
          action(left, cases_.problems[p]);
        }
      }
    };
    for (std::size_t p = 0; p < expected.size(); ++p) {
      if (!expected[p]) continue;
      ++problems;
      for (const auto& [argument, elements] : compared(*expected[p], cases_.problems[p].arguments))
        is_compared = is_compared || elements > 0;
    }
    each([&](const NotCompared& left, const HostProblem&) { empty[left.buffer] += left.elements == left.of ? 1 : 0; });
    each([&](const NotCompared& left, const HostProblem& problem) {
      const bool may_be_empty = is_partial(left, problem.arguments) && is_compared;
      if (left.is_tail() && !may_be_empty && (left.first > 0 || empty[left.buffer] == problems)) {
        add_unwritten_end(left, problem);
      } else if (not_compared_.insert(left.buffer).second) {
        result_.notes.push_back(fmt::format("Not compared on {}, because the reference leaves them unwritten: {}.",
                                            problem.text, text_of({left})));
      }
    });
  }

  /// Outputs of small problems have one value by accident: nothing is proven where that is so of all of them. One
  /// element is as easily filled in as found out: it proves something only where there is no more.
  void note_what_is_unproven(const std::vector<std::optional<Expected>>& expected) {
    std::map<std::string, std::pair<Unproven, std::size_t>> passed;  // by output, with the first problem
    std::set<std::string> several, proven, proven_by_one;            // several: of more than one element
    for (std::size_t p = 0; p < expected.size(); ++p) {
      if (!expected[p]) continue;
      const HostProblem& problem = cases_.problems[p];
      std::set<std::string> here;
      for (const Unproven& one : unproven(*expected[p], problem.arguments, problem.contents)) {
        if (one.why != Unproven::Why::not_a_number || one.elements == one.of) {
          here.insert(one.buffer);
          passed.try_emplace(one.buffer, one, p);
        } else if (not_numbers_.insert(one.buffer).second) {
          result_.notes.push_back(
              fmt::format("On {}, {}: a kernel that writes NaN agrees there.", problem.text, text_of({one})));
        }
      }
      for (const auto& [argument, elements] : compared(*expected[p], problem.arguments)) {
        if (elements == 0) continue;
        const bool is_one = has_one_element(*argument, elements);
        if (!is_one) several.insert(argument->name);
        if (here.count(argument->name) == 0) (is_one ? proven_by_one : proven).insert(argument->name);
      }
    }
    if (several.empty()) proven = std::move(proven_by_one);
    std::erase_if(passed, [&](const auto& entry) { return proven.count(entry.first) > 0; });
    for (const auto& [buffer, at] : passed) {
      const HostProblem& problem = cases_.problems[at.second];
      const std::string sentence = fmt::format(
          "`{}`: the reference proves nothing, because {}: a kernel that {} agrees; give the inputs other contents, or "
          "the output a smaller rtol and atol, or declare it `trivial`",
          buffer, text_of({at.first}), at.first.why == Unproven::Why::unchanged ? "does nothing" : "only fills it");
      if (!proven.empty()) {
        // What stays as it was beside a result that is proven, is a counter that the kernel sets back, most often.
        if (at.first.why != Unproven::Why::unchanged) result_.notes.push_back(sentence + ".");
      } else if (problem.reference != HostProblem::kNone) {
        add({.kind = FindingKind::unproven_result, .sentence = sentence}, cases_.cases[problem.reference]);
      }
    }
  }

  void add_unwritten_end(const NotCompared& left, const HostProblem& problem) {
    const std::string where = left.first > 0
                                  ? fmt::format("from element {} on, {} of {}", left.first, left.elements, left.of)
                                  : fmt::format("of its {} elements", left.of);
    const std::string edit = t1_edit(left.buffer);
    const std::string way_on =
        is_partial(left, problem.arguments) ? "give the inputs contents with which it writes something"
        : edit.empty() && left.first > 0
            ? "correct its launch or the length, or declare the output `partial`, or `unordered by "
              "NAME` where NAME is an output that counts its elements"
        : edit.empty() ? "correct its launch or the length, or declare the output `partial`"
                       : "correct its launch or the Size" + edit;
    const std::string sentence = fmt::format("`{}`: the reference writes nothing {}, so nothing is compared there; {}",
                                             left.buffer, where, way_on);
    add({.kind = FindingKind::unwritten_output, .sentence = sentence}, cases_.cases[problem.reference]);
  }

  /// The content of what the kernel only reads changed, or the padding of any buffer.
  static Finding changed(const BoundArgument& argument, std::ptrdiff_t byte) {
    const bool may_be_written = argument.role != Argument::Role::in && argument.role != Argument::Role::constant;
    const bool is_padding =
        may_be_written || byte < 0 || static_cast<std::uint64_t>(byte) >= argument.length * element_size(argument);
    if (!is_padding) {
      return {.kind = FindingKind::input_written,
              .sentence = fmt::format("`{}`: byte {} of an input changed", argument.name, byte)};
    }
    return {
        .kind = FindingKind::out_of_bounds_write,
        .sentence = fmt::format("`{}`: byte {} changed, which is padding and may only be read", argument.name, byte)};
  }

  Unchecked misfit(const CaseOutcome& outcome, const HostProblem& problem, const HostCase& one) const {
    const Argument& described = description_->arguments.at(outcome.misfit_argument);
    return {value_misfit(problem.arguments.at(outcome.misfit_argument), outcome.misfit),
            {description_->file.string(), described.place.line},
            one.configuration,
            1};
  }

  /// `number` is the case's in the plan.
  void judge(std::size_t case_number, std::size_t number, const CaseOutcome& outcome, const Expected* expected) {
    const HostCase& one = cases_.cases[case_number];
    const HostProblem& problem = cases_.problems[one.problem];
    if (outcome.faulted) {
      if (could_not_run(outcome)) {
        // Without the block and the thread, which follow in brackets.
        const std::string sentence = outcome.fault.substr(0, outcome.fault.rfind(" ("));
        return unchecked_at({sentence, outcome.fault_place, one.configuration, 1});
      }
      const FindingKind kind = outcome.fault.find("wait for each other") != std::string::npos ? FindingKind::deadlock
                               : outcome.fault.find("misaligned") != std::string::npos ? FindingKind::misaligned_access
                                                                                       : FindingKind::trap;
      return add({.kind = kind, .place = outcome.fault_place, .sentence = outcome.fault}, one);
    }
    switch (outcome.state) {
      case CaseOutcome::State::mismatch:
        if (outcome.misfit > 0) return unchecked_at(misfit(outcome, problem, one));
        return unchecked_at({"The directives do not describe the kernel: " + outcome.text, {}, one.configuration, 1});
      case CaseOutcome::State::lacking:
        return unchecked_at({outcome.text, {}, one.configuration, 1});
      case CaseOutcome::State::busy:
        return judge_busy(number, one);
      case CaseOutcome::State::died:
        return add(death(number, problem, outcome), one);
      case CaseOutcome::State::late: {
        SourceSpot within;
        return add({.kind = FindingKind::hang,
                    .place = place_in_stack(report(number), files_, within),
                    .sentence = fmt::format("was still running after {} s of CPU time", options_.limit.count())},
                   one);
      }
      default:
        break;
    }
    if (outcome.changed_input >= 0) {
      const BoundArgument& argument = problem.arguments[static_cast<std::size_t>(outcome.changed_input)];
      add(changed(argument, outcome.changed_byte), one);
    }
    if (outcome.state != CaseOutcome::State::ended || !outcome.has_outputs[0]) return;
    ended_.insert(case_number);
    for (Finding& finding : compare_outputs(outcome, problem.arguments, expected, description_->deterministic))
      add(std::move(finding), one);
  }

  /// Threads that wait for each other again and again look like much work.
  void judge_busy(std::size_t number, const HostCase& one) {
    const std::string& problem = cases_.problems[one.problem].text;
    const std::string sentence = fmt::format(
        "does not end, or is more work than a CPU does in {} s, all orders of threads together: {}give a smaller "
        "problem with --problem",
        options_.limit.count(), options_.small_problems ? "if it ends, " : "");
    SourceSpot within;
    const SourceSpot seen = place_in_stack(report(number), files_, within);
    SourceSpot& place = busy_places_[one.problem];  // where others were, if it was not run
    if (seen.line != 0) place = seen;
    if (options_.small_problems) return add({.kind = FindingKind::hang, .place = place, .sentence = sentence}, one);
    unchecked_at({(problem.empty() ? "The problem " : "`" + problem + "` ") + sentence, place, one.configuration, 1});
  }

  /// One entry for each place, however many configurations come to it.
  void unchecked_at(Unchecked unchecked) {
    for (Unchecked& other : result_.unchecked) {
      if (other.sentence != unchecked.sentence || !(other.place == unchecked.place)) continue;
      if (unchecked.configurations > 0 && uncheckable_.insert(unchecked.configuration).second) ++other.configurations;
      return;
    }
    uncheckable_.insert(unchecked.configuration);
    result_.unchecked.push_back(std::move(unchecked));
  }

  std::string report(std::size_t number) const { return read_file(report_of(folder_.path(), Flavour::memory, number)); }

  Finding death(std::size_t number, const HostProblem& problem, const CaseOutcome& outcome) const {
    Touched touched = outcome.touched;
    if (touched.what == Touched::What::argument && outcome.touched_argument >= 0)
      touched.name = problem.arguments[static_cast<std::size_t>(outcome.touched_argument)].name;
    Finding finding = read_sanitizer_report(report(number), touched, files_);
    if (finding.kind == FindingKind::crash) finding.sentence += " (" + outcome.text + ")";
    return finding;
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
      const HostCase& one = cases_.cases[numbers[i]];
      for (const RaceEvent& event : outcomes[i].races) take(event, one, places);
    }
  }

  void take(const RaceEvent& event, const HostCase& one, const Addresses& places) {
    const HostProblem& problem = cases_.problems[one.problem];
    Finding finding = finding_of(event, problem.arguments, places);
    // Reading what nobody wrote is a mistake only if a result depends on it, and that was seen before.
    const bool matters = finding.kind != FindingKind::uninitialised_read ||
                         std::any_of(findings_.begin(), findings_.end(), [&](const Finding& other) {
                           return other.kind == FindingKind::uninitialised_read &&
                                  other.configuration == one.configuration && other.problem == problem.text;
                         });
    if (matters) add(std::move(finding), one);
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
  std::vector<Finding> findings_;
  std::set<std::size_t> ended_;                    ///< cases
  std::set<std::string> not_compared_;             ///< outputs that a note speaks of
  std::set<std::string> not_numbers_;              ///< the same for those with elements that are not numbers
  std::set<std::string> uncheckable_;              ///< configurations
  std::map<std::size_t, SourceSpot> busy_places_;  ///< by problem
  bool has_compiled_all_ = true;                   ///< there was time for it
  std::size_t most_watched_ = 0;  ///< variants that there was no time to compile for the watch for races are below this
  std::size_t runs_left_out_ = 0, race_runs_left_out_ = 0;
};

}  // namespace

HostResult check_on_host(std::shared_ptr<const KernelDescription> description, const std::vector<Pick>& picks,
                         const HostOptions& options) {
  return Check(std::move(description), picks, options).run();
}

}  // namespace tuner::host
