// `tuner check` on a GPU: what it found, as text or JSON.
#include <fmt/format.h>

#include <optional>

#include "tuner/cli/check/check_request.hpp"
#include "tuner/cli/given/compiler_option.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/terminal/json_list.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/cli/terminal/progress_line.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/engine/workplace/device_check.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const engine::DeviceCheck::Finding& failed) {
  return {{"class", to_string(failed.outcome)},
          {"message", failed.message},
          {"configuration", failed.configuration},
          {"problem", failed.problem},
          {"configurations", failed.configurations}};
}

ExitCode report(const CheckRequest& request, engine::DeviceCheck& check, bool interrupted) {
  const DeviceInfo& device = check.device();
  if (request.json) {
    print_json({{"format", 1},
                {"kernel", request.description->kernel},
                {"file", request.description->file.string()},
                {"host", false},
                {"device", device.name},
                {"problems", check.problems()},
                {"cases", check.checked()},
                {"findings", json_list(check.findings(), to_json)},
                {"notes", check.notes()},
                {"interrupted", interrupted}});
  } else {
    std::string text = fmt::format("{} on {}: {} runs (configurations x problems)\n", request.description->kernel,
                                   device.name, check.checked());
    text += labelled("Problems: ", fmt::format("{}", fmt::join(check.problems(), "; ")));
    text += check.findings().empty() ? "\nNo findings.\n" : "\nFindings:\n";
    for (const engine::DeviceCheck::Finding& failed : check.findings()) {
      text += fmt::format("{}: {}\n    {} times; first {} on {}\n", to_string(failed.outcome), failed.message,
                          failed.configurations, failed.configuration, failed.problem);
    }
    for (const std::string& note : check.notes()) text += note + '\n';
    text += "\n`tuner check --host` looks for races, and reports the lines responsible.\n";
    print(text);
  }
  if (interrupted) return ExitCode::interrupted;
  return check.findings().empty() ? ExitCode::done : ExitCode::no_result;
}

}  // namespace

ExitCode check_on_gpu(const CheckRequest& request, const std::atomic<bool>& stop) {
  ProgressLine line;
  std::optional<engine::DeviceCheck> check;
  try {
    check.emplace(engine::DeviceCheck::Options{.kernel = request.description,
                                               .device = request.device,
                                               .compile = {.workers = request.workers,
                                                           .timeout = compile_timeout(request.recorded),
                                                           .memory = request.compile_memory,
                                                           .include_folders = request.include_folders},
                                               .recorded = request.recorded,
                                               .seed = request.seed},
                  stop, line.counting("compiling"), line.counting("running"));
    check->device();
  } catch (const Error& error) {
    if (stop) return ExitCode::interrupted;
    throw Error(error.code(),
                fmt::format("{} Without a GPU, `tuner check --host` runs the kernel on the CPU.", error.what()));
  }
  try {
    const std::vector<ProblemValues> defaults{{}};
    for (const ProblemValues& problem : request.problems.empty() ? defaults : request.problems) {
      check->run(problem, [&] { return picked_configurations(request, problem, check->device()); });
    }
  } catch (const Error&) {
    if (!stop) throw;
  }
  line.erase();
  return report(request, *check, stop);
}

}  // namespace tuner::cli
