#include "tuner/engine/device/lane/shared_lane.hpp"

#include <doctest/doctest.h>

#include "tests/engine/session/laboratory.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {
namespace {

using Clock = SharedLane::Clock;
using std::chrono::milliseconds;

/// A shared lane over a fake one, and a clock that stands until it is told.
struct Bench {
  explicit Bench(double share) : lane(inner, share, [this] { return now; }) {}

  FakeDeviceLane inner{known_device("H200"), ordinary};
  Clock::time_point now{std::chrono::hours(1)};
  SharedLane lane;

  std::vector<TicketId> answered_after(milliseconds time) {
    now += time;
    std::vector<TicketId> tickets;
    for (const auto& completion : lane.poll()) tickets.push_back(completion.ticket);
    return tickets;
  }
  std::size_t given() const { return inner.lengths.size(); }
};

using Tickets = std::vector<TicketId>;

TEST_CASE("after an answer there is no room until the worker was busy for no more than its share") {
  Bench bench(0.05);
  CHECK(bench.lane.room() == 1);
  bench.lane.submit(1, PrepareProblem{});
  CHECK(bench.given() == 1);
  CHECK(bench.lane.room() == 0);
  CHECK(bench.answered_after(milliseconds(10)) == Tickets{1});
  CHECK(bench.lane.room() == 0);
  CHECK(bench.lane.next_deadline() == bench.now + milliseconds(190));
  CHECK(bench.answered_after(milliseconds(189)).empty());
  CHECK(bench.lane.room() == 0);
  bench.now += milliseconds(1);
  CHECK(bench.lane.room() == 1);
  CHECK(bench.lane.next_deadline() == Clock::time_point::max());  // nothing is waited for
}

TEST_CASE("what is submitted while the lane rests waits its turn, and only one request is with the worker") {
  Bench bench(0.5);
  bench.lane.submit(1, PrepareProblem{});
  bench.lane.submit(2, PrepareProblem{});
  bench.lane.submit(3, PrepareProblem{});
  CHECK(bench.given() == 1);
  CHECK(bench.answered_after(milliseconds(100)) == Tickets{1});
  CHECK(bench.given() == 1);
  CHECK(bench.lane.next_deadline() == bench.now + milliseconds(100));
  CHECK(bench.answered_after(milliseconds(99)).empty());
  CHECK(bench.given() == 1);
  CHECK(bench.answered_after(milliseconds(1)).empty());
  CHECK(bench.given() == 2);
  CHECK(bench.answered_after(milliseconds(1)) == Tickets{2});
  CHECK(bench.answered_after(milliseconds(1)).empty());
  CHECK(bench.answered_after(milliseconds(1)) == Tickets{3});
}

TEST_CASE("over a long time the worker is busy for its share at most, however long requests are") {
  Bench bench(0.1);
  milliseconds busy{0};
  const Clock::time_point start = bench.now;
  for (TicketId ticket = 1; ticket <= 200; ++ticket) {
    while (bench.lane.room() == 0) {
      bench.now = bench.lane.next_deadline();
      bench.lane.poll();
    }
    const milliseconds takes{1 + ticket * ticket % 50};
    bench.lane.submit(ticket, PrepareProblem{});
    CHECK(bench.answered_after(takes) == Tickets{ticket});
    busy += takes;
    bench.now += milliseconds(ticket % 3);  // its caller is late
  }
  while (bench.lane.room() == 0) bench.now = bench.lane.next_deadline();
  const double share = std::chrono::duration<double>(busy) / (bench.now - start);
  CHECK(share <= 0.1);
  CHECK(share > 0.09);
}

TEST_CASE("a request that waits can be cancelled; a share is more than nothing and at most everything") {
  Bench bench(0.5);
  bench.lane.submit(1, PrepareProblem{});
  bench.lane.submit(2, PrepareProblem{});
  bench.lane.cancel(2);
  CHECK(bench.lane.next_deadline() <= bench.now);
  CHECK(bench.answered_after(milliseconds(10)) == Tickets{2, 1});
  CHECK(bench.answered_after(milliseconds(10)).empty());
  CHECK(bench.given() == 1);
  for (const double share : {0.0, -0.1, 1.1}) CHECK_THROWS_AS(SharedLane(bench.inner, share), Error);
}

TEST_CASE("a session over a shared lane waits while it rests, and finds what it would have found alone") {
  Laboratory laboratory;
  SharedLane shared(laboratory.device, 0.2);
  const TuneReport report =
      run_session(laboratory.task, {.contended = true},
                  {laboratory.compile, shared, laboratory.store, nullptr, laboratory.observer, laboratory.stop});
  CHECK(report.decision.configuration == kFastest);
  CHECK(report.decision.contended);
  CHECK(report.decision.counters.at("asked") == 11);
}

}  // namespace
}  // namespace tuner::engine
