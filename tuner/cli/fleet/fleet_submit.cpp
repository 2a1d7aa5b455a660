#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/cli/fleet/fleet_actions.hpp"
#include "tuner/cli/fleet/queue_option.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/given/given_problems.hpp"
#include "tuner/cli/given/timing_option.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/description/headers.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/effort.hpp"
#include "tuner/error.hpp"
#include "tuner/fleet/job/package.hpp"
#include "tuner/fleet/queue/queue.hpp"

namespace tuner::cli {

namespace {

/// What one command submits.
struct Submissions {
  std::map<std::string, std::string> contents;  ///< by hash: files that several jobs need are sent once
  std::vector<fleet::Submission> jobs;
};

struct Wishes {
  std::string kernel;
  Timing timing = Timing::cold;
  Effort effort = Effort::normal;
  std::vector<GivenProblem> problems;
  std::vector<std::string> devices;  ///< one that is empty: any
  int priority = 0;
  std::vector<std::filesystem::path> include_folders;
};

Wishes read_wishes(const Arguments& arguments) {
  constexpr std::uint64_t kHighest = 1'000'000;
  Wishes wishes{.kernel = arguments.value("kernel").value_or(""),
                .timing = timing_option(arguments).value_or(Timing::cold),
                .problems = given_problems(arguments),
                .devices = arguments.listed("on"),
                .priority = static_cast<int>(arguments.number("priority", 0, kHighest).value_or(0))};
  if (const auto effort = arguments.choice("effort", {kEfforts.begin(), kEfforts.end()})) {
    wishes.effort = *effort_from_string(*effort);
  }
  if (std::ranges::count(wishes.devices, "") > 0) {
    throw Error(Errc::bad_usage, "--on names no GPU: write a part of its name, such as --on H200, or leave it out.");
  }
  if (wishes.devices.empty()) wishes.devices.emplace_back();
  for (const std::string& folder : arguments.values("I")) wishes.include_folders.emplace_back(folder);
  return wishes;
}

std::vector<KernelDescription> kernels_of(const std::string& file, const std::string& kernel) {
  std::vector<KernelDescription> kernels = load_descriptions(file, warn);
  if (kernel.empty()) return kernels;
  return {choose_description(std::move(kernels), file, kernel, "--kernel")};
}

/// What a worker would refuse on any GPU.
void require_constraints(const KernelDescription& kernel, const GivenProblem& problem) {
  try {
    const Task task(kernel, problem.values, known_device("H200"), {}, {}, search::Listing::when_needed);
  } catch (const Error& error) {
    if (error.code() == Errc::bad_problem) throw;
  }
}

void add_file(const std::string& file, const Wishes& wishes, Submissions& all) {
  for (KernelDescription& kernel : kernels_of(file, wishes.kernel)) {
    if (!wishes.include_folders.empty()) kernel.given_headers = all_headers(kernel, wishes.include_folders);
    fleet::Package package = fleet::pack_job(kernel, wishes.timing, wishes.effort);
    all.contents.merge(package.contents);
    for (const GivenProblem& problem : distinct_problems(kernel, wishes.problems, warn)) {
      require_constraints(kernel, problem);
      package.spec.problem = problem_text(problem.values);
      for (const std::string& device : wishes.devices) {
        all.jobs.push_back({.file = package.spec.source.name,
                            .kernel = kernel.kernel,
                            .problem = package.spec.problem,
                            .device = device,
                            .priority = wishes.priority,
                            .spec = to_json(package.spec)});
      }
    }
  }
}

nlohmann::ordered_json submission_json(std::int64_t number, const fleet::Submission& job) {
  return {{"job", number},
          {"file", job.file},
          {"kernel", job.kernel},
          {"problem", job.problem},
          {"device", job.device.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(job.device)}};
}

}  // namespace

ExitCode fleet_submit(const Arguments& arguments) {
  const std::span<const std::string> files = std::span(arguments.operands()).subspan(1);
  if (files.empty()) {
    throw Error(Errc::bad_usage,
                "`tuner fleet submit` needs a kernel file, for example `tuner fleet submit kernel_sources/prefetch.cu "
                "--problem rows=528,row_length=65536`.");
  }
  const Wishes wishes = read_wishes(arguments);
  Submissions all;
  for (const std::string& file : files) add_file(file, wishes, all);
  std::vector<std::string> contents;
  for (auto& [hash, content] : all.contents) contents.push_back(std::move(content));
  fleet::Queue queue(queue_address(arguments));
  const std::vector<std::int64_t> numbers = queue.submit(arguments.value("team").value_or(""), contents, all.jobs);
  if (arguments.has("json")) {
    nlohmann::ordered_json jobs = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < numbers.size(); ++i) jobs.push_back(submission_json(numbers[i], all.jobs[i]));
    print_json({{"format", 1}, {"jobs", std::move(jobs)}});
    return ExitCode::done;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const fleet::Submission& job = all.jobs[i];
    print(labelled(fmt::format("job {}: ", numbers[i]),
                   fmt::format("{} for {}{}", one_line(job.kernel), one_line(job.problem),
                               job.device.empty() ? "" : fmt::format(" on {}", one_line(job.device)))));
  }
  return ExitCode::done;
}

}  // namespace tuner::cli
