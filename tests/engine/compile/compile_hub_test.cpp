#include "tuner/engine/compile/compile_hub.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <new>
#include <string>

#include "tests/support/errors.hpp"
#include "tests/support/text.hpp"
#include "tuner/engine/lanes/ticket.hpp"
#include "tuner/engine/lanes/wait.hpp"

namespace tuner::engine {
namespace {

/// Has room for a few, and answers them in order, one a poll, once it may.
class SlowLane final : public CompileLane {
 public:
  explicit SlowLane(std::size_t room) : room_(room) {}

  void submit(TicketId ticket, CompileRequest request) override {
    order += request.configuration;
    waiting_.push_back(ticket);
    ++submitted;
  }
  std::vector<Completion> poll() override {
    if (breaks) throw Error(Errc::no_toolkit, "There is no compiler.");
    if (lacks_memory) throw std::bad_alloc();
    if (!may_answer || waiting_.empty()) return {};
    CompileReply reply;
    reply.toolkit = std::to_string(waiting_.front());
    std::vector<Completion> done{{waiting_.front(), std::move(reply)}};
    waiting_.pop_front();
    return done;
  }
  void cancel(TicketId ticket) override { cancelled = ticket; }
  std::size_t room() const override { return room_ - std::min(room_, waiting_.size()); }
  double width() const override { return 3; }
  std::vector<int> wait_fds() const override { return {}; }
  std::chrono::steady_clock::time_point next_deadline() const override {
    return std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  }

  std::string order;  ///< in which configurations came; read when all were answered
  std::atomic<std::size_t> submitted = 0;
  std::atomic<bool> may_answer = false, breaks = false, lacks_memory = false;
  std::atomic<TicketId> cancelled = 0;

 private:
  const std::size_t room_;
  std::deque<TicketId> waiting_;
};

CompileRequest request_of(const std::string& configuration) {
  CompileRequest request;
  request.configuration = configuration;
  return request;
}

std::vector<CompileLane::Completion> wait_for_answers(CompileLane& seat, std::size_t count) {
  std::vector<CompileLane::Completion> all;
  while (all.size() < count) {
    for (auto& one : seat.poll()) all.push_back(std::move(one));
    if (all.size() < count) wait_for(std::chrono::steady_clock::time_point::max(), seat);
  }
  return all;
}

}  // namespace

TEST_CASE("each seat gets the answers to its own requests, in the order in which they came") {
  SlowLane lane(2);
  CompileHub hub(lane, 2);
  std::vector<TicketId> tickets[2];
  for (int i = 0; i < 20; ++i) {
    tickets[i % 2].push_back(new_ticket());
    hub.seat(static_cast<std::size_t>(i % 2)).submit(tickets[i % 2].back(), request_of("x"));
  }
  lane.may_answer = true;
  for (const std::size_t seat : {0, 1}) {
    const auto answers = wait_for_answers(hub.seat(seat), 10);
    REQUIRE(answers.size() == 10);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      CHECK(answers[i].ticket == tickets[seat][i]);
      CHECK(answers[i].reply.toolkit == std::to_string(tickets[seat][i]));
    }
  }
}

TEST_CASE("a seat that asks for much does not keep the others waiting, and one alone has everything") {
  SlowLane lane(2);
  CompileHub hub(lane, 3);
  CHECK(hub.seat(0).room() == 2);
  for (int i = 0; i < 6; ++i) hub.seat(0).submit(new_ticket(), request_of("a"));
  CHECK(hub.seat(0).room() == 0);
  CHECK(hub.seat(1).room() == 2);
  while (lane.submitted < 2) std::this_thread::yield();  // as many as there is room for
  for (int i = 0; i < 2; ++i) {
    hub.seat(1).submit(new_ticket(), request_of("b"));
    hub.seat(2).submit(new_ticket(), request_of("c"));
  }
  lane.may_answer = true;
  wait_for_answers(hub.seat(0), 6);
  wait_for_answers(hub.seat(1), 2);
  wait_for_answers(hub.seat(2), 2);
  CHECK(lane.order == "aabcabcaaa");
}

TEST_CASE("each of several seats took all compilers for its own, so that what it compiles seemed cheap") {
  SlowLane lane(2);
  CHECK(CompileHub(lane, 2).seat(1).width() == 1.5);
  CHECK(CompileHub(lane, 6).seat(0).width() == 0.5);
}

TEST_CASE("what waits for the lane is cancelled at once, and what the lane has is cancelled there") {
  SlowLane lane(1);
  CompileHub hub(lane, 2);
  CompileLane& seat = hub.seat(1);
  const TicketId given = new_ticket(), waiting = new_ticket();
  seat.submit(given, request_of("a"));
  while (lane.submitted < 1) std::this_thread::yield();
  seat.submit(waiting, request_of("b"));
  seat.cancel(waiting);
  const auto answers = wait_for_answers(seat, 1);
  CHECK(answers[0].ticket == waiting);
  CHECK(answers[0].reply.outcome == Outcome::compile_timeout);
  seat.cancel(given);
  while (lane.cancelled != given) std::this_thread::yield();
  lane.may_answer = true;
  CHECK(wait_for_answers(seat, 1)[0].ticket == given);
  CHECK(lane.submitted == 1);
}

TEST_CASE("what the lane throws every seat throws") {
  SlowLane lane(1);
  CompileHub hub(lane, 2);
  lane.breaks = true;
  for (const std::size_t seat : {0, 1}) {
    CHECK(test::error_of(Errc::no_toolkit, [&] { wait_for_answers(hub.seat(seat), 1); }) == "There is no compiler.");
    CHECK(test::error_of(Errc::no_toolkit, [&] { hub.seat(seat).poll(); }) == "There is no compiler.");
  }
}

TEST_CASE("too little memory in the thread that compiles was called a bug") {
  SlowLane lane(1);
  CompileHub hub(lane, 2);
  lane.lacks_memory = true;
  hub.seat(0).submit(new_ticket(), request_of("x"));
  CHECK(test::contains(test::error_of(Errc::shortage, [&] { wait_for_answers(hub.seat(0), 1); }), "ulimit -v"));
}

}  // namespace tuner::engine
