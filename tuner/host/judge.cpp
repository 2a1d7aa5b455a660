#include "tuner/host/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "tuner/core/signature/value_source.hpp"
#include "tuner/host/execution.hpp"
#include "tuner/host/race_findings.hpp"
#include "tuner/host/t1_access.hpp"
#include "tuner/host/work_folder.hpp"

namespace tuner::host {
namespace {

/// What the shim says where a kernel comes to something that it has not.
constexpr std::string_view kCannotRun = "cannot run on the CPU";

/// The content of what the kernel only reads changed, or the padding of any buffer.
Finding changed(const BoundArgument& argument, std::ptrdiff_t byte) {
  const bool may_be_written = argument.role != Argument::Role::in && argument.role != Argument::Role::constant;
  const bool is_padding =
      may_be_written || byte < 0 || static_cast<std::uint64_t>(byte) >= argument.length * element_size(argument);
  if (!is_padding) {
    return {.kind = FindingKind::input_written,
            .sentence = fmt::format("`{}`: byte {} of an input changed", argument.name, byte)};
  }
  return {.kind = FindingKind::out_of_bounds_write,
          .sentence = fmt::format("`{}`: byte {} changed, which is padding and may only be read", argument.name, byte)};
}

FindingKind kind_of_fault(const std::string& fault) {
  if (fault.find("wait for each other") != std::string::npos) return FindingKind::deadlock;
  if (fault.find("misaligned") != std::string::npos) return FindingKind::misaligned_access;
  return FindingKind::trap;
}

bool has_expected_files(const KernelDescription& description) {
  return std::any_of(description.arguments.begin(), description.arguments.end(),
                     [](const Argument& argument) { return argument.expected.has_value(); });
}

}  // namespace

bool Judge::could_not_run(const CaseOutcome& outcome) const {
  return outcome.state == CaseOutcome::State::mismatch || outcome.state == CaseOutcome::State::lacking ||
         (outcome.state == CaseOutcome::State::busy && !options_.small_problems) ||
         (outcome.faulted && outcome.fault.find(kCannotRun) != std::string::npos);
}

void Judge::add(Finding finding, const HostCase& shown_by) {
  if (finding.kind == FindingKind::uninitialised_read) {
    const std::size_t name = finding.sentence.find('`') + 1;
    if (name > 0) {
      finding.sentence +=
          t1_access_edit(description_, finding.sentence.substr(name, finding.sentence.find('`', name) - name));
    }
  }
  finding.configuration = shown_by.configuration;
  finding.problem = problem_of(shown_by).text;
  findings_.push_back(std::move(finding));
}

void Judge::add_unchecked(Unchecked unchecked) {
  for (Unchecked& other : unchecked_) {
    if (other.sentence != unchecked.sentence || !(other.place == unchecked.place)) continue;
    if (unchecked.configurations > 0 && uncheckable_.insert(unchecked.configuration).second) ++other.configurations;
    return;
  }
  uncheckable_.insert(unchecked.configuration);
  unchecked_.push_back(std::move(unchecked));
}

std::vector<Finding> Judge::take_findings() {
  drop_consequences(findings_);
  return grouped(std::move(findings_));
}

void Judge::judge(const HostCase& one, std::size_t number, const CaseOutcome& outcome, const Expected* expected) {
  if (outcome.faulted) return judge_fault(one, outcome);
  const HostProblem& problem = problem_of(one);
  switch (outcome.state) {
    case CaseOutcome::State::mismatch:
      if (outcome.misfit > 0) return add_unchecked(misfit(one, outcome));
      return add_unchecked({"The directives do not describe the kernel: " + outcome.text, {}, one.configuration, 1});
    case CaseOutcome::State::lacking:
      return add_unchecked({outcome.text, {}, one.configuration, 1});
    case CaseOutcome::State::busy:
      return judge_busy(one, number);
    case CaseOutcome::State::died:
      return add(death(one, number, outcome), one);
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
  if (!outcome.has_result()) return;
  for (Finding& finding : compare_outputs(outcome, problem.arguments, expected, description_.deterministic))
    add(std::move(finding), one);
}

void Judge::judge_fault(const HostCase& one, const CaseOutcome& outcome) {
  if (could_not_run(outcome)) {
    // Without the block and the thread, which follow in brackets.
    const std::string sentence = outcome.fault.substr(0, outcome.fault.rfind(" ("));
    return add_unchecked({sentence, outcome.fault_place, one.configuration, 1});
  }
  add({.kind = kind_of_fault(outcome.fault), .place = outcome.fault_place, .sentence = outcome.fault}, one);
}

Unchecked Judge::misfit(const HostCase& one, const CaseOutcome& outcome) const {
  const Argument& described = description_.arguments.at(outcome.misfit_argument);
  return {value_misfit(problem_of(one).arguments.at(outcome.misfit_argument), outcome.misfit),
          {description_.file.string(), described.place.line},
          one.configuration,
          1};
}

// Threads that wait for each other again and again look like much work.
void Judge::judge_busy(const HostCase& one, std::size_t number) {
  const std::string& problem = problem_of(one).text;
  const std::string sentence = fmt::format(
      "does not end, or is more work than a CPU does in {} s, all orders of threads together: {}give a smaller "
      "problem with --problem",
      options_.limit.count(), options_.small_problems ? "if it ends, " : "");
  SourceSpot within;
  const SourceSpot seen = place_in_stack(report(number), files_, within);
  SourceSpot& place = busy_places_[one.problem];  // where others were, if it was not run
  if (seen.line != 0) place = seen;
  if (options_.small_problems) return add({.kind = FindingKind::hang, .place = place, .sentence = sentence}, one);
  add_unchecked({(problem.empty() ? "The problem " : "`" + problem + "` ") + sentence, place, one.configuration, 1});
}

Finding Judge::death(const HostCase& one, std::size_t number, const CaseOutcome& outcome) const {
  Touched touched = outcome.touched;
  if (touched.what == Touched::What::argument && outcome.touched_argument >= 0)
    touched.name = problem_of(one).arguments[static_cast<std::size_t>(outcome.touched_argument)].name;
  Finding finding = read_sanitizer_report(report(number), touched, files_);
  if (finding.kind == FindingKind::crash) finding.sentence += " (" + outcome.text + ")";
  return finding;
}

std::string Judge::report(std::size_t number) const {
  return read_file(report_of(folder_, Flavour::memory, number));
}

void Judge::judge_reference(const HostCase& one, const CaseOutcome& outcome, const Expected* expected) {
  const HostProblem& problem = problem_of(one);
  if (outcome.state != CaseOutcome::State::ended || outcome.faulted) {
    add_unchecked({fmt::format("Results were not compared: the reference {} on {}",
                               outcome.state == CaseOutcome::State::busy ? "is too much work" : "fails", problem.text),
                   {},
                   one.configuration,
                   0});
  }
  // Where files say what is right, the kernel that is named as the reference must reproduce them itself.
  if (expected == nullptr || !has_expected_files(description_)) return;
  for (Finding& finding : compare_outputs(outcome, problem.arguments, expected, false)) {
    finding.sentence = "the reference differs from the file with the expected output: " + finding.sentence;
    add(std::move(finding), one);
  }
}

void Judge::judge_races(const HostCase& one, const CaseOutcome& outcome, const Addresses& places) {
  const HostProblem& problem = problem_of(one);
  for (const RaceEvent& event : outcome.races) {
    Finding finding = finding_of(event, problem.arguments, places);
    // Reading what nobody wrote is a mistake only if a result depends on it, and that was seen before.
    const bool matters = finding.kind != FindingKind::uninitialised_read ||
                         std::any_of(findings_.begin(), findings_.end(), [&](const Finding& other) {
                           return other.kind == FindingKind::uninitialised_read &&
                                  other.configuration == one.configuration && other.problem == problem.text;
                         });
    if (matters) add(std::move(finding), one);
  }
}

}  // namespace tuner::host
