#include "tuner/host/execution.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "tuner/host/compare.hpp"
#include "tuner/host/program.hpp"
#include "tuner/host/shortage.hpp"
#include "tuner/host/work_folder.hpp"

namespace tuner::host {
namespace {

using State = CaseOutcome::State;

/// Each part runs the configurations that have its number modulo `parts`.
std::vector<Job> jobs_of(const std::filesystem::path& program, const std::filesystem::path& plan,
                         const std::string& events, std::size_t parts) {
  std::vector<Job> jobs(parts);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::string number = std::to_string(part);
    jobs[part].command = {program.string(), plan.string(), events + number, number, std::to_string(parts)};
    jobs[part].limit = std::chrono::hours(24);  // each case has its own
  }
  return jobs;
}

std::vector<std::size_t> bytes_of_outputs(const Cases& cases, const std::vector<std::size_t>& numbers) {
  std::vector<std::size_t> sizes;
  for (const std::size_t number : numbers) {
    const std::vector<std::size_t> outputs = output_sizes(cases.problems[cases.cases[number].problem].arguments);
    sizes.push_back(std::accumulate(outputs.begin(), outputs.end(), std::size_t{0}));
  }
  return sizes;
}

/// A run that was ended by something else than the kernel is no finding.
void tell_lack(CaseOutcome& outcome, const Job& job, const std::filesystem::path& report, const JobLimits& limits) {
  constexpr const char* kWho = "A run";
  constexpr std::string_view kSignal = "signal ";
  std::string lack;
  if (outcome.state == State::lacking) {
    const std::string said = read_file(report);
    lack = shortage_in(said, kWho, limits);
    if (lack.empty()) lack = "A run could not continue: " + said.substr(0, said.find('\n'));
  } else if (outcome.state == State::died && outcome.text.starts_with(kSignal)) {
    Job ended;
    ended.signal = std::atoi(outcome.text.c_str() + kSignal.size());
    ended.starved = job.starved && ended.signal == SIGKILL;
    ended.crowded = job.crowded && ended.signal == SIGKILL;
    lack = shortage(ended, kWho, limits);
  }
  if (lack.empty()) return;
  outcome.state = State::lacking;
  outcome.text = std::move(lack);
}

}  // namespace

std::filesystem::path report_of(const std::filesystem::path& folder, Flavour flavour, std::size_t position) {
  return folder / (flavour_name(flavour) + ".report" + std::to_string(position));
}

Execution execute(const Cases& cases, const std::vector<std::size_t>& numbers, Flavour flavour,
                  const std::filesystem::path& program, const std::filesystem::path& folder, const HostOptions& options,
                  const JobLimits& limits) {
  const std::string name = flavour_name(flavour), events = (folder / (name + ".events")).string();
  const PlanFiles files{folder / kInputsFile, folder / (name + ".plan"), folder / (name + ".results"),
                        folder / (name + ".report")};
  write_plan(cases, numbers, files, options.limit);
  const std::size_t parts = std::clamp<std::size_t>(numbers.size(), 1, static_cast<std::size_t>(limits.at_once));
  std::vector<Job> jobs = jobs_of(program, files.plan, events, parts);
  if (options.progress)
    options.progress(flavour == Flavour::memory ? "running" : "checking for races", 0, numbers.size());
  run_jobs(jobs, limits);

  Execution execution;
  execution.outcomes.resize(numbers.size());
  const std::vector<std::size_t> sizes = bytes_of_outputs(cases, numbers);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::string number = std::to_string(part);
    read_events(events + number, files.results.string() + number, sizes, execution.outcomes);
  }
  std::vector<std::size_t> missing(parts, 0);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    CaseOutcome& outcome = execution.outcomes[i];
    const std::size_t part = static_cast<std::size_t>(cases.cases[numbers[i]].variant) % parts;
    tell_lack(outcome, jobs[part], report_of(folder, flavour, i), limits);
    if (!outcome.was_run() && outcome.state != State::left) ++missing[part];
  }
  for (std::size_t part = 0; part < parts; ++part) {
    if (!jobs[part].done || jobs[part].ok) continue;
    execution.lost.push_back(fmt::format("{} {} lost: {}", missing[part], missing[part] == 1 ? "run was" : "runs were",
                                         why_program_failed(jobs[part], limits)));
  }
  return execution;
}

}  // namespace tuner::host
