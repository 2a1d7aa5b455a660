#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/cli/given/given_problems.hpp"
#include "tuner/cli/terminal/interrupts.hpp"
#include "tuner/cli/tune/live_sessions.hpp"
#include "tuner/cli/tune/tune_request.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/suggestion.hpp"
#include "tuner/core/description/padding.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/engine/sizes/together.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {
namespace {

/// Conditions by which all parameters but these keep their defaults.
std::vector<std::string> held_but(const std::vector<std::string>& only, const KernelDescription& kernel) {
  std::vector<std::string> names, held;
  for (const auto& [parameter, form, place] : kernel.parameters) {
    names.push_back(parameter.name);
    if (std::ranges::find(only, parameter.name) == only.end())
      held.push_back(fmt::format("{} == {}", parameter.name, parameter.default_value.text()));
  }
  for (const std::string& name : only) {
    if (std::ranges::find(names, name) == names.end())
      throw Error(Errc::bad_usage, fmt::format("--only {}: the kernel has no parameter of this name{}.", one_line(name),
                                               suggestion(name, names)));
  }
  return only.empty() ? std::vector<std::string>() : held;
}

}  // namespace

void tune_live(const TuneRequest& given, const TuneContext& context) {
  TuneRequest request = given;
  using Clock = std::chrono::steady_clock;
  std::optional<NothingToKeep> beginning(std::in_place);
  std::vector<std::string> early;
  const auto warn = [&](const std::string& sentence) {
    context.observer.warning(sentence);
    early.push_back(sentence);
  };
  KernelDescription description =
      request.description ? *request.description : load_description(request.file, request.kernel, warn);
  for (const std::string& pad : request.pads) set_padding(description, pad);
  for (std::string& condition : held_but(request.only, description)) request.where.push_back(std::move(condition));
  const auto kernel = std::make_shared<const KernelDescription>(std::move(description));
  // A mistake here needs no GPU to be seen.
  const std::vector<GivenProblem> problems = distinct_problems(*kernel, request.problems, warn);
  beginning.reset();
  std::optional<engine::RecordingFile> recording;
  if (!request.record.empty()) recording.emplace(request.record, request.replace);

  LiveSessions sessions(request, context, kernel, problems);
  for (const std::string& sentence : early) sessions.warn(sentence);  // it belongs to the first report
  if (!sessions.start()) return;
  if (sessions.gpus() < request.devices.size()) {
    sessions.warn(
        problems.size() == 1
            ? fmt::format("A recording is made on one GPU: of the {} GPUs of --devices, the first is used.",
                          request.devices.size())
            : fmt::format("Each of several problems is tuned on one GPU, and there are fewer problems: of the {} "
                          "GPUs of --devices, the first {} are used.",
                          request.devices.size(), sessions.gpus()));
  }
  engine::Together together{.kernel = *kernel,
                            .problems = problems,
                            .options = request.session,
                            .store = sessions.store(),
                            .keeps_order = request.begin_before.has_value(),
                            .seats = sessions.seats(),
                            .work = sessions.work(),
                            .run = [&](std::size_t problem, const engine::SessionOptions& options,
                                       std::size_t seat) -> std::optional<TuneReport> {
                              if (sessions.has_run() && request.begin_before && Clock::now() >= *request.begin_before)
                                return std::nullopt;
                              std::optional<TuneReport> report = sessions.run(problem, options, seat);
                              if (report && problems.size() == 1) sessions.end(*report);
                              return report;
                            },
                            .deliver =
                                [&](TuneReport report, std::size_t seat) {
                                  if (!recording) return sessions.deliver(std::move(report), seat);
                                  sessions.deliver(report, seat);
                                  if (!context.stop) sessions.write(*recording, report);
                                },
                            .begin = [&](std::size_t seat) { sessions.begin(seat); },
                            .refused = [&] { sessions.refuse(); },
                            .left = [&](std::size_t seat, const Error& error) { sessions.leave(seat, error); }};
  if (context.failed) {
    together.failed = [&](std::size_t problem, const Error& error) {
      const auto silence = sessions.silence();
      context.failed(problems[problem].values, error);
    };
  }
  const bool done = engine::tune_together(together);
  if (done && problems.size() > 1) sessions.learn_sizes(together);
}

}  // namespace tuner::cli
