#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "search/strategy/strategy.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/simulate/simulate_report.hpp"
#include "tuner/cli/simulate/simulate_request.hpp"
#include "tuner/cli/simulate/simulate_runs.hpp"
#include "tuner/cli/simulate/simulate_space.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/interrupts.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/error.hpp"
#include "tuner/process/usable_cores.hpp"

namespace tuner::cli {

namespace {

constexpr std::size_t kMostRecordings = 4096;
constexpr std::uint64_t kMostRepeats = 100'000;
constexpr std::uint64_t kMostEvaluations = 100'000;
constexpr std::uint64_t kMostThreads = 1024;

PromisingRows read_promising(std::string text) {
  PromisingRows result;
  result.worst = text.ends_with(":worst");
  if (result.worst || text.ends_with(":best")) text.erase(text.rfind(':'));
  result.file = text;
  return result;
}

SimulateRequest read_simulate_request(const Arguments& arguments) {
  SimulateRequest request;
  for (const std::string& file : arguments.operands()) request.files.emplace_back(file);
  if (request.files.empty()) {
    throw Error(Errc::bad_usage,
                with_shipped_kernels("`tuner simulate` needs a recorded space, for example `tuner simulate "
                                     "kernel_sources/recordings/prefetch__H200.csv`; `tuner tune --record FILE` "
                                     "writes one."));
  }
  request.strategies = arguments.listed("strategy");
  for (const std::string& strategy : request.strategies) search::require_strategy(strategy);
  if (request.strategies.empty()) request.strategies.emplace_back("auto");
  request.repeats = arguments.number("repeats", 1, kMostRepeats).value_or(request.repeats);
  request.budget = arguments.number("budget", 1, kMostEvaluations).value_or(request.budget);
  request.batch = arguments.number("batch", 1, kMostEvaluations).value_or(request.batch);
  request.workers = arguments.number("workers", 1, kMostThreads).value_or(usable_cores());
  request.seed = arguments.number("seed").value_or(request.seed);
  if (arguments.choice("cost", {"evaluations", "seconds"}) == "seconds") request.cost = SimulatedCost::seconds;
  if (arguments.has("noise")) request.noise = search::Noise::recorded;
  request.permute = arguments.has("permute");
  if (const auto promising = arguments.value("promising")) request.promising = read_promising(*promising);
  if (const auto count = arguments.number("promising-count", 1, kMostEvaluations)) {
    if (!request.promising) {
      throw Error(Errc::bad_usage,
                  "--promising-count is the number of rows of a recording: name the recording with --promising.");
    }
    request.promising->count = *count;
  }
  return request;
}

/// "simulated 340 of 1,000 runs" on a terminal, redrawn a few times a second, gone in the end.
class RunCounter {
 public:
  ~RunCounter() {
    if (drawn_) std::fputs("\r\x1b[K", stderr);
    note_progress_line(false);
  }
  void draw(std::size_t done, std::size_t all) {
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || now - drawn_at_ < std::chrono::milliseconds(200)) return;
    drawn_at_ = now;
    drawn_ = true;
    std::fputs(fmt::format("\r\x1b[Ksimulated {} of {} runs", done, all).c_str(), stderr);
    std::fflush(stderr);
    note_progress_line(true);
  }

 private:
  const bool terminal_ = isatty(STDERR_FILENO) == 1;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point drawn_at_;
};

ExitCode run_simulate(const Arguments& arguments) {
  const SimulateRequest request = read_simulate_request(arguments);
  std::vector<SimulatedSpace> spaces;
  for (const std::filesystem::path& file : request.files) spaces.push_back(load_space(file, request));
  const Interrupts interrupts;
  std::vector<StrategyScores> scores;
  {
    RunCounter counter;
    scores = run_simulations(request, spaces, interrupts.flag(),
                             [&](std::size_t done, std::size_t all) { counter.draw(done, all); });
  }
  if (scores.empty()) {
    say("Interrupted before all runs had finished, so there is no score.");
    return ExitCode::interrupted;
  }
  if (arguments.has("json")) {
    print_json(simulation_json(request, spaces, scores));
  } else {
    print(simulation_text(request, spaces, scores));
  }
  return ExitCode::done;
}

}  // namespace

Command simulate_command() {
  using Kind = Option::Kind;
  return {
      .name = "simulate",
      .synopsis = "tuner simulate RECORDING... [options]",
      .summary = "score search strategies on recorded spaces, without a GPU",
      .purpose =
          "Runs strategies many times with different seeds on fully recorded spaces, and compares what they\n"
          "find with the optimum and with random search.",
      .options =
          {
              {"strategy", Kind::repeatable, "NAME,...",
               fmt::format("what to score: {}; repeatable; default auto", fmt::join(search::strategy_names(), ", "))},
              {"repeats", Kind::value, "N", "runs of each strategy on each recording; default 20"},
              {"budget", Kind::value, "N", "evaluations in a run, or units of time with --cost seconds; default 200"},
              {"batch", Kind::value, "N",
               "ask for N configurations at a time, and report their times after the last; default 1"},
              {"cost", Kind::value, "evaluations|seconds",
               "cost of a run: its configurations, or the recorded time of compiling, checking and timing them; a unit "
               "is the mean cost of a configuration; default evaluations"},
              {"noise", Kind::flag, "", "disturb the times by their recorded noise"},
              {"promising", Kind::value, "FILE[:best|:worst]",
               "give strategies the best (default) or the worst rows of a recording in advance"},
              {"promising-count", Kind::value, "N", "number of these rows; default 5"},
              {"permute", Kind::flag, "",
               "rename the parameters and change their order, which should not affect scores"},
              {"seed", Kind::value, "N", "seed of all runs; the same seed gives the same scores; default 0"},
              {"workers", Kind::value, "N", "threads; scores do not depend on it; default: one for each usable core"},
          },
      .most_operands = kMostRecordings,
      .operands = {"FILE"},
      .examples = {{"tuner simulate kernel_sources/recordings/prefetch__H200.csv --strategy random,model",
                    "compare two strategies on the recording that comes with the kernels"},
                   {"tuner simulate spaces/*.csv.gz --repeats 100 --json",
                    "score the default strategy on many recordings, with curves and standard errors"}},
      .exit_codes = {ExitCode::interrupted},
      .run = run_simulate,
  };
}

}  // namespace tuner::cli
