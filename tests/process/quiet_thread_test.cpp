#include "tuner/process/quiet_thread.hpp"

#include <doctest/doctest.h>
#include <pthread.h>
#include <signal.h>

#include "tests/support/errors.hpp"
#include "tests/support/text.hpp"

using namespace tuner;

namespace {

bool is_held(int signal) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return sigismember(&mask, signal) == 1;
}

}  // namespace

TEST_CASE("a thread has no signals, and the one that started it has them afterwards") {
  bool held = false;
  quiet_thread([&] { held = is_held(SIGINT) && is_held(SIGTERM) && is_held(SIGHUP); }).join();
  CHECK(held);
  CHECK_FALSE(is_held(SIGINT));
}

TEST_CASE("signals stayed held where no thread could be started, which was called a bug") {
  pthread_attr_t before, huge;
  REQUIRE(pthread_getattr_default_np(&before) == 0);
  REQUIRE(pthread_attr_init(&huge) == 0);
  REQUIRE(pthread_attr_setstacksize(&huge, std::size_t{1} << 47) == 0);
  REQUIRE(pthread_setattr_default_np(&huge) == 0);
  const std::string sentence = test::error_of(Errc::shortage, [] { quiet_thread([] {}).join(); });
  REQUIRE(pthread_setattr_default_np(&before) == 0);
  CHECK(test::contains(sentence, "Another thread cannot be started"));
  CHECK_FALSE(is_held(SIGINT));
}
