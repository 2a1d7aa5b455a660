// One problem on several GPUs of one machine.
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/end_to_end/story.hpp"
#include "tests/support/length.hpp"

using namespace tuner::test;
using Json = nlohmann::json;

namespace {

const std::string kRight = "KIND == right && VARIANT >= 8";  // 32 configurations, and the baseline
const Words kAll{"--devices", "all"};

/// A user with four GPUs, on which launches take some milliseconds, so that one alone would be waited for.
struct FourGpus : Tuner {
  explicit FourGpus(const std::string& more = "") {
    environment["FAKE_DRIVER"] = "noise=3 numbered devices=4 real=50 " + more;
  }

  TuneReport check_winner_of(const Words& where) const {
    TuneReport told = tune(where, kAll);
    INFO(told.err);
    check_winner(told, kFastest);
    CHECK(count_rows() == 33);
    check_outcomes();
    CHECK(all_processes_end());
    return told;
  }
  std::size_t gpus_of_rows() const {
    std::set<std::string> all;
    for (const Row& row : rows()) all.insert(row.gpu);
    return all.size();
  }
  std::size_t contexts_on(int gpu) const { return count_in_journal("on GPU " + std::to_string(gpu)); }
};

bool says(const TuneReport& told, const std::string& words) {
  return std::ranges::any_of(told.warnings,
                             [&](const std::string& one) { return one.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("one problem is spread over all GPUs, and each trial says which ran it") {
  const FourGpus user;
  const TuneReport told = user.check_winner_of({kRight});
  CHECK(told.warnings.empty());
  for (const int gpu : {0, 1, 2, 3}) CHECK(user.contexts_on(gpu) == 1);
  CHECK(user.gpus_of_rows() == 4);
}

TEST_CASE("a GPU that is busy with something else, or slower, is told of and changes no winner") {
  const FourGpus busy("busy_device=2");
  CHECK(says(busy.check_winner_of({kRight}), "GPU 2 "));
  const FourGpus slow("slow_device=1 slower=7");
  CHECK(says(slow.check_winner_of({kRight}), "GPU 1 takes "));
  const FourGpus slow_first("slow_device=0 slower=40");
  const TuneReport told = slow_first.check_winner_of({kRight});
  CHECK(says(told, "GPU 0 takes "));
  CHECK(says(told, "Finalists race on GPU 1."));
}

TEST_CASE("a GPU that is lost for good costs nothing but its help, whichever it is and whenever that happens") {
  // After so many launches the reference runs, candidates are screened, finalists race.
  const std::vector<std::pair<const char*, const char*>> cases{
      {"0", "20"}, {"3", "120"}, {"3", "20"}, {"0", "120"}, {"0", "400"}};
  for (const auto& [lost, after] : std::span(cases).first(length(2, cases.size()))) {
    CAPTURE(std::string(lost));
    CAPTURE(std::string(after));
    const FourGpus user(std::string("lost_device=") + lost + " lost_after=" + after);
    const TuneReport told = user.check_winner_of({kRight});
    CHECK(says(told, std::string("The session goes on without GPU ") + lost));
  }
}

TEST_CASE("where all GPUs are lost the session ends as with one") {
  const FourGpus user("lost_after=200");
  const TuneReport told = user.tune({kRight}, kAll);
  CHECK(told.exit_code == 6);
  check_has(told.err, {"was abandoned"});
  CHECK(user.count_rows() > 0);
  CHECK(user.all_processes_end());
}

TEST_CASE("workers that are killed again and again on one GPU, which is lost in the end, cost nothing") {
  const FourGpus user("lost_device=2 lost_after=400");
  std::atomic<bool> ended = false;
  int killed = 0;
  std::jthread killer([&] {
    while (!ended) {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      for (const Process& process : user.processes()) {
        if (process.role != "device" || process.gpus != "2") continue;
        kill(process.pid, SIGKILL);
        ++killed;
      }
    }
  });
  const TuneReport told = user.check_winner_of({kRight});
  ended = true;
  killer.join();
  CHECK(killed > 1);
}
