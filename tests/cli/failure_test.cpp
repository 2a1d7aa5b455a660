#include <doctest/doctest.h>
#include <sys/resource.h>

#include "tests/cli/stored.hpp"

using namespace tuner::test;

TEST_CASE("too little memory was told to be a bug in the program") {
  User user;
  record(*open_database(user), decision_on_h200("prefetch", "n=1"));
  for (const Words& words :
       {Words{"report", "-o", "-"}, Words{"simulate", data_file("scale.csv"), "--repeats", "50"}}) {
    int exit_code = -1;
    for (rlim_t megabytes = 16; exit_code != 0 && megabytes < 500; ++megabytes) {
      CAPTURE(megabytes);
      user.before_start = [megabytes] {
        const rlimit memory{.rlim_cur = megabytes << 20, .rlim_max = megabytes << 20};
        setrlimit(RLIMIT_AS, &memory);
      };
      const Result result = user.run(words);
      exit_code = result.exit_code;
      CAPTURE(result.err);
      CHECK(exit_code != 70);
      CHECK(exit_code < 128);  // 127: there was too little for its libraries
      if (exit_code == 71) CHECK(contains(result.err, "run fewer programs at once"));
    }
    CHECK(exit_code == 0);
  }
}
