// How long the constrained space of a definition takes to be ready, what it holds, and what a configuration costs.
//
//   bench_construction [FILE]...
//
// Without files: those of $TUNER_SPACES_DIR/definitions, which look like
//   {"cartesian": .., "valid": .., "parameters": {"NAME": [..]}, "constraints": [".."]}
// Bytes are what `new` has handed out: held by the space with its own copy of the description, and at most while it is
// made. Exits with 1 if a count is not the one recorded.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench/search/definition.hpp"
#include "search/space/space.hpp"
#include "search/strategy/prng.hpp"

namespace {

std::size_t g_held = 0;  // the program has one thread
std::size_t g_most = 0;

}  // namespace

void* operator new(std::size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  g_held += malloc_usable_size(memory);
  g_most = std::max(g_most, g_held);
  return memory;
}
void operator delete(void* memory) noexcept {
  g_held -= malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

namespace {

using namespace tuner::search;
using Clock = std::chrono::steady_clock;

using tuner::bench::Definition;
using tuner::bench::read_definition;

/// Five groups of three parameters, of ten values each, declared in turns: 10^15 combinations.
Definition synthetic() {
  Definition result;
  result.name = "five groups";
  for (int of = 0; of < 3; ++of) {
    for (int group = 0; group < 5; ++group) {
      Parameter parameter{fmt::format("{}{}", "abc"[of], group), {}, 1};
      for (int value = 1; value <= 10; ++value) parameter.values.emplace_back(value);
      result.parameters.push_back(std::move(parameter));
    }
  }
  for (int group = 0; group < 5; ++group) {
    result.constraints.push_back({Expression::parse(fmt::format("a{0} * b{0} % c{0} == 0", group)), "synthetic"});
  }
  return result;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

/// The median over short stretches, so that other work on the machine does not count.
template <typename Work>
double nanoseconds_each(std::size_t count, Work work) {
  constexpr std::size_t kStretch = 500;
  std::vector<double> stretches;
  for (std::size_t i = 0; i + kStretch <= count;) {
    const Clock::time_point start = Clock::now();
    for (const std::size_t end = i + kStretch; i < end; ++i) work(i);
    stretches.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count() / kStretch);
  }
  return median(std::move(stretches));
}

/// Prints one line. False if the count is not the recorded one.
bool measure(const Definition& definition) {
  constexpr int kRepeats = 15;
  constexpr std::size_t kDraws = 200000;
  std::vector<double> milliseconds;
  std::size_t held = 0, most = 0;
  std::optional<Space> space;
  for (int i = 0; i < kRepeats; ++i) {
    space.reset();
    const std::size_t before = g_most = g_held;
    const Clock::time_point start = Clock::now();
    space.emplace(definition.parameters, definition.constraints, Scope());
    milliseconds.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    held = g_held - before;
    most = g_most - before;
  }
  const std::uint64_t size = space->size();
  Prng prng(1);
  std::vector<std::uint64_t> indices;
  std::vector<Configuration> configurations;
  for (std::size_t i = 0; i < kDraws && size > 0; ++i) {
    indices.push_back(prng.below(size));
    configurations.push_back(space->at(indices.back()));
  }
  std::uint64_t sum = 0;
  const double at = nanoseconds_each(indices.size(), [&](std::size_t i) {
    for (const std::uint32_t choice : space->at(indices[i]).choice) sum += choice;
  });
  const double index_of =
      nanoseconds_each(configurations.size(), [&](std::size_t i) { sum += *space->index_of(configurations[i]); });
  std::vector<double> terms(space->terms());
  const double each_terms =
      nanoseconds_each(configurations.size(), [&](std::size_t i) { space->terms(configurations[i], terms); });
  const double neighbours = nanoseconds_each(std::min<std::size_t>(configurations.size(), 20000), [&](std::size_t i) {
    sum += space->neighbours(configurations[i], Neighbourhood::hamming1).size();
  });
  const bool right = !definition.valid || *definition.valid == size;
  fmt::print("| {} | {:.0f} | {} | {:.2f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.1f} |{}\n", definition.name,
             space->cartesian_size(), size, median(milliseconds), static_cast<double>(held) / 1e3,
             static_cast<double>(most) / 1e3, at, index_of, each_terms, neighbours / 1e3,
             right ? "" : fmt::format(" recorded: {}", *definition.valid));
  std::fflush(stdout);
  volatile std::uint64_t used = sum;
  static_cast<void>(used);
  return right;
}

std::string machine() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "an unknown processor";
}

std::vector<Definition> definitions(int argc, char** argv) {
  std::vector<Definition> result;
  for (int i = 1; i < argc; ++i) result.push_back(read_definition(argv[i]));
  const char* const folder = std::getenv("TUNER_SPACES_DIR");
  if (argc > 1 || folder == nullptr) return result;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(folder) / "definitions")) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) result.push_back(read_definition(file));
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    bool right = true;
    fmt::print("{}, {} threads\n\n", machine(), std::thread::hardware_concurrency());
    fmt::print(
        "| space | combinations | valid | ms | kB held | kB at most | at ns | index_of ns | terms ns | Hamming 1 us "
        "|\n");
    fmt::print("|---|---|---|---|---|---|---|---|---|---|\n");
    for (const Definition& definition : definitions(argc, argv)) right &= measure(definition);
    right &= measure(synthetic());
    return right ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
