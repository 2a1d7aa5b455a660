// Many processes write trials and decisions to one database while one of them is killed every second and others look
// decisions up all the time. Prints what was lost (nothing, it must be) and how long a reader ever waited, as markdown.
//
//   bench_store_stress [SECONDS]      60 by default
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/program.hpp"
#include "cache/sqlite/sqlite.hpp"
#include "cache/store/sqlite_store.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

namespace fs = std::filesystem;
using namespace tuner;
using Clock = std::chrono::steady_clock;

constexpr int kWriters = 16, kReaders = 2;
constexpr int kTasks = 4;
constexpr int kMostTrials = 40;     // of one batch: a quarter of a second of a fast session
constexpr int kDecisionEvery = 10;  // batches

/// How long the look-ups of one reader took. Bucket n counts those below 2^n microseconds.
struct Waits {
  std::array<std::atomic<std::uint64_t>, 32> buckets{};
  std::atomic<std::uint64_t> longest_us{0};
  std::atomic<std::uint64_t> count{0};

  void add(std::uint64_t microseconds) {
    ++buckets[static_cast<std::size_t>(std::bit_width(microseconds))];
    ++count;
    if (microseconds > longest_us) longest_us = microseconds;
  }
};

/// What the processes share: anonymous memory that a killed process leaves in order.
struct Board {
  std::atomic<bool> stop{false};
  std::array<Waits, kReaders> waits;
};

cache::DecisionKey key_of(int task) {
  return {"stress", "stress:0123456789abcdef", fmt::format("n={}", task), "NVIDIA H200|cc=9.0|sms=132", "cold", "time"};
}

cache::Trial trial_of(const std::string& session, int task, std::int64_t sequence) {
  cache::Trial trial;
  trial.key = key_of(task);
  trial.reuse_hash = "reuse";
  trial.session = session;
  trial.sequence = sequence;
  trial.configuration = fmt::format("BLOCKDIMX={},STRATEGY=shared_rolling_async,UNROLL=4", sequence);
  trial.samples_ns.assign(9, 90077.5);
  trial.time_ns = 90077.5;
  trial.facts.binary_hash = {"00112233445566778899aabbccddeeff"};
  trial.launch = "grid=528x1x1 block=128x1x1 shared=65536";
  trial.conditions = {"0.1.0", "13.0.88", "580.159"};
  return trial;
}

cache::Decision decision_of(const std::string& session, int task, std::int64_t number) {
  cache::Decision decision;
  decision.key = key_of(task);
  decision.reuse_hash = "reuse";
  decision.session = session;
  decision.configuration = fmt::format("BLOCKDIMX={}", number);
  decision.time_ns = 90077.5;
  decision.ties = {{decision.configuration, 1}, {"BLOCKDIMX=0", 1.004}};
  decision.counters = {{"asked", number}, {"compiled", number}};
  decision.conditions = {"0.1.0", "13.0.88", "580.159"};
  return decision;
}

/// What a writer says it committed: one line a transaction, written after the call returned. A line is written whole or
/// not at all, and it survives the process.
class Notes {
 public:
  explicit Notes(const fs::path& path) : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {}
  ~Notes() { close(file_); }
  void add(const std::string& line) const {
    if (write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::abort();
  }

 private:
  int file_;
};

void write_without_end(const fs::path& folder, int writer, const Board& board) {
  const std::string session = fmt::format("writer-{}", writer);
  const Notes notes(folder / (session + ".notes"));
  const auto store = cache::SqliteStore::open({.path = folder / "decisions.db"});
  std::minstd_rand random(static_cast<unsigned>(writer + 1));
  std::int64_t sequence = 0, decisions = 0;
  for (int round = 1; !board.stop; ++round) {
    const int task = writer % kTasks;
    std::vector<cache::Trial> batch;
    const auto size = 1 + random() % kMostTrials;
    while (batch.size() < size) batch.push_back(trial_of(session, task, sequence++));
    store->record_trials(batch);
    notes.add(fmt::format("trials {}\n", sequence));
    if (round % kDecisionEvery != 0) continue;
    store->record_decision(decision_of(session, task, decisions++));
    notes.add(fmt::format("decisions {}\n", decisions));
  }
}

void look_up_without_end(const fs::path& folder, Waits& waits, const Board& board) {
  const auto store = cache::SqliteStore::open({.path = folder / "decisions.db", .access = cache::Access::read_only});
  for (int task = 0; !board.stop; task = (task + 1) % kTasks) {
    const auto start = Clock::now();
    store->find_decision(key_of(task));
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
    waits.add(static_cast<std::uint64_t>(took.count()));
  }
}

pid_t start(const std::function<void()>& action) {
  const pid_t child = fork();
  if (child != 0) return child;
  try {
    action();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_store_stress: %s\n", error.what());
    _exit(1);
  }
  _exit(0);
}

bool ended_well(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct Committed {
  std::int64_t trials = 0, decisions = 0;
};

/// What the writers said, last line of each kind.
std::map<std::string, Committed> read_notes(const fs::path& folder) {
  std::map<std::string, Committed> noted;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".notes") continue;
    Committed& committed = noted[entry.path().stem()];
    std::FILE* const file = std::fopen(entry.path().c_str(), "r");
    std::array<char, 16> kind{};
    long long count = 0;
    while (std::fscanf(file, "%15s %lld", kind.data(), &count) == 2) {
      (std::string_view(kind.data()) == "trials" ? committed.trials : committed.decisions) = count;
    }
    std::fclose(file);
  }
  return noted;
}

