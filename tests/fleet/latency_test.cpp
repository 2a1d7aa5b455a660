// How long taking a job takes while 256 workers hold a connection each and work five seconds on every job. The figure
// is printed, and checked where TUNER_FLEET_TIMED is set: a test does not depend on how busy its machine is.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <latch>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/fleet/server.hpp"
#include "tuner/fleet/queue/queue.hpp"

using namespace tuner::test;
using namespace tuner::fleet;
using Clock = std::chrono::steady_clock;

TEST_CASE("256 workers take jobs at the same moment, each of them once") {
  constexpr int kConnections = 256, kRounds = 3;
  constexpr std::chrono::seconds kJob(5);
  const Server server;
  server.add_login("anna", "vision", {"submit"});
  server.add_login("hand", "vision", {"work"});
  const std::vector<Submission> jobs(kConnections * kRounds, {.file = "f", .kernel = "k", .problem = "p", .spec = "s"});

  std::mutex mutex;
  std::vector<double> taking_ms;
  std::multiset<std::int64_t> taken;
  std::atomic<int> refused = 0;
  std::latch all_there(kConnections), submitted(1);
  std::vector<std::jthread> workers;
  for (int i = 0; i < kConnections; ++i) {
    workers.emplace_back([&, i]() noexcept {
      std::optional<Queue> connected;
      // So many at once may be more than a busy machine lets in at the first try.
      while (!connected) try {
          connected.emplace(Address(server.address("hand")));
        } catch (const Unreachable&) {
          std::this_thread::sleep_for(std::chrono::seconds(1));
        }
      Queue& queue = *connected;
      // They wait for jobs, and do not begin with them at the same moment.
      if (queue.take("hand", "GPU")) ++refused;
      all_there.count_down();
      submitted.wait();
      std::this_thread::sleep_for(kJob * i / kConnections);
      for (int round = 0; round < kRounds; ++round) {
        const auto begin = Clock::now();
        const auto job = queue.take("hand " + std::to_string(i), "GPU");
        const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
        {
          const std::lock_guard lock(mutex);
          taking_ms.push_back(ms);
          if (job) taken.insert(job->job);
        }
        if (!job) return;
        std::this_thread::sleep_for(kJob);
        if (!queue.store_rows(*job, {"a row"}) || !queue.finish(*job, "session", 1, "")) ++refused;
      }
    });
  }
  all_there.wait();
  Queue(Address(server.address("anna"))).submit("", {}, jobs);
  submitted.count_down();
  workers.clear();

  CHECK(refused == 0);
  CHECK(taken.size() == jobs.size());
  CHECK(std::set<std::int64_t>(taken.begin(), taken.end()).size() == jobs.size());
  std::sort(taking_ms.begin(), taking_ms.end());
  const double p50 = taking_ms[taking_ms.size() / 2], p99 = taking_ms[taking_ms.size() * 99 / 100];
  MESSAGE("taking a job: p50 " << p50 << " ms, p99 " << p99 << " ms, longest " << taking_ms.back() << " ms");
  if (std::getenv("TUNER_FLEET_TIMED") != nullptr) CHECK(p99 < 50);
}
