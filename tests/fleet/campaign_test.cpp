// The queue under kills: 32 workers with simulated GPUs work off 2,000 jobs while a worker is killed every second for a
// minute, the server is restarted twice, once as by a crash, and does nothing for 20 seconds. Where tests are brief it
// is 500 jobs in 45 seconds; TUNER_FLEET_JOBS and TUNER_FLEET_SECONDS make it longer.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cache/store/sqlite_store.hpp"
#include "tests/fleet/server.hpp"
#include "tests/support/length.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/text.hpp"
#include "tuner/fleet/job/job.hpp"
#include "tuner/fleet/job/sha256.hpp"
#include "tuner/fleet/queue/pull.hpp"
#include "tuner/fleet/queue/queue.hpp"

using namespace tuner::test;
using namespace tuner::fleet;
using Clock = std::chrono::steady_clock;

namespace {

int number_from(const char* variable, std::size_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? static_cast<int>(otherwise) : std::atoi(text);
}

/// Jobs of so many milliseconds, each for a problem of its own; every hundredth fails whenever it is tried.
void submit(const Server& server, int count, int milliseconds) {
  const std::string source = "a kernel that nobody compiles";
  std::vector<Submission> jobs;
  for (int i = 0; i < count; ++i) {
    JobSpec spec{.kernel = "simulated", .identity = "simulated:0", .source = {"simulated.cu", sha256(source)}};
    spec.problem = "ms=" + std::to_string(milliseconds) + ",n=" + std::to_string(i) + (i % 100 == 7 ? ",fails=1" : "");
    jobs.push_back({.file = "simulated.cu", .kernel = spec.kernel, .problem = spec.problem, .spec = to_json(spec)});
  }
  Queue(Address(server.address("anna"))).submit("", {&source, 1}, jobs);
}

/// A worker process, started again with the same database when it was killed.
class Hand {
 public:
  Hand(std::string address, const TemporaryFolder& folder, int number)
      : address_(std::move(address)),
        database_((folder / ("local-" + std::to_string(number) + ".db")).string()),
        output_((folder / ("told-" + std::to_string(number))).string()) {
    start();
  }
  ~Hand() {
    if (pid_ > 0) kill_now();
  }
  Hand(const Hand&) = delete;
  Hand& operator=(const Hand&) = delete;

  void start() {
    pid_ = fork();
    if (pid_ != 0) return;
    const int output = open(output_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(output, STDOUT_FILENO);
    execl(TUNER_FLEET_HAND, TUNER_FLEET_HAND, address_.c_str(), database_.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  void kill_now() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  /// Its exit status; -1: it was killed.
  int wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  /// The jobs that it said are done.
  std::vector<std::string> told_done() const {
    std::vector<std::string> jobs;
    std::ifstream file(output_);
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("Job ") && contains(line, " is done after "))
        jobs.push_back(line.substr(4, line.find(' ', 4) - 4));
    }
    return jobs;
  }
  std::string told() const { return read_bytes(output_); }

 private:
  std::string address_, database_, output_;
  pid_t pid_ = -1;
};

/// What happens to the server, by the second of the campaign.
void trouble(Server& server, int second, int seconds) {
  if (second == seconds / 6) {
    server.stop("fast");
    server.start();
  } else if (second == seconds / 3) {
    server.stop("immediate");
    server.start();
  } else if (second == seconds / 2) {
    server.freeze();
  } else if (second == seconds / 2 + 20) {
    server.thaw();
  }
}

}  // namespace

TEST_CASE("all jobs survive kills, restarts and an unreachable server with one accepted result each") {
  const int count = number_from("TUNER_FLEET_JOBS", length(500, 2000));
  const int seconds = std::max(number_from("TUNER_FLEET_SECONDS", length(45, 60)), 45);
  constexpr int kHands = 32;
  Server server;
  server.sql("UPDATE tuner_fleet.about SET lease = '4 s'");
  server.add_login("anna", "vision", {"submit", "read"});
  server.add_login("hand", "vision", {"work"});
  // Without its troubles the work would take a little more than half of the time.
  submit(server, count, 1000 * (seconds - 26) * kHands / count);

  const TemporaryFolder folder;
  std::vector<std::unique_ptr<Hand>> hands;
  for (int i = 0; i < kHands; ++i) hands.push_back(std::make_unique<Hand>(server.address("hand"), folder, i));
  std::mt19937 random(1);
  const auto begin = Clock::now();
  for (int second = 1; second <= seconds; ++second) {
    std::this_thread::sleep_until(begin + std::chrono::seconds(second));
    trouble(server, second, seconds);
    Hand& hand = *hands[random() % kHands];
    hand.kill_now();
    hand.start();
  }
  server.thaw();
  for (const auto& hand : hands) {
    INFO(hand->told());
    CHECK(hand->wait() == 0);
  }
  MESSAGE("the queue was empty after " << std::chrono::duration<double>(Clock::now() - begin).count() << " s");

  CHECK(server.sql("SELECT count(*) FROM tuner_fleet.job") == std::to_string(count));
  CHECK(server.sql("SELECT count(*) FROM tuner_fleet.job WHERE state NOT IN ('done', 'aside')") == "0");
  CHECK(server.sql("SELECT count(*) FROM tuner_fleet.job WHERE state = 'aside' AND (reason = '' OR tries <> 3)") ==
        "0");
  CHECK(server.sql("SELECT count(*) FROM tuner_fleet.job WHERE (state = 'done') <> (id IN (SELECT job FROM "
                   "tuner_fleet.result))") == "0");
  CHECK(server.sql("SELECT count(*) FROM tuner_fleet.result r JOIN tuner_fleet.job j ON j.id = r.job "
                   "WHERE r.attempt <> j.attempt OR r.row_count <> (SELECT count(*) FROM tuner_fleet.result_row w "
                   "WHERE w.job = r.job AND w.attempt = r.attempt)") == "0");
  MESSAGE(
      "states, by tries: " << server.sql("SELECT state, tries, count(*) FROM tuner_fleet.job GROUP BY 1, 2 ORDER BY "
                                         "1, 2"));
  // Those that fail whenever they are tried, and those whose workers were killed each time; no other reason.
  CHECK(server.sql("SELECT reason, convert_from(body, 'UTF8') FROM tuner_fleet.job LEFT JOIN tuner_fleet.log ON "
                   "job = id WHERE state = 'aside' AND reason NOT IN ('It was meant to fail.', 'Each of its 3 workers "
                   "stopped without an answer.')") == "");
  // A worker that says so was told by the server: that is never lost, whatever became of either afterwards.
  std::istringstream done(server.sql("SELECT job FROM tuner_fleet.result"));
  std::set<std::string> accepted;
  for (std::string job; std::getline(done, job);) accepted.insert(job);
  std::size_t told = 0;
  for (const auto& hand : hands) {
    for (const std::string& job : hand->told_done()) {
      ++told;
      CHECK_MESSAGE(accepted.contains(job), job);
    }
  }
  CHECK(told <= accepted.size());

  Queue queue(Address(server.address("anna")));
  const std::filesystem::path pulled_to = folder / "pulled.db";
  const auto no_warning = [](const std::string& sentence) { FAIL_CHECK(sentence); };
  const Pulled pulled = pull(queue, pulled_to, no_warning);
  CHECK(pulled.jobs == static_cast<std::int64_t>(accepted.size()));
  const auto store = tuner::cache::SqliteStore::open({.path = pulled_to});
  CHECK(store->list_decisions({}).size() == accepted.size());
  // What is there already is not fetched again.
  CHECK(pull(queue, pulled_to, no_warning).jobs == 0);
}
