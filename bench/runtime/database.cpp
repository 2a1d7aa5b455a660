#include "bench/runtime/database.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "bench/engine/tuner_program.hpp"
#include "cache/store/sqlite_store.hpp"

namespace tuner::bench {

namespace {

/// Every fourth is the same kernel for another problem, and every fifth was measured on another GPU.
cache::DecisionKey other_key(cache::DecisionKey key, std::size_t i) {
  if (i % 4 != 0) {
    key.kernel_name = fmt::format("kernel_{}", i % 40);
    key.kernel_identity = fmt::format("{}:{:032x}", key.kernel_name, 0x9e3779b97f4a7c15ull * (i % 40 + 1));
  }
  if (i % 5 == 0) key.device += fmt::format(" number {}", i % 3);
  const std::size_t digit = key.problem.find_first_of("0123456789");
  key.problem.insert(digit == std::string::npos ? key.problem.size() : digit, std::to_string(i + 1));
  return key;
}

}  // namespace

cache::Decision only_decision(const std::filesystem::path& folder) {
  std::vector<cache::Decision> decisions =
      cache::SqliteStore::open({.path = folder / "decisions.db"})->list_decisions({});
  if (decisions.size() != 1)
    throw std::runtime_error(fmt::format("{} decisions where one was expected", decisions.size()));
  return std::move(decisions.front());
}

cache::Decision tune_offline(const std::filesystem::path& folder, const std::filesystem::path& kernel_file,
                             const std::string& problem, const std::vector<std::string>& where) {
  std::vector<std::string> arguments{kernel_file.string(), "--problem", problem, "--db", folder.string()};
  for (const std::string& expression : where) arguments.insert(arguments.end(), {"--where", expression});
  tune(folder, arguments);
  return only_decision(folder);
}

cache::Binary binary_of(const std::filesystem::path& folder, const cache::Decision& decision) {
  const auto binaries = cache::BinaryStore::open({.path = folder / "binaries.db"});
  auto binary = binaries->find(decision.binary_hash);
  if (!binary) throw std::runtime_error("the binary of a decision is not stored" + binaries->distrust().value_or(""));
  return std::move(*binary);
}

void fill_database(const std::filesystem::path& folder, std::size_t decisions, std::size_t trials) {
  namespace fs = std::filesystem;
  // In memory, where a thousand transactions take no time.
  const cache::Decision real = only_decision(folder);
  const fs::path file = folder / "decisions.db";
  const fs::path copy = fmt::format("/dev/shm/tuner-bench-{}.db", getpid());
  fs::copy_file(file, copy, fs::copy_options::overwrite_existing);
  {
    const auto store = cache::SqliteStore::open({.path = copy});
    const std::vector<cache::Trial> real_trials = store->find_trials(real.key);
    std::vector<cache::Trial> copies;
    const std::size_t missing = trials - std::min(trials, real_trials.size());
    for (std::size_t i = 1; i < decisions; ++i) {
      cache::Decision decision = real;
      decision.key = other_key(real.key, i);
      decision.session = fmt::format("{}-{}", real.session, i);
      decision.created_unix_ms = 0;
      store->record_decision(decision);
      while (copies.size() < missing * i / (decisions - 1)) {
        cache::Trial& trial = copies.emplace_back(real_trials[copies.size() % real_trials.size()]);
        trial.key = decision.key;
        trial.session = decision.session;
        trial.created_unix_ms = 0;
      }
    }
    store->record_trials(copies);
  }
  fs::copy_file(copy, file, fs::copy_options::overwrite_existing);
  fs::remove(copy);
}

void write_forever(const std::filesystem::path& folder, int interval_ms, std::size_t rows) {
  const auto store = cache::SqliteStore::open({.path = folder / "decisions.db"});
  cache::Trial trial;
  trial.key = {"neighbour", "neighbour:0123456789abcdef0123456789abcdef", "n=1", "some device", "cold"};
  trial.session = "neighbour";
  trial.configuration = "BLOCKDIMX=128";
  trial.time_ns = 1000;
  trial.samples_ns.assign(7, 1000.5);
  for (auto next = std::chrono::steady_clock::now();; next += std::chrono::milliseconds(interval_ms)) {
    std::this_thread::sleep_until(next);
    ++trial.sequence;
    store->record_trials(std::vector<cache::Trial>(rows, trial));
  }
}

}  // namespace tuner::bench
