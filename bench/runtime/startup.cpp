// From the construction of a Runtime to the first launch, in new processes, with a database of 1,000 decisions and
// 10,000 trials to which another process commits four times a second. In between, as many processes that start for a
// near size, and as many that load the same binary with the driver alone. Against another build of this program, its
// processes start in turns with these, with copies of the same files: a host's speed changes from second to second.
//
//   bench_runtime_startup [--against PROGRAM] PROCESSES KERNEL_FILE PROBLEM WHERE...
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/engine/stored_rows.hpp"
#include "bench/engine/tuner_program.hpp"
#include "bench/program.hpp"
#include "bench/runtime/application.hpp"
#include "bench/runtime/child.hpp"
#include "bench/runtime/database.hpp"
#include "bench/runtime/figures.hpp"

namespace {

using namespace tuner;
using Clock = std::chrono::steady_clock;

double microseconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::micro>(to - from).count();
}

struct Start {
  Rung rung = Rung::unrunnable;
  std::string why;
  std::array<double, 5> parts{};  ///< microseconds, as kParts
};
constexpr std::array kParts{"all", "construct", "describe", "request", "launch"};

Start start(const char* folder, const char* file, const std::vector<ProblemValue>& problem,
            const bench::Arguments& arguments, CUstream stream) {
  const auto start = Clock::now();
  Runtime runtime({.database = folder});
  const auto constructed = Clock::now();
  const Kernel kernel = runtime.kernel(Description::from_file(file));
  const auto described = Clock::now();
  const Instance& instance = kernel.request(problem);
  const auto requested = Clock::now();
  const LaunchStatus launched = arguments.launch(instance, stream);
  const auto end = Clock::now();

  bench::require(launched);
  bench::drain(stream);
  return {instance.rung(),
          instance.provenance().why,
          {microseconds(start, end), microseconds(start, constructed), microseconds(constructed, described),
           microseconds(described, requested), microseconds(requested, end)}};
}

/// Arguments: folder, kernel file, problem, arguments. Prints the microseconds of each part, and then those of a second
/// Runtime in the same process, which finds all code and files in memory. `wanted`: the rung, if only one will do.
void start_with_library(const char* folder, const char* file, const char* problem, const char* arguments_text,
                        std::optional<Rung> wanted) {
  bench::use_primary_context();
  const CUstream stream = bench::make_stream();
  const bench::Arguments arguments(arguments_text);
  const std::vector<ProblemValue> values = bench::problem_values(problem);
  const Start first = start(folder, file, values, arguments, stream);
  const Start second = start(folder, file, values, arguments, stream);
  for (const double part : first.parts) fmt::print("{} ", part);
  fmt::print("{}\n", second.parts[0]);
  if (wanted && first.rung != *wanted) throw std::runtime_error("no exact hit: " + first.why);
}

/// Arguments: file of the binary, symbol, launch, arguments. Prints microseconds.
void start_bare(const char* file, const char* symbol, const char* launch, const char* arguments_text) {
  bench::use_primary_context();
  const CUstream stream = bench::make_stream();
  bench::Arguments arguments(arguments_text);
  std::ifstream in(file, std::ios::binary);
  const std::vector<char> cubin(std::istreambuf_iterator<char>(in), {});

  const auto start = Clock::now();
  const bench::BareKernel kernel = bench::load_kernel(std::as_bytes(std::span(cubin)), symbol, launch);
  const CUresult launched = kernel.launch(stream, arguments.bare());
  const auto end = Clock::now();
  bench::require(launched, "cuLaunchKernel");
  bench::drain(stream);
  fmt::print("{}\n", microseconds(start, end));
}

/// "rows=528,row_length=65536" with 527 rows.
std::string one_less(std::string problem) {
  const std::size_t begin = problem.find('=') + 1;
  const std::size_t end = std::min(problem.find(',', begin), problem.size());
  return problem.replace(begin, end - begin, std::to_string(std::stoll(problem.substr(begin, end - begin)) - 1));
}

/// A build of this program, a database that it starts from, and what its starts took.
struct Build {
  std::string program;
  std::string folder;
  std::map<std::string, std::vector<double>> times = {};  ///< microseconds, as kParts, and "second" and "near"

  void start(const char* file, const bench::ApplicationText& exact, const bench::ApplicationText& near) {
    bench::Child child({"library", folder, file, exact.problem, exact.arguments}, program);
    const std::vector<std::string> words = bench::words(child.finish());
    for (std::size_t part = 0; part < kParts.size(); ++part) times[kParts[part]].push_back(std::stod(words.at(part)));
    times["second"].push_back(std::stod(words.at(kParts.size())));
    bench::Child child_near({"near", folder, file, near.problem, near.arguments}, program);
    times["near"].push_back(std::stod(bench::words(child_near.finish()).at(0)));
  }
  double median(const std::string& part) const { return bench::quantile(times.at(part), 0.5) / 1000; }
};

