// Many threads at the same moment. What they must not do to each other's memory is the thread sanitizer's to see.
#include <atomic>
#include <barrier>
#include <set>
#include <thread>

#include "tests/runtime/machine.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

constexpr int kThreads = 8;

/// All of them begin at once.
void in_threads(const std::function<void(int)>& action) {
  std::barrier<> start(kThreads);
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      action(i);
    });
  }
}

}  // namespace

TEST_CASE("threads that ask for one problem at once get one instance, which is made once") {
  for (int round = 0; round < 10; ++round) {
    Program program;
    program.tuned();
    inspector().keep_launches(false);
    OwnContext own;
    const std::size_t loaded = inspector().modules_loaded();
    std::array<const Instance*, kThreads> instances{};
    std::atomic<int> queued = 0;
    in_threads([&](int i) {
      make_current(own.get());
      instances[static_cast<std::size_t>(i)] = &program.request();
      for (int k = 0; k < 50; ++k) queued += launch(*instances[static_cast<std::size_t>(i)]) ? 1 : 0;
    });
    for (const Instance* instance : instances) CHECK(instance == instances[0]);
    CHECK(queued == 50 * kThreads);
    CHECK(instances[0]->rung() == Rung::exact);
    CHECK(inspector().modules_loaded() == loaded + 1);
  }
}

TEST_CASE_FIXTURE(Program, "threads that ask for many problems in different orders get the same instances") {
  tuned();
  inspector().keep_launches(false);
  OwnContext own;
  constexpr int kProblems = 150;  // more than the first table of instances holds
  constexpr std::array<int, kThreads> kSteps{1, 7, 11, 13, 17, 19, 23, 29};
  std::array<std::array<const Instance*, kProblems>, kThreads> instances{};
  in_threads([&](int i) {
    make_current(own.get());
    for (int pass = 0; pass < 3; ++pass) {
      for (int k = 0; k < kProblems; ++k) {
        const int n = (k * kSteps[static_cast<std::size_t>(i)] + i) % kProblems;
        const Instance*& mine = instances[static_cast<std::size_t>(i)][static_cast<std::size_t>(n)];
        const Instance* found = &request({50 + n, 1000});
        if (mine && mine != found) std::abort();
        mine = found;
        if (!launch(*found)) std::abort();
        found->rung();
      }
    }
  });
  std::set<const Instance*> all;
  for (const auto& mine : instances) {
    CHECK(mine == instances[0]);
    all.insert(mine.begin(), mine.end());
  }
  CHECK(all.size() == kProblems);
}

TEST_CASE_FIXTURE(Program, "threads with contexts of their own do not meet") {
  tuned();
  tuned({.device = gpu(1)});
  inspector().keep_launches(false);
  std::array<const Instance*, kThreads> instances{};
  std::atomic<int> failed = 0;
  in_threads([&](int i) {
    OwnContext own(i % 3);
    const Instance& instance = request();
    instances[static_cast<std::size_t>(i)] = &instance;
    for (int k = 0; k < 20; ++k) {
      failed += &request() == &instance ? 0 : 1;
      failed += launch(instance) ? 0 : 1;
    }
    // All are there before the first is gone, so no two are at one address.
    static std::barrier<> end(kThreads);
    end.arrive_and_wait();
  });
  CHECK(failed == 0);
  CHECK(std::set<const Instance*>(instances.begin(), instances.end()).size() == kThreads);
}

TEST_CASE("threads may meet everything that goes wrong at once") {
  std::atomic<int> calls = 0;
  Program program({.max_instances = 20}, {.fallback = [&](Stream, std::span<void* const>) {
                    ++calls;
                    return 0;
                  }});
  program.decide({});
  program.compile({.configuration = kBaseline});
  inspector().keep_launches(false);
  OwnContext own;
  in_threads([&](int i) {
    make_current(i % 2 == 0 ? own.get() : nullptr);
    for (int k = 0; k < 30; ++k) {
      launch(program.request());
      launch(program.request({100 + k, 1000}), 7);
      program.request({100}).provenance();
      program.kernel.request({{"rows", 100}, {"what", k}}).provenance();
      program.request({0, i}).launch(nullptr, k);
      program.runtime.kernel(wave()).request({k, 0}).rung();
    }
  });
  CHECK(calls > 0);
  make_current(own.get());
  CHECK(program.request().rung() == Rung::baseline);
}
