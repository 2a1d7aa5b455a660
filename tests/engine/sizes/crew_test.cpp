#include "tuner/engine/sizes/crew.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <atomic>
#include <latch>
#include <set>
#include <string>

#include "tests/support/errors.hpp"

namespace tuner::engine {
namespace {

using test::error_of;

TEST_CASE("one seat works in the caller's thread, in order, until a piece says that it is enough") {
  Crew crew(1);
  std::string done;
  std::deque<Crew::Piece> pieces;
  for (const char letter : {'a', 'b', 'c'}) {
    pieces.push_back([&done, letter, here = std::this_thread::get_id()](std::size_t seat) {
      CHECK(seat == 0);
      CHECK(std::this_thread::get_id() == here);
      done += letter;
      return letter != 'b';
    });
  }
  CHECK_FALSE(crew.work_off(pieces));
  CHECK(done == "ab");
  CHECK(crew.work_off({}));
}

TEST_CASE("several seats work at the same time, each in one thread that signals do not reach") {
  Crew crew(3);
  std::latch all_have_begun(3);
  std::mutex mutex;
  std::set<std::size_t> seats;
  std::set<std::thread::id> threads;
  const Crew::Piece piece = [&](std::size_t seat) {
    all_have_begun.arrive_and_wait();  // not one of them ends before all have begun
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    const std::lock_guard lock(mutex);
    CHECK(sigismember(&blocked, SIGINT) == 1);
    seats.insert(seat);
    threads.insert(std::this_thread::get_id());
    return true;
  };
  CHECK(crew.work_off({piece, piece, piece}));
  CHECK(seats == std::set<std::size_t>{0, 1, 2});
  std::atomic<int> known = 0;
  const Crew::Piece again = [&](std::size_t) {
    const std::lock_guard lock(mutex);
    known += threads.contains(std::this_thread::get_id()) ? 1 : 0;
    return true;
  };
  CHECK(crew.work_off({again, again, again, again}));
  CHECK(known == 4);
}

TEST_CASE("what a piece throws is thrown when those that began have ended, and no other begins") {
  Crew crew(2);
  std::latch both_have_begun(2);
  std::atomic<int> begun = 0, ended = 0;
  const auto waits = [&](std::size_t) {
    ++begun;
    both_have_begun.arrive_and_wait();
    ++ended;
    return true;
  };
  const auto throws = [&](std::size_t) -> bool {
    both_have_begun.arrive_and_wait();
    throw Error(Errc::bad_problem, "too large");
  };
  CHECK(error_of([&] { crew.work_off({throws, waits}); }) == "too large");
  CHECK(begun == 1);
  CHECK(ended == 1);
  CHECK(crew.work_off({[](std::size_t) { return true; }}));
}

TEST_CASE("each of several seats begins in its thread, and what that throws is thrown once") {
  std::mutex mutex;
  std::set<std::thread::id> begun;
  const auto note = [&](std::size_t) {
    const std::lock_guard lock(mutex);
    begun.insert(std::this_thread::get_id());
  };
  Crew crew(3, {.begin = note});
  std::atomic<int> known = 0;
  const Crew::Piece piece = [&](std::size_t) {
    const std::lock_guard lock(mutex);
    known += begun.contains(std::this_thread::get_id()) ? 1 : 0;
    return true;
  };
  CHECK(crew.work_off({piece, piece, piece, piece, piece}));
  CHECK(known == 5);
  CHECK(begun.size() == 3);

  // A piece that has begun is ended by what is called after the error, and its own error counts for nothing.
  std::latch has_begun(1), is_refused(1);
  Crew refused(2, {.begin =
                       [&](std::size_t seat) {
                         if (seat == 0) return;
                         has_begun.wait();
                         throw Error(Errc::bad_usage, "of another kind");
                       },
                   .refused = [&] { is_refused.count_down(); },
                   .left = [](std::size_t, const Error&) { FAIL("nobody leaves"); }});
  const auto lost = [&](std::size_t) -> bool {
    has_begun.count_down();
    is_refused.wait();
    throw Error(Errc::device_lost, "gone");
  };
  CHECK(error_of([&] { refused.work_off({lost}); }) == "of another kind");
  CHECK(refused.work_off({[](std::size_t) { return true; }}));
}

TEST_CASE("a seat whose GPU is lost leaves, and another begins its piece anew, once") {
  std::atomic<int> left = 0;
  Crew crew(3, {.left = [&](std::size_t, const Error& error) {
              CHECK(std::string(error.what()) == "gone");
              ++left;
            }});
  std::atomic<int> attempts = 0, done = 0;
  const auto lost = [&](std::size_t) -> bool {
    if (++attempts > 1) return true;
    throw Error(Errc::device_lost, "gone");
  };
  const auto well = [&](std::size_t) {
    ++done;
    return true;
  };
  CHECK(crew.work_off({lost, well, well, well, well}));
  CHECK(attempts == 2);
  CHECK(done == 4);
  CHECK(left == 1);
  // What loses a second seat is to blame itself.
  attempts = 0;
  const auto always_lost = [&](std::size_t) -> bool {
    ++attempts;
    throw Error(Errc::device_lost, "gone");
  };
  CHECK(error_of(Errc::device_lost, [&] { crew.work_off({always_lost}); }) == "gone");
  CHECK(attempts == 2);
  CHECK(left == 2);
  // One seat is left, and does not leave.
  CHECK(crew.work_off({well}));
  CHECK(error_of(Errc::device_lost, [&] { crew.work_off({always_lost, well}); }) == "gone");
  CHECK(attempts == 3);
}

}  // namespace
}  // namespace tuner::engine