struct Findings {
  std::int64_t trials = 0, decisions = 0;  ///< in the database
  std::vector<std::string> wrong;
};

Findings compare(const fs::path& folder) {
  Findings findings;
  const cache::sqlite::Connection database(folder / "decisions.db", SQLITE_OPEN_READWRITE, std::chrono::seconds(5));
  const auto count = [&](const char* sql, const std::string& session) {
    cache::sqlite::Statement select(database, sql);
    select.bind(session).step();
    return std::pair{select.integer(0), select.integer(1)};
  };
  for (const auto& [session, noted] : read_notes(folder)) {
    const auto [trials, last] =
        count("SELECT count(DISTINCT sequence), max(sequence) FROM trial JOIN run USING (run_id) WHERE session = ?1",
              session);
    const auto [decisions, unused] =
        count("SELECT count(*), 0 FROM decision JOIN run USING (run_id) WHERE session = ?1", session);
    findings.trials += trials;
    findings.decisions += decisions;
    if (trials < noted.trials || decisions < noted.decisions) {
      findings.wrong.push_back(fmt::format("{} committed {} trials and {} decisions; {} and {} are there", session,
                                           noted.trials, noted.decisions, trials, decisions));
    }
    if (trials > 0 && last != trials - 1) findings.wrong.push_back(session + " has holes between its trials");
  }
  const auto store = cache::SqliteStore::open({.path = folder / "decisions.db"});
  if (const auto damage = store->damage()) findings.wrong.push_back("damaged: " + *damage);
  return findings;
}

std::uint64_t percentile_us(const std::array<std::uint64_t, 32>& buckets, std::uint64_t total, double share) {
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    seen += buckets[i];
    if (static_cast<double>(seen) >= share * static_cast<double>(total)) return std::uint64_t{1} << i;
  }
  return 0;
}

void print(int seconds, int kills, const Board& board, const Findings& findings) {
  std::array<std::uint64_t, 32> buckets{};
  std::uint64_t lookups = 0, longest_us = 0;
  for (const Waits& waits : board.waits) {
    for (std::size_t i = 0; i < buckets.size(); ++i) buckets[i] += waits.buckets[i];
    lookups += waits.count;
    longest_us = std::max<std::uint64_t>(longest_us, waits.longest_us);
  }
  fmt::print("| what | figure |\n|---|---|\n");
  cpu_set_t usable;
  CPU_ZERO(&usable);
  sched_getaffinity(0, sizeof usable, &usable);
  fmt::print("| processes that write / read, on {} cores | {} / {} |\n", CPU_COUNT(&usable), kWriters, kReaders);
  fmt::print("| seconds; writers killed and replaced | {}; {} |\n", seconds, kills);
  fmt::print("| trials in the database; a second | {}; {} |\n", findings.trials, findings.trials / seconds);
  fmt::print("| decisions in the database | {} |\n", findings.decisions);
  fmt::print("| committed and lost | {} |\n", findings.wrong.empty() ? "nothing" : "see below");
  fmt::print("| look-ups; a second | {}; {} |\n", lookups, lookups / static_cast<std::uint64_t>(seconds));
  fmt::print("| a look-up: 99 % / 99.99 % below | {} us / {} us |\n", percentile_us(buckets, lookups, 0.99),
             percentile_us(buckets, lookups, 0.9999));
  fmt::print("| longest look-up | {:.1f} ms |\n", static_cast<double>(longest_us) / 1000);
  for (const std::string& wrong : findings.wrong) fmt::print("\n- {}", wrong);
  if (!findings.wrong.empty()) fmt::print("\n");
}

int run(int seconds) {
  const test::TemporaryFolder scratch;
  const fs::path& folder = scratch.path();
  cache::SqliteStore::open({.path = folder / "decisions.db"})->record_decision(decision_of("first", 0, 0));
  void* const memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
  Board& board = *new (memory) Board;

  int next_writer = 0;
  const auto start_writer = [&] {
    const int writer = next_writer++;
    return start([&, writer] { write_without_end(folder, writer, board); });
  };
  std::vector<pid_t> writers, readers;
  for (int i = 0; i < kWriters; ++i) writers.push_back(start_writer());
  for (int i = 0; i < kReaders; ++i) {
    readers.push_back(start([&, i] { look_up_without_end(folder, board.waits[static_cast<std::size_t>(i)], board); }));
  }

  std::minstd_rand random(7);
  bool well = true;
  int kills = 0;
  for (int second = 0; second < seconds; ++second) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    pid_t& victim = writers[random() % writers.size()];
    kill(victim, SIGKILL);
    int status = 0;
    waitpid(victim, &status, 0);
    well = well && WIFSIGNALED(status);  // else it had ended by itself, with an error
    victim = start_writer();
    ++kills;
  }
  board.stop = true;
  for (const pid_t child : writers) well = ended_well(child) && well;
  for (const pid_t child : readers) well = ended_well(child) && well;

  const Findings findings = compare(folder);
  print(seconds, kills, board, findings);
  return well && findings.wrong.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_store_stress",
                                   [&] { return run(argc > 1 ? std::max(1, std::atoi(argv[1])) : 60); });
}