void print_parts(const std::string& whose, const std::map<std::string, std::vector<double>>& times) {
  for (const auto& [part, values] : times) {
    fmt::print("{:>10} {:>10}: median {:7.0f} µs, p99 {:7.0f} µs, least {:7.0f} µs, most {:7.0f} µs\n", whose, part,
               bench::quantile(values, 0.5), bench::quantile(values, 0.99), bench::quantile(values, 0),
               bench::quantile(values, 1));
  }
}

/// A row for gpu_against.sh.
void print_against(const std::string& title, double other, double own) {
  fmt::print("against| {}, ms | {:.3f} | {:.3f} |\n", title, other, own);
}

void measure(const std::string& against, int processes, const char* file, const char* problem,
             const std::vector<std::string>& where) {
  namespace fs = std::filesystem;
  const bench::ScratchFolder scratch, other_scratch;
  const cache::Decision decision = bench::tune_offline(scratch.path(), file, problem, where);
  const cache::Binary binary = bench::binary_of(scratch.path(), decision);
  const std::string cubin = (scratch.path() / "winner.cubin").string();
  std::ofstream(cubin, std::ios::binary)
      .write(reinterpret_cast<const char*>(binary.bytes.data()), static_cast<std::streamsize>(binary.bytes.size()));
  bench::fill_database(scratch.path(), 1000, 10000);
  const bench::Seen seen = bench::look_at(scratch.path());
  const bench::ApplicationText text = bench::describe_application(file, problem);
  const bench::ApplicationText near_text = bench::describe_application(file, one_less(problem));
  fmt::print("{} decisions, {} trials, {} bytes of database, {} bytes of binary; winner {}\n", seen.decisions,
             seen.trials, fs::file_size(scratch.path() / "decisions.db"), binary.bytes.size(), decision.configuration);

  Build own{"/proc/self/exe", scratch.path().string()};
  Build other{against, other_scratch.path().string()};
  std::optional<bench::Child> other_writer;
  if (!against.empty()) {
    for (const char* const name : {"decisions.db", "binaries.db"})
      fs::copy_file(scratch.path() / name, other_scratch.path() / name);
    other_writer.emplace(std::vector<std::string>{"writer", other.folder});
  }
  const bench::Child writer({"writer", own.folder});
  std::vector<double> bare;
  for (int i = 0; i < processes; ++i) {
    bench::Child child({"bare", cubin, binary.kernel, decision.launch, text.arguments});
    bare.push_back(std::stod(child.finish()));
    if (other_writer && i % 2 == 0) other.start(file, text, near_text);
    own.start(file, text, near_text);
    if (other_writer && i % 2 == 1) other.start(file, text, near_text);
  }
  print_parts("", own.times);
  print_parts("", {{"bare", bare}});
  const std::string title = fmt::format("Runtime to first launch, {} new processes", processes);
  if (other_writer) {
    print_parts("other", other.times);
    print_against(title + ", median", other.median("all"), own.median("all"));
    print_against("the same for a near size", other.median("near"), own.median("near"));
  }
  bench::print_figure(title + ", median", own.median("all"), "ms", {.at_most = 1});
  bench::print_figure(title + ", median against the aim", own.median("all"), "ms", {.at_most = 0.4});
  bench::print_figure(title + ", p99", bench::quantile(own.times["all"], 0.99) / 1000, "ms");
  bench::print_figure("the same for a near size, median", own.median("near"), "ms");
  bench::print_figure("the same binary with the driver alone, median", bench::quantile(bare, 0.5) / 1000, "ms");
  bench::print_figure("the same binary with the driver alone, p99", bench::quantile(bare, 0.99) / 1000, "ms");
}

int run(int argc, char** argv) {
  const std::string role = argc > 1 ? argv[1] : "";
  const bool is_against = role == "--against" && argc >= 6;
  const std::string against = is_against ? argv[2] : "";
  if (is_against) {
    argv += 2;
    argc -= 2;
  }
  if (role == "writer" && argc == 3) bench::write_forever(argv[2], 250, 20);
  if (role == "library" && argc == 6) {
    start_with_library(argv[2], argv[3], argv[4], argv[5], Rung::exact);
  } else if (role == "near" && argc == 6) {
    start_with_library(argv[2], argv[3], argv[4], argv[5], std::nullopt);
  } else if (role == "bare" && argc == 6) {
    start_bare(argv[2], argv[3], argv[4], argv[5]);
  } else if (argc >= 4) {
    bench::forget_settings();
    measure(against, std::atoi(argv[1]), argv[2], argv[3], {argv + 4, argv + argc});
  } else {
    throw std::runtime_error("usage: bench_runtime_startup [--against PROGRAM] PROCESSES KERNEL_FILE PROBLEM WHERE...");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_runtime_startup", [&] { return run(argc, argv); });
}
