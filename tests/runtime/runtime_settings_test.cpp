#include "tuner/runtime/runtime_settings.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace tuner::detail {
namespace {

/// A variable for as long as this lives.
struct Variable {
  Variable(const char* its_name, const char* value) : name(its_name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name); }
  const char* const name;
};

TEST_CASE("what makes no sense becomes the nearest that does") {
  const RuntimeSettings settings({.background_share = 7, .background_compile_workers = -1, .swap_threshold = 0}, false);
  CHECK(settings.options.background_share == 1);
  CHECK(settings.options.background_compile_workers == 1);
  CHECK(settings.options.swap_threshold == 1);
}

TEST_CASE("the environment chooses the mode, but not of what is frozen, and `never_tune` has the last word") {
  const Variable mode("TUNER_MODE", "background");
  CHECK(RuntimeSettings({}, false).mode() == Mode::background);
  CHECK(RuntimeSettings({}, false).tunes());
  CHECK(RuntimeSettings({}, true).mode() == Mode::cache);
  CHECK(RuntimeSettings({.never_tune = true}, false).mode() == Mode::cache);
}

TEST_CASE("nothing is listed where nothing is looked for") {
  CHECK(RuntimeSettings({.wanted = true}, false).lists_misses());
  CHECK_FALSE(RuntimeSettings({.mode = Mode::off, .wanted = true}, false).lists_misses());
  const Variable wanted("TUNER_WANTED", "0");
  CHECK_FALSE(RuntimeSettings({.wanted = true}, false).lists_misses());
}

TEST_CASE("what is reported is one line, and what an observer throws goes no further") {
  std::vector<std::string> told;
  const RuntimeSettings settings({.observer =
                                      [&](const Notice& notice) {
                                        told.emplace_back(notice.sentence);
                                        throw 1;
                                      }},
                                 false);
  settings.report(Notice::Kind::engine, "two\nlines");
  REQUIRE(told.size() == 1);
  CHECK(told.front().find('\n') == std::string::npos);
}

}  // namespace
}  // namespace tuner::detail
