// What the commands say where there is no queue, or where one may not be named so.
#include <doctest/doctest.h>

#include <unistd.h>

#include <cctype>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"
#include "tests/fleet/scale_kernel.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/text.hpp"
#include "tuner/fleet/queue/address.hpp"

using namespace tuner::test;
using tuner::fleet::Address;

TEST_CASE("a password in the address is refused and not shown, wherever it is given") {
  User user;
  for (const std::string& address :
       {std::string("postgresql://anna:hunter2@localhost/tuner"), std::string("host=localhost password=hunter2"),
        std::string("postgresql://localhost/tuner?password=hunter2"),
        std::string("postgresql://anna:hunter2%zz@localhost/tuner"),
        std::string("postgresql://anna:hunter2/hunter2@localhost/tuner"),
        std::string("postgresql://anna:5432/hunter2@localhost/tuner"), std::string("postgresql://anna:hunter2")}) {
    CAPTURE(address);
    const Result given = user.run({"fleet", "status", "--queue", address});
    check_error(given, 2, {"address"});
    CHECK_FALSE(contains(given.err, "hunter2"));
    const Result twice = user.run({"pull", "--queue", address, "--queue", address});
    check_error(twice, 2, {"--queue is given twice"});
    CHECK_FALSE(contains(twice.err, "hunter2"));
    User other;
    other.environment["TUNER_QUEUE"] = address;
    const Result set = other.run({"fleet", "cancel", "1"});
    check_error(set, 2, {"address"});
    CHECK_FALSE(contains(set.err, "hunter2"));
  }
}

TEST_CASE("a password is refused and not shown whatever characters it has and wherever they stand") {
  std::vector<std::string> marks{"\xc3\xa9", "\xff", "%zz", "%00", "%40", "?a=b", "?host=hunter2", "/x?host=hunter2"};
  for (int c = 1; c <= 0x7f; ++c) {
    if (std::isalnum(c) == 0) marks.emplace_back(1, static_cast<char>(c));
  }
  for (const std::string& mark : marks) {
    for (const std::string& password : {"hunter2" + mark + "hunter2", mark + "hunter2", "hunter2" + mark,
                                        // What could be a port is not taken for a password at once.
                                        "5432" + mark + "hunter2"}) {
      for (const std::string& address :
           {"postgresql://anna:" + password + "@localhost/tuner", "postgres://anna:" + password + "@localhost:5432",
            "postgresql://anna:" + password + "@/tuner?host=/nowhere",
            "postgresql://localhost/tuner?password=" + password, "host=localhost password=" + password,
            "host=localhost password='" + password + "'", "password=" + password + " host=localhost"}) {
        CAPTURE(address);
        const std::string said = error_of([&] {
          const Address read(address);
          read.is_away();
        });
        CHECK(contains(said, "The queue's address"));
        CHECK_FALSE(contains(said, "hunter2"));
      }
    }
  }
}

TEST_CASE("a password behind a colon written %3A was a user's name, and in an address for a database its name") {
  for (const char* const address :
       {"postgresql://anna%3Ahunter2@localhost/tuner", "postgres://anna%3ahunter2@localhost/tuner",
        "postgresql://localhost/tuner?user=anna%3Ahunter2", "host=localhost user=anna:hunter2",
        "host=localhost dbname=postgresql://anna:hunter2@localhost/tuner",
        "postgresql://localhost/postgresql%3A%2F%2Fanna:hunter2%40localhost"}) {
    CAPTURE(address);
    User user;
    const Result result = user.run({"fleet", "status", "--queue", address});
    check_error(result, 2, {"The queue's address"});
    CHECK_FALSE(contains(result.err, "hunter2"));
  }
}

TEST_CASE("`://` and `@` in a value were taken for an address with a password") {
  CHECK_NOTHROW(Address("host=localhost options='-c a=b://c@d@e'"));
  CHECK_NOTHROW(Address("postgresql://anna%40home@localhost/tuner?application_name=a://b@c@d"));
}

TEST_CASE("an address where something else belongs is not shown with its password either") {
  User user;
  user.environment["TUNER_QUEUE"] = "postgresql:///tuner?host=" + user.home().string();
  for (const std::vector<std::string>& words : {std::vector<std::string>{"fleet"},
                                                {"fleet", "status"},
                                                {"fleet", "submit"},
                                                {"fleet", "cancel"},
                                                {"pull"},
                                                {"tune"},
                                                {"show"}}) {
    std::vector<std::string> all = words;
    CAPTURE(words);
    for (const char* const colon : {":", "%3A", "%3a"}) {
      all.push_back(std::string("postgresql://anna") + colon + "hunter2@localhost/tuner");
      const Result result = user.run(all);
      all.pop_back();
      CHECK(result.exit_code != 0);
      CHECK_FALSE(result.err.empty());
      CHECK_FALSE(contains(result.err + result.out, "hunter2"));
    }
  }
}

TEST_CASE("a queue that cannot be reached is one sentence without the password, and exit code 5") {
  User user;
  user.environment["PGPASSWORD"] = "hunter2";
  const std::string nowhere = "postgresql:///hunter2?host=" + user.home().string();
  const Result result = user.run({"pull", "--queue", nowhere});
  check_error(result, 5, {"The queue cannot be reached"});
  CHECK_FALSE(contains(result.err, "hunter2"));
}

TEST_CASE("what cannot be meant is refused with one sentence") {
  User user;
  check_error(user.run({"fleet"}), 2, {"submit, work, status, cancel"});
  const Result mistyped = user.run({"fleet", "sumbit"});
  check_error(mistyped, 2, {"not by `sumbit`. Did you mean `tuner fleet submit`?"});
  CHECK_FALSE(contains(mistyped.err, "?."));
  user.folder().write("scale.cu", kScaleKernel);
  user.folder().write("factor.cuh", "#define FACTOR 2\n");
  check_error(user.run({"fleet", "submit", "scale.cu", "--problem", "n=1", "--on", ","}), 2, {"--on names no GPU"});
  check_error(user.run({"fleet", "submit", "scale.cu", "--problem", "n=0"}), 2, {"1 <= n"});
  check_error(user.run({"fleet", "status"}), 2, {"TUNER_QUEUE"});
  check_error(user.run({"fleet", "submit"}), 2, {"needs a kernel file"});
  check_error(user.run({"fleet", "cancel"}), 2, {"needs the numbers"});
  check_error(user.run({"fleet", "cancel", "all"}), 2, {"no number of a job"});
  check_error(user.run({"fleet", "status", "--on", "H200"}), 2, {"--on has no meaning for `tuner fleet status`"});
  check_error(user.run({"fleet", "work", "x.cu", "--as-root"}), 2, {"not files"});
  if (geteuid() == 0) check_error(user.run({"fleet", "work"}), 2, {"not as root"});
}
