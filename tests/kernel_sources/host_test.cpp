// Runs a shipped kernel on the CPU and compares it with its reference:
//   kernel_sources_host_test KERNEL pairs|all
// Fails with every finding, and with everything that could not be checked.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "tests/kernel_sources/case_picks.hpp"
#include "tests/kernel_sources/reference.hpp"
#include "tests/support/length.hpp"
#include "tuner/core/description/kernel_text.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/process/usable_cores.hpp"

namespace {

using namespace tuner;
using namespace tuner::host;

const std::filesystem::path kRoot = TUNER_SOURCE_FOLDER;

/// Of all sources the one that describes the kernel.
KernelDescription find_kernel(const std::string& name) {
  for (const auto& entry : std::filesystem::directory_iterator(kRoot / "kernel_sources")) {
    if (entry.path().extension() != ".cu") continue;
    for (KernelDescription& description : parse_descriptions(read_kernel_file(entry.path()), entry.path())) {
      if (description.kernel == name) return std::move(description);
    }
  }
  throw std::runtime_error("No file in kernel_sources describes " + name);
}

std::vector<std::vector<std::byte>> expected(Reference reference, const Task& task,
                                             const std::vector<BoundArgument>& arguments,
                                             const std::vector<std::vector<std::byte>>& contents) {
  ReferenceRun run;
  for (const auto& [name, value] : task.problem()) {
    if (value.is_name())
      run.types[name] = value.as_name();
    else
      run.sizes[name] = value.is_real() ? static_cast<std::int64_t>(value.as_real()) : value.as_integer();
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const BoundArgument& argument = arguments[i];
    if (argument.role == Argument::Role::scalar || argument.role == Argument::Role::scratch) continue;
    run.arrays[argument.name] = contents[i];
    run.arrays[argument.name].resize(argument.length * static_cast<std::size_t>(argument.lanes) *
                                     size_of(argument.type));
  }
  reference(run);
  std::vector<std::vector<std::byte>> outputs;
  for (const BoundArgument& argument : arguments) {
    if (argument.role == Argument::Role::out || argument.role == Argument::Role::inout)
      outputs.push_back(run.arrays[argument.name]);
  }
  return outputs;
}

/// Where tests are brief, two that accept the configuration, in turns.
void keep_some_problems(std::vector<Pick>& picks, const std::shared_ptr<const KernelDescription>& description,
                        const DeviceInfo& device) {
  std::map<std::string, Task> tasks;
  for (std::size_t i = 0; i < picks.size(); ++i) {
    std::vector<ProblemValues>& problems = picks[i].problems;
    const std::size_t kept = test::length(2, problems.size());
    if (problems.size() <= kept) continue;
    std::vector<ProblemValues> accepting;
    for (const ProblemValues& problem : problems) {
      const Task& task = tasks.try_emplace(problem_text(problem), description, problem, device).first->second;
      if (task.accepts(task.space().parse(picks[i].configuration))) accepting.push_back(problem);
    }
    if (accepting.size() <= kept) continue;
    problems.clear();
    for (std::size_t k = 0; k < kept; ++k) problems.push_back(accepting[(kept * i + k) % accepting.size()]);
  }
}

int run(const std::string& kernel, bool whole_space) {
  const auto reference = references().find(kernel);
  if (reference == references().end()) throw std::runtime_error("tests/kernel_sources has no reference for " + kernel);
  const auto description = std::make_shared<const KernelDescription>(find_kernel(kernel));
  const DeviceInfo device = known_device("H200");
  const CaseList list = read_case_list(kRoot / "tests/kernel_sources" / (kernel + ".cases"));
  std::vector<Pick> picks = picks_of(description, list, device, whole_space);
  if (!whole_space) picks.resize(std::min(picks.size(), test::length(8, picks.size())));
  // Not one of the configurations that documents speak of stays untried because another has the same pairs.
  for (Pick& pick : named_picks(description, list, device, kRoot / "bench/kernels" / (kernel + ".study"))) {
    const bool known = std::any_of(picks.begin(), picks.end(), [&](const Pick& other) {
      return pick.configuration == other.configuration && pick.problems == other.problems;
    });
    if (!known) picks.push_back(std::move(pick));
  }
  if (!whole_space) keep_some_problems(picks, description, device);
  HostOptions options;
  options.device = device;
  options.jobs = usable_cores();
  options.most_for_races = whole_space ? 1000000 : 40;
  options.expected = [&](const Task& task, const auto& arguments, const auto& contents) {
    return expected(reference->second, task, arguments, contents);
  };
  // A program of thousands of configurations would take hours to link.
  HostResult total;
  std::size_t asked = 0;  // a configuration that stands in several lines of constants is counted once, as in the result
  constexpr std::size_t kAtOnce = 240;
  int failures = 0;
  for (std::size_t from = 0; from < picks.size(); from += kAtOnce) {
    const std::vector<Pick> part(picks.begin() + static_cast<std::ptrdiff_t>(from),
                                 picks.begin() + static_cast<std::ptrdiff_t>(std::min(picks.size(), from + kAtOnce)));
    std::set<std::string> texts;
    for (const Pick& pick : part) texts.insert(pick.configuration);
    asked += texts.size();
    const HostResult result = check_on_host(description, part, options);
    for (const Finding& finding : result.findings) {
      ++failures;
      std::printf("%s %s %s: %s\n    %zu configurations, first: %s on %s\n", finding.place.text().c_str(),
                  finding.other.text().c_str(), std::string(to_string(finding.kind)).c_str(), finding.sentence.c_str(),
                  finding.configurations, finding.configuration.c_str(), finding.problem.c_str());
    }
    for (const Unchecked& unchecked : result.unchecked) {
      ++failures;
      std::printf("not checked: %s %s (%s)\n", unchecked.place.text().c_str(), unchecked.sentence.c_str(),
                  unchecked.configuration.c_str());
    }
    total.configurations += result.configurations;
    total.cases += result.cases;
    total.raced += result.raced;
    total.compile_s += result.compile_s;
    total.run_s += result.run_s;
  }
  std::printf("%s: %zu configurations, %zu cases, %zu checked for races; compiled in %.1f s, run in %.1f s\n",
              kernel.c_str(), total.configurations, total.cases, total.raced, total.compile_s, total.run_s);
  if (total.configurations < asked) {
    std::printf("%zu configurations did not run\n", asked - total.configurations);
    ++failures;
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) throw std::runtime_error("usage: kernel_sources_host_test KERNEL pairs|all");
  return run(arguments[1], std::string(arguments[2]) == "all");
} catch (const std::exception& error) {
  std::fprintf(stderr, "kernel_sources_host_test: %s\n", error.what());
  return 1;
}
