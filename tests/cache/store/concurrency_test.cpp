#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <map>
#include <random>
#include <thread>

#include "tests/cache/store/behind_lock.hpp"
#include "tests/cache/support.hpp"
#include "tests/support/length.hpp"

namespace tuner::cache::test {
namespace {

constexpr int kBatch = 7;

/// What processes tell each other: one anonymous page that all of them share.
struct Board {
  std::atomic<bool> stop{false};
  std::atomic<int> reads{0};
};

class SharedBoard {
 public:
  SharedBoard()
      : memory_(mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)),
        board_(new (memory_) Board) {
    REQUIRE(memory_ != MAP_FAILED);
  }
  ~SharedBoard() { munmap(memory_, sizeof(Board)); }
  Board* operator->() const { return board_; }

 private:
  void* memory_;
  Board* board_;
};

std::vector<Trial> batch_of(int writer, std::int64_t number) {
  std::vector<Trial> batch(kBatch, full_trial());
  for (int i = 0; i < kBatch; ++i) {
    batch[i].session = "writer " + std::to_string(writer);
    batch[i].sequence = number * kBatch + i;
  }
  return batch;
}

struct Committed {
  int writer;
  std::int64_t batches;
};

/// Writes batches without end and reports each one through the pipe after it was recorded.
void write_batches(const std::filesystem::path& path, int writer, int pipe, const SharedBoard& board) {
  const auto store = open_store(path);
  for (std::int64_t number = 0; !board->stop; ++number) {
    store->record_trials(batch_of(writer, number));
    const Committed committed{writer, number + 1};
    if (write(pipe, &committed, sizeof committed) != sizeof committed) throw std::runtime_error("the pipe is broken");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Whole batches of each writer, as they are in the database.
std::map<std::string, std::int64_t> whole_batches(const Store& store) {
  std::map<std::string, std::int64_t> rows;
  for (const Trial& trial : store.find_trials(some_key())) {
    if (trial.sequence != rows[trial.session]++)
      throw std::runtime_error("a trial is missing or twice in " + trial.session);
  }
  for (auto& [session, count] : rows) {
    if (count % kBatch != 0) throw std::runtime_error("part of a batch is in " + session);
    count /= kBatch;
  }
  return rows;
}

void read_all_the_time(const std::filesystem::path& path, const SharedBoard& board) {
  std::map<std::string, std::int64_t> before;
  while (!board->stop) {
    const auto now = whole_batches(*open_store(path, Access::read_only));
    for (const auto& [session, count] : before) {
      if (now.at(session) < count) throw std::runtime_error("a batch has disappeared from " + session);
    }
    before = now;
    ++board->reads;
  }
}

TEST_CASE("whoever is killed while several processes write, what was recorded is there and nothing is there in part") {
  const TemporaryFolder folder;
  const auto path = folder / "decisions.db";
  open_store(path);
  const SharedBoard board;
  int pipe[2];
  REQUIRE(::pipe(pipe) == 0);

  int next_writer = 0;
  const auto start_writer = [&] {
    const int writer = next_writer++;
    return start_child([&] { write_batches(path, writer, pipe[1], board); });
  };
  std::vector<pid_t> writers;
  for (int i = 0; i < 3; ++i) writers.push_back(start_writer());
  const pid_t reader = start_child([&] { read_all_the_time(path, board); });

  // The pipe is emptied all the time, so that no writer ever waits for this process.
  std::map<std::string, std::int64_t> reported;
  std::atomic<std::int64_t> heard = 0;
  std::thread listener([&, from = pipe[0]] {
    Committed committed{};
    while (read(from, &committed, sizeof committed) == sizeof committed && committed.writer >= 0) {
      reported["writer " + std::to_string(committed.writer)] = committed.batches;
      ++heard;
    }
  });

  const auto enough = static_cast<std::int64_t>(tuner::test::length(15, 60));
  std::mt19937 random(3);
  int kills = 0;
  for (; kills < enough || heard < enough || board->reads < 10; ++kills) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10 + random() % 90));
    pid_t& victim = writers[random() % writers.size()];
    kill(victim, SIGKILL);
    CHECK(status_of(victim) == 128 + SIGKILL);
    victim = start_writer();
  }
  board->stop = true;
  for (const pid_t writer : writers) CHECK(status_of(writer) == 0);
  CHECK(status_of(reader) == 0);
  const Committed end{-1, 0};
  REQUIRE(write(pipe[1], &end, sizeof end) == sizeof end);
  listener.join();
  close(pipe[0]);
  close(pipe[1]);

  const auto store = open_store(path);
  CHECK(store->damage().value_or("") == "");
  const std::map<std::string, std::int64_t> present = whole_batches(*store);
  std::int64_t total = 0;
  for (const auto& [session, batches] : reported) {
    INFO(session << " reported " << batches << " batches");
    REQUIRE(present.count(session) == 1);
    // Killed between the commit and the report: one more than reported.
    CHECK(present.at(session) >= batches);
    CHECK(present.at(session) <= batches + 1);
    total += batches;
  }
  for (const auto& [session, batches] : present) CHECK((reported.count(session) == 1 || batches == 1));
  MESSAGE(kills << " kills, " << total << " batches reported, " << board->reads.load() << " reads");
}

TEST_CASE("processes that create the database at the same moment all succeed") {
  for (int round = 0; round < 5; ++round) {
    const TemporaryFolder folder;
    const auto path = folder / "new/folders/decisions.db";
    std::vector<pid_t> processes;
    for (int writer = 0; writer < 6; ++writer) {
      processes.push_back(start_child([&] { open_store(path)->record_trials(batch_of(writer, 0)); }));
    }
    for (const pid_t process : processes) CHECK(status_of(process) == 0);
    CHECK(whole_batches(*open_store(path)).size() == 6);
  }
}

TEST_CASE("threads that share a store behind a lock lose nothing, and see what others wrote") {
  BehindLock place;
  constexpr int kThreads = 4;
  constexpr std::int64_t kBatches = 25;
  std::vector<std::thread> threads;
  std::atomic<int> decided = 0;
  for (int writer = 0; writer < kThreads; ++writer) {
    threads.emplace_back([&, writer] {
      for (std::int64_t number = 0; number < kBatches; ++number) place.store().record_trials(batch_of(writer, number));
      place.store().record_decision(full_decision("writer " + std::to_string(writer)));
      decided += place.store().find_decision(some_key()).has_value() ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(decided == kThreads);
  std::map<std::string, std::int64_t> next;  // by session
  for (const Trial& trial : place.store().find_trials(some_key())) CHECK(trial.sequence == next[trial.session]++);
  CHECK(next.size() == kThreads);
  for (const auto& [session, count] : next) CHECK(count == kBatches * kBatch);
}

}  // namespace
}  // namespace tuner::cache::test
