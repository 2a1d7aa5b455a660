// An application that keeps the GPU busy with its own kernel, while the space of a kernel it asked for is tuned in the
// background: what that costs it, how long it takes, and whether the winner is as good as the one found offline.
//
//   bench_runtime_background SHARE SECONDS KERNEL_FILE PROBLEM WHERE
//
// SHARE is the part of the GPU's time that tuning may take, SECONDS how long the phases before and after are.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/engine/tuner_program.hpp"
#include "bench/program.hpp"
#include "bench/runtime/application.hpp"
#include "bench/runtime/child.hpp"
#include "bench/runtime/database.hpp"
#include "bench/runtime/figures.hpp"
#include "bench/runtime/load.hpp"

namespace {

using namespace tuner;
using Clock = std::chrono::steady_clock;

constexpr double kWindow = 0.5;        // seconds over which throughput is also judged
constexpr double kPatience = 15 * 60;  // seconds

struct Phase {
  bench::Load::Throughput whole;
  std::vector<double> windows;  ///< launches a second
  void add(const bench::Load::Throughput& window) {
    whole = {whole.seconds + window.seconds, whole.launches + window.launches};
    windows.push_back(window.per_second());
  }
};

Phase run_phase(bench::Load& load, double seconds) {
  Phase phase;
  while (phase.whole.seconds < seconds) phase.add(load.run(kWindow));
  return phase;
}

void print_phase(const char* name, const Phase& phase) {
  fmt::print("{:>7}: {:8.1f} launches a second over {:6.1f} s; half-second windows: least {:.1f}, median {:.1f}\n",
             name, phase.whole.per_second(), phase.whole.seconds, bench::quantile(phase.windows, 0),
             bench::quantile(phase.windows, 0.5));
}

/// The application: tunes in the background into `folder`, and prints what that cost it.
void tune_in_background(double share, double seconds, const std::filesystem::path& folder,
                        const std::filesystem::path& file, const bench::ApplicationText& text, CUstream stream) {
  const bench::Arguments arguments(text.arguments);
  const bench::ScratchFolder own_folder;
  Runtime own_runtime({.mode = Mode::off, .database = own_folder.path()});
  const Instance& own = own_runtime.kernel(Description::from_file(file)).request(bench::problem_values(text.problem));
  if (!own.runnable()) throw std::runtime_error(own.provenance().why);
  bench::Load load(stream, [&] { bench::require(arguments.launch(own, stream)); });
  load.run(1);
  const Phase before = run_phase(load, seconds);

  Runtime runtime(
      {.mode = Mode::background, .database = folder, .background_share = share, .observer = [](const Notice& notice) {
         fmt::print("  notice: {}\n", notice.sentence);
       }});
  const Kernel kernel = runtime.kernel(Description::from_file(file));
  const auto asked = Clock::now();
  const Instance& instance = kernel.request(bench::problem_values(text.problem));
  const std::chrono::duration<double, std::milli> answered = Clock::now() - asked;
  fmt::print("  the request took {:.1f} ms: {}, {}\n", answered.count(), to_string(instance.rung()),
             instance.provenance().why);
  Phase during;
  while (!runtime.wait_for_tuning(std::chrono::milliseconds(0)) && during.whole.seconds < kPatience)
    during.add(load.run(kWindow));
  const std::chrono::duration<double> tuned = Clock::now() - asked;
  const Phase after = run_phase(load, seconds);

  print_phase("before", before);
  print_phase("during", during);
  print_phase("after", after);
  const Provenance provenance = instance.provenance();
  const bool swapped = provenance.rung == Rung::exact;
  fmt::print("in use afterwards: {}, {}\n  {}\n", to_string(provenance.rung), provenance.configuration, provenance.why);
  const double normal = before.whole.per_second();
  bench::print_figure("throughput of the application's kernel while tuning, of that before",
                      100 * during.whole.per_second() / normal, "%", {.at_least = 95});
  bench::print_figure("the same, worst half second", 100 * bench::quantile(during.windows, 0) / normal, "%");
  bench::print_figure("throughput after tuning, of that before", 100 * after.whole.per_second() / normal, "%");
  bench::print_figure("background tuning, from the request to the swap", tuned.count(), "s", {.at_most = 600});
  bench::print_figure("winner in use without a restart (1: yes)", swapped ? 1 : 0, "", {.at_least = 1});
}

/// On an idle GPU, each winner from its database.
void compare_winners(const std::filesystem::path& background, const std::filesystem::path& offline,
                     const std::filesystem::path& file, const bench::ApplicationText& text, CUstream stream) {
  const bench::Arguments arguments(text.arguments);
  const auto problem = bench::problem_values(text.problem);
  Runtime ours({.mode = Mode::cache, .database = background}), theirs({.mode = Mode::cache, .database = offline});
  const Instance& found = ours.kernel(Description::from_file(file)).request(problem);
  const Instance& reference = theirs.kernel(Description::from_file(file)).request(problem);
  for (const Instance* instance : {&found, &reference}) {
    const Provenance provenance = instance->provenance();
    fmt::print("{}: {}, {:.2f} µs, {} tied{}\n", instance == &found ? "background" : "offline",
               provenance.configuration, provenance.expected_time ? provenance.expected_time->count() / 1000 : 0,
               provenance.ties.size(), provenance.contended ? ", contended" : "");
    if (provenance.rung != Rung::exact) throw std::runtime_error("no winner is stored: " + provenance.why);
  }
  const bench::Pair times = bench::time_alternately(
      stream, 1000, [&] { bench::require(arguments.launch(found, stream)); },
      [&] { bench::require(arguments.launch(reference, stream)); });
  const double first = bench::quantile(times.first, 0.5), second = bench::quantile(times.second, 0.5);
  fmt::print("medians of 1000 alternating launches, cold L2: background {:.2f} µs, offline {:.2f} µs\n", 1000 * first,
             1000 * second);
  bench::print_figure("background winner over offline winner, idle GPU", first / second, "times", {.at_most = 1.02});
}

void measure(double share, double seconds, const char* kernel, const char* problem, const char* where) {
  const bench::ScratchFolder source, offline, background;
  const std::filesystem::path file = bench::narrow(kernel, where, source.path());
  bench::tune_offline(offline.path(), file, problem);  // before this process has a context
  const bench::ApplicationText text = bench::describe_application(file, problem);
  bench::use_primary_context();
  const CUstream stream = bench::make_stream();
  tune_in_background(share, seconds, background.path(), file, text, stream);
  std::this_thread::sleep_for(std::chrono::seconds(2));  // the engine's processes end
  compare_winners(background.path(), offline.path(), file, text, stream);
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_runtime_background", [&] {
    if (argc != 6) throw std::runtime_error("usage: bench_runtime_background SHARE SECONDS KERNEL_FILE PROBLEM WHERE");
    tuner::bench::forget_settings();
    measure(std::atof(argv[1]), std::atof(argv[2]), argv[3], argv[4], argv[5]);
  });
}
