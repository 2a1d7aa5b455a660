// A worker for tests: the product's queue, rows and local database, and in the place of a GPU a job that takes the
// milliseconds that its problem says, and finds a winner.
//
//     fleet_hand ADDRESS DATABASE [keep]
//
// What it tells goes to standard output, a line a sentence, at once. It works until the queue is empty, or, with
// `keep`, until it is told to stop.
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "cache/exchange/key_rows.hpp"
#include "cache/store/sqlite_store.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/error.hpp"
#include "tuner/fleet/job/row_text.hpp"
#include "tuner/fleet/queue/worker.hpp"

using namespace tuner;

namespace {

std::atomic<bool> told_to_stop{false};

void on_signal(int) {
  told_to_stop = true;
}

/// "ms=300,n=17" → 300.
int milliseconds(const std::string& problem) {
  const std::size_t at = problem.find("ms=");
  return at == std::string::npos ? 0 : std::stoi(problem.substr(at + 3));
}

class SimulatedGpu {
 public:
  explicit SimulatedGpu(const std::string& database) : database_(database) {}

  fleet::Answer tune(const fleet::JobSpec& spec, const std::atomic<bool>& stop) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds(spec.problem));
    while (std::chrono::steady_clock::now() < end) {
      if (stop) return {};
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (spec.problem.find("fails=1") != std::string::npos) return {.reason = "It was meant to fail."};
    const cache::KeyRows rows = store(spec);
    return {.is_done = true, .session = newest_session(rows), .rows = fleet::row_texts(rows)};
  }

 private:
  /// A trial and a decision in the local database, as a session leaves them.
  cache::KeyRows store(const fleet::JobSpec& spec) {
    cache::Trial trial;
    trial.key = {spec.kernel, spec.identity, spec.problem, "simulated", std::string(to_string(spec.timing)), "time"};
    trial.session = spec.problem + " " + std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
    trial.configuration = "BLOCK=128";
    trial.time_ns = 1000;
    trial.samples_ns = {1000, 1001, 999};
    cache::Decision decision;
    static_cast<cache::Run&>(decision) = trial;
    decision.configuration = trial.configuration;
    decision.time_ns = 1000;
    {
      const auto database = cache::SqliteStore::open({.path = database_});
      database->record_trials({&trial, 1});
      database->record_decision(decision);
    }
    return cache::read_key_rows(database_, trial.key);
  }

  std::string database_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) return 2;
  signal(SIGTERM, on_signal);
  SimulatedGpu gpu(argv[2]);
  const fleet::WorkerOptions options{.name = "hand " + std::to_string(getpid()),
                                     .device = "Simulated GPU",
                                     .until_empty = argc < 4,
                                     .poll = std::chrono::milliseconds(200)};
  const auto step = [&](const fleet::Package& package, const std::atomic<bool>& stop) {
    return gpu.tune(package.spec, stop);
  };
  const auto tell = [](const std::string& sentence) {
    std::puts(sentence.c_str());
    std::fflush(stdout);
  };
  fleet::Worker(fleet::Address(argv[1]), options, step, tell).run(told_to_stop);
  return 0;
} catch (const std::exception& error) {
  std::printf("ended: %s\n", error.what());
  return 1;
}
