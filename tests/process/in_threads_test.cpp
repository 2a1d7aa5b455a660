#include "tuner/process/in_threads.hpp"

#include <doctest/doctest.h>
#include <pthread.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace tuner;

TEST_CASE("each number is done once, by no more threads than may be") {
  std::vector<std::atomic<int>> times(1000);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  in_threads(times.size(), 3, [&](std::size_t number) {
    ++times[number];
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  for (const std::atomic<int>& each : times) REQUIRE(each == 1);
  CHECK(threads.size() <= 3);
  in_threads(0, 3, [](std::size_t) { FAIL("there is nothing to do"); });
}

TEST_CASE("what work throws ends the rest, once those that had begun are done") {
  std::atomic<int> running = 0, begun = 0;
  const auto work = [&](std::size_t number) {
    ++begun;
    ++running;
    if (number == 5) {
      --running;
      throw std::runtime_error("five");
    }
    std::this_thread::yield();
    --running;
  };
  CHECK_THROWS_WITH(in_threads(100000, 2, work), "five");
  CHECK(running == 0);
  CHECK(begun < 100000);
}

TEST_CASE("work is done where no other thread can be started") {
  pthread_attr_t before, huge;
  REQUIRE(pthread_getattr_default_np(&before) == 0);
  REQUIRE(pthread_attr_init(&huge) == 0);
  REQUIRE(pthread_attr_setstacksize(&huge, std::size_t{1} << 47) == 0);
  REQUIRE(pthread_setattr_default_np(&huge) == 0);
  std::atomic<int> done = 0;
  in_threads(10, 4, [&](std::size_t) { ++done; });
  REQUIRE(pthread_setattr_default_np(&before) == 0);
  CHECK(done == 10);
}
