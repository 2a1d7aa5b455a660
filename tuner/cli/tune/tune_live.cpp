#include <fmt/format.h>

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
#include "tuner/core/description/padding.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/engine/sizes/together.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

void tune_live(const TuneRequest& request, const TuneContext& context) {
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
