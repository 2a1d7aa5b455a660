// `tuner check --host`.
#include <fmt/format.h>

#include <optional>

#include "tuner/cli/check/check_request.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/terminal/interrupts.hpp"
#include "tuner/cli/terminal/json_list.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/cli/terminal/progress_line.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/error.hpp"
#include "tuner/host/check.hpp"
#include "tuner/host/problems.hpp"

namespace tuner::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::minutes kDefaultBudget{10};

/// The threads of a block change stacks in assembly (tuner/host/shim/fiber.cpp).
void require_x86() {
#if !defined(__x86_64__)
  throw Error(Errc::no_toolkit,
              "Kernels run on the CPU on x86-64 only, and this is another processor: check the kernel on a GPU (leave "
              "--host out), only compile it (--compile all), or run this on an x86-64 machine.");
#endif
}

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

Json spot_json(const host::SourceSpot& spot) {
  if (spot.line == 0) return nullptr;
  return {{"file", spot.file}, {"line", spot.line}};
}

Json finding_json(const host::Finding& finding) {
  return {{"class", host::to_string(finding.kind)},   {"place", spot_json(finding.place)},
          {"other_place", spot_json(finding.other)},  {"message", finding.sentence},
          {"configuration", finding.configuration},   {"problem", finding.problem},
          {"configurations", finding.configurations}, {"cases", finding.cases}};
}

Json unchecked_json(const host::Unchecked& one) {
  return {{"message", one.sentence},
          {"place", spot_json(one.place)},
          {"configuration", one.configuration.empty() ? Json(nullptr) : Json(one.configuration)},
          {"configurations", one.configurations}};
}

Json to_json(const CheckRequest& request, const std::vector<ProblemValues>& problems, const host::HostResult& result) {
  return {{"format", 1},
          {"kernel", request.description->kernel},
          {"file", request.description->file.string()},
          {"host", true},
          {"compiler", result.compiler},
          {"problems", json_list(problems, problem_text)},
          {"configurations", result.configurations},
          {"cases", result.cases},
          {"configurations_for_races", result.raced},
          {"findings", json_list(result.findings, finding_json)},
          {"unchecked", json_list(result.unchecked, unchecked_json)},
          {"notes", result.notes},
          {"interrupted", result.interrupted},
          {"compile_s", result.compile_s},
          {"run_s", result.run_s}};
}

std::string text_of(const host::Finding& finding, const host::HostResult& result) {
  const std::string place = finding.place.text();
  std::string text =
      fmt::format("{}{}: {}\n", place.empty() ? "" : place + ": ", host::to_string(finding.kind), finding.sentence);
  text += fmt::format("    in {} of {}; first {} on {}\n", finding.configurations,
                      plural(result.configurations, "configuration"),
                      finding.configuration.empty() ? "the only one" : finding.configuration,
                      finding.problem.empty() ? "the only problem" : finding.problem);
  return text;
}

std::string to_text(const CheckRequest& request, const std::vector<ProblemValues>& problems,
                    const host::HostResult& result) {
  std::string text =
      fmt::format("{} on the CPU: {} x {} x 3 thread schedules, {} of the configurations checked for races\n",
                  request.description->kernel, plural(result.configurations, "configuration"),
                  plural(result.problems, "problem"), result.raced);
  text +=
      fmt::format("{} in {:.1f} s, run in {:.1f} s, {}\n", "Compiled", result.compile_s, result.run_s, result.compiler);
  std::string list;
  for (const ProblemValues& problem : problems) list += (list.empty() ? "" : "; ") + problem_text(problem);
  text += labelled(request.problems.empty() ? "Problem sizes chosen by the check: " : "Problems: ",
                   list.empty() ? "the only one" : list);
  if (result.interrupted) text += "Interrupted: the results are incomplete.\n";
  text += '\n';
  if (result.configurations == 0)
    text += "Nothing could be run.\n";
  else
    text += result.findings.empty() ? "No findings.\n" : plural(result.findings.size(), "finding") + ":\n";
  for (const host::Finding& finding : result.findings) text += text_of(finding, result);
  if (!result.notes.empty()) text += '\n';
  for (const std::string& note : result.notes) text += note + '\n';
  if (!result.unchecked.empty()) text += "\nNot checked:\n";
  for (const host::Unchecked& one : result.unchecked) {
    const std::string place = one.place.text();
    text += fmt::format("{}{}\n", place.empty() ? "" : place + ": ", one.sentence);
    if (one.configurations > 0)
      text += fmt::format("    in {}; first {}\n", plural(one.configurations, "configuration"),
                          one.configuration.empty() ? "the only one" : one.configuration);
  }
  return text;
}

}  // namespace

ExitCode check_on_cpu(const CheckRequest& request, const std::atomic<bool>& stop) {
  require_x86();
  const DeviceInfo device = known_device(kPlanDevice);
  std::optional<NothingToKeep> counting(std::in_place);
  std::vector<ProblemValues> problems = request.problems;
  if (const auto known = host::problem_of_files(*request.description); problems.empty() && known)
    problems.push_back(*known);
  const bool may_derive = problems.empty();
  if (may_derive) problems = host::small_problems(request.description, device, request.include_folders);
  // Some configurations are valid for some problems only: what the largest has is picked.
  std::vector<host::Pick> picks;
  for (const std::string& text :
       picked_configurations(request, problems.size() > 1 ? problems[1] : problems.front(), device))
    picks.push_back({text, problems});
  counting.reset();

  ProgressLine line;
  host::HostOptions options;
  options.device = device;
  options.include_folders = request.include_folders;
  options.jobs = request.workers;
  options.small_problems = may_derive;
  options.budget = request.budget.value_or(kDefaultBudget);
  options.seed = request.seed;
  options.stop = &stop;
  options.progress = [&](std::string_view phase, std::size_t done, std::size_t all) { line.count(phase, done, all); };
  std::optional<SomethingToEnd> compilers(std::in_place);
  const host::HostResult result = host::check_on_host(request.description, picks, options);
  compilers.reset();
  line.erase();
  if (request.json)
    print_json(to_json(request, problems, result));
  else
    print(to_text(request, problems, result));
  if (result.interrupted) return ExitCode::interrupted;
  if (!result.findings.empty()) return ExitCode::no_result;
  return result.configurations == 0 ? ExitCode::bad_input : ExitCode::done;
}

}  // namespace tuner::cli
