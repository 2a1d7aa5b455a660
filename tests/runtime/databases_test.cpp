// Databases that are missing, damaged, foreign, newer, locked or not to be trusted: the next rung, said once.
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "cache/file/location.hpp"
#include "cache/sqlite/sqlite.hpp"
#include "tests/runtime/cubin_builder.hpp"
#include "tests/runtime/machine.hpp"

using namespace tuner;
using namespace tuner::test;
using cache::test::read_bytes;
using cache::test::sql;
using cache::test::write_bytes;

namespace {

namespace fs = std::filesystem;

/// Asks twice, for problems of their own, and expects the baseline from both and one message that contains `word`.
void check_is_a_miss(Machine& machine, const std::string& word, RuntimeOptions options) {
  Runtime runtime(std::move(options));
  const Kernel kernel = runtime.kernel(wave());
  const Instance& instance = kernel.request({100, 1000});
  INFO(instance.provenance().why);
  CHECK(instance.rung() == Rung::baseline);
  CHECK(launched(instance) == kBaseline);
  kernel.request({101, 1000});
  kernel.request({65000, 99000});
  const std::vector<std::string> said = machine.heard(Notice::Kind::database);
  REQUIRE(said.size() == 1);
  CHECK(contains(said[0], word));
}

/// A database with a winner, and a system database that has nothing but binaries of the baseline.
class TwoDatabases : public Machine {
 public:
  TwoDatabases() {
    tuned();
    for (const char* problem : {"rows=100,columns=1000", "rows=65000,columns=99000"})
      compile({.configuration = kBaseline, .problem = problem}, system());
    decide({.problem = "rows=1,columns=1"}, system());
  }
  fs::path system() const { return folder() / "system"; }
  fs::path decisions() const { return home() / "decisions.db"; }
  fs::path binaries() const { return home() / "binaries.db"; }
  RuntimeOptions options(Mode mode = Mode::cache) {
    RuntimeOptions both = Machine::options(mode);
    both.system_databases = {system()};
    return both;
  }
};

}  // namespace

TEST_CASE("without any database the request is a miss, and nothing is created or said about it") {
  Machine machine;
  {
    Runtime runtime(machine.options());
    CHECK(runtime.kernel(wave()).request({100, 1000}).rung() == Rung::unrunnable);
  }
  CHECK_FALSE(fs::exists(machine.home()));
  CHECK(machine.heard(Notice::Kind::database).empty());
}

TEST_CASE("a damaged database is a miss") {
  TwoDatabases machine;
  std::string bytes = read_bytes(machine.decisions());
  for (std::size_t i = 100; i < bytes.size(); i += 7) bytes[i] = static_cast<char>(i);
  write_bytes(machine.decisions(), bytes);
  check_is_a_miss(machine, "decisions.db", machine.options());
}

TEST_CASE("a database that ends too early is a miss") {
  TwoDatabases machine;
  fs::resize_file(machine.decisions(), 6000);
  check_is_a_miss(machine, "decisions.db", machine.options());
}

TEST_CASE("a file that is no database is a miss") {
  TwoDatabases machine;
  write_bytes(machine.decisions(), "These are the notes of a user, which happen to have this name.\n");
  check_is_a_miss(machine, "decisions.db", machine.options());
}

TEST_CASE("a database of another program is a miss") {
  TwoDatabases machine;
  fs::remove(machine.decisions());
  sql(machine.decisions(), "PRAGMA application_id = 17; CREATE TABLE notes (text)");
  check_is_a_miss(machine, "decisions.db", machine.options());
}

TEST_CASE("a database of a newer version is a miss") {
  TwoDatabases machine;
  sql(machine.decisions(), "PRAGMA user_version = 99");
  check_is_a_miss(machine, "newer", machine.options());
}

TEST_CASE("an empty file is no database yet") {
  TwoDatabases machine;
  CHECK(Runtime(machine.options()).kernel(wave()).request({100, 1000}).rung() == Rung::exact);  // which writes a row
  CHECK(fs::exists(machine.home() / "served.db"));
  fs::resize_file(machine.decisions(), 0);
  Runtime runtime(machine.options());
  CHECK(runtime.kernel(wave()).request({100, 1000}).rung() == Rung::baseline);
  CHECK(machine.heard(Notice::Kind::database).empty());
}

TEST_CASE("a folder where the database should be is a miss") {
  TwoDatabases machine;
  fs::remove(machine.decisions());
  fs::create_directory(machine.decisions());
  check_is_a_miss(machine, "decisions.db", machine.options());
}

TEST_CASE("a choice that is no name of a database is a miss") {
  TwoDatabases machine;
  RuntimeOptions options = machine.options();
  options.database = machine.folder() / "notes.txt";
  write_bytes(options.database, "notes");
  check_is_a_miss(machine, "notes.txt", options);
}

TEST_CASE("a database that another program holds longer than one waits is a miss, and is asked again") {
  TwoDatabases machine;
  RuntimeOptions options = machine.options();
  options.database_patience = std::chrono::milliseconds(1);
  Runtime runtime(options);
  const Kernel kernel = runtime.kernel(wave());
  {
    const cache::sqlite::Connection held(machine.decisions(), SQLITE_OPEN_READWRITE, std::chrono::milliseconds(0));
    held.execute("BEGIN EXCLUSIVE");
    const Instance& instance = kernel.request({101, 1000});
    INFO(instance.provenance().why);
    CHECK(instance.rung() == Rung::baseline);
    CHECK(machine.heard(Notice::Kind::database).size() == 1);
  }
  CHECK(kernel.request({100, 1000}).rung() == Rung::exact);
  CHECK(machine.heard(Notice::Kind::database).size() == 1);
}

TEST_CASE("what a lock kept from a request is found when it is asked again, and by who holds the instance") {
  TwoDatabases machine;
  RuntimeOptions options = machine.options();
  options.database_patience = std::chrono::milliseconds(5);
  Runtime runtime(std::move(options));
  const Kernel kernel = runtime.kernel(wave());
  const Instance* early = nullptr;
  {
    const cache::sqlite::Connection held(machine.decisions(), SQLITE_OPEN_READWRITE, std::chrono::milliseconds(0));
    held.execute("BEGIN EXCLUSIVE");
    early = &kernel.request({100, 1000});
    CHECK(early->rung() == Rung::baseline);
    CHECK(contains(early->provenance().why, "unknown"));
    CHECK(&kernel.request({100, 1000}) == early);
    held.execute("ROLLBACK");
  }
  for (int i = 0; i < 15'000 && kernel.request({100, 1000}).rung() != Rung::exact; ++i) usleep(20'000);
  CHECK(&kernel.request({100, 1000}) == early);
  CHECK(early->rung() == Rung::exact);
  CHECK(launched(*early) == Stored{}.configuration);
}

TEST_CASE("a decision of the user's that cannot be used does not hide one of a system database") {
  Machine machine;
  machine.tuned({}, machine.folder() / "system");
  machine.decide({.configuration = "BLOCK=4096,ITEMS=1,STORE=streaming"});
  RuntimeOptions options = machine.options();
  options.system_databases = {machine.folder() / "system"};
  Runtime runtime(std::move(options));
  const Instance& instance = runtime.kernel(wave()).request({100, 1000});
  CHECK(instance.rung() == Rung::exact);
  CHECK(launched(instance) == Stored{}.configuration);
}

TEST_CASE("a database that appears later is found by the next request") {
  Machine machine;
  Runtime runtime(machine.options());
  const Kernel kernel = runtime.kernel(wave());
  CHECK(kernel.request({300, 1000}).rung() == Rung::unrunnable);
  machine.tuned();
  CHECK(kernel.request({100, 1000}).rung() == Rung::exact);
}

TEST_CASE("a database that is not ours to read is a miss") {
  TwoDatabases machine;
  cache::test::hand_over(machine.folder());
  CHECK(chmod(machine.decisions().c_str(), 0) == 0);
  CHECK(chmod(machine.home().c_str(), 0755) == 0);
  CHECK(cache::test::in_unprivileged_child([&] {
          RuntimeOptions options = machine.options();
          Runtime runtime(options);
          const Rung rung = runtime.kernel(wave()).request({100, 1000}).rung();
          const auto said = machine.heard(Notice::Kind::database);
          if (rung == Rung::exact) throw std::runtime_error("it was read");
          if (said.empty() || !contains(said[0], "decisions.db")) throw std::runtime_error("nothing was said");
        }) == 0);
}

TEST_CASE("binaries from a file that others may write are not used, the decision is") {
  Machine machine;
  machine.decide({});
  machine.compile({}, machine.folder() / "shared");
  machine.compile({.configuration = kBaseline});
  const fs::path shared = machine.folder() / "shared";
  machine.decide({.problem = "rows=1,columns=1"}, shared);
  CHECK(chmod((shared / "binaries.db").c_str(), 0666) == 0);
  RuntimeOptions options = machine.options();
  options.system_databases = {shared};
  Runtime runtime(options);
  const Instance& instance = runtime.kernel(wave()).request({100, 1000});
  INFO(instance.provenance().why);
  // It would have to be compiled, and there is no engine here.
  CHECK(instance.rung() == Rung::baseline);
  CHECK(contains(instance.provenance().why, Stored{}.configuration));
  const auto said = machine.heard(Notice::Kind::database);
  REQUIRE(said.size() == 1);
  CHECK(contains(said[0], "binaries.db"));
}

TEST_CASE("binaries behind a symbolic link are not used") {
  Machine machine;
  machine.tuned();
  fs::rename(machine.home() / "binaries.db", machine.folder() / "elsewhere.db");
  fs::create_symlink(machine.folder() / "elsewhere.db", machine.home() / "binaries.db");
  Runtime runtime(machine.options());
  CHECK(runtime.kernel(wave()).request({100, 1000}).rung() == Rung::unrunnable);
  const auto said = machine.heard(Notice::Kind::database);
  REQUIRE(said.size() == 1);
  CHECK(contains(said[0], "binaries.db"));
}

TEST_CASE("a binary that is not what it was is not used") {
  TwoDatabases machine;
  sql(machine.binaries(), "UPDATE binary SET bytes = zeroblob(length(bytes))");
  Runtime runtime(machine.options());
  const Instance& instance = runtime.kernel(wave()).request({100, 1000});
  INFO(instance.provenance().why);
  CHECK(instance.rung() == Rung::baseline);
  CHECK(launched(instance) == kBaseline);
}

TEST_CASE("damaged binaries leave the decisions in force") {
  TwoDatabases machine;
  machine.compile({}, machine.system());
  write_bytes(machine.binaries(), "no database");
  Runtime runtime(machine.options());
  const Instance& instance = runtime.kernel(wave()).request({100, 1000});
  INFO(instance.provenance().why);
  CHECK(instance.rung() == Rung::exact);
  CHECK(machine.heard(Notice::Kind::database).size() == 1);
}

TEST_CASE("what was replayed is never served, and what was imported is") {
  Machine machine;
  machine.tuned({.origin = cache::Origin::imported});
  Runtime first(machine.options());
  CHECK(first.kernel(wave()).request({100, 1000}).rung() == Rung::exact);
  machine.tuned({.problem = "rows=9000,columns=1000", .origin = cache::Origin::replay});
  Runtime second(machine.options());
  CHECK(second.kernel(wave()).request({9000, 1000}).rung() == Rung::baseline);
  CHECK(second.kernel(wave()).request({9001, 1000}).rung() != Rung::near_size);
}

TEST_CASE("what was forgotten is not served") {
  Machine machine;
  machine.tuned();
  cache::SqliteStore::open({.path = machine.home() / "decisions.db"})->forget({}, cache::Forget::everything);
  Runtime runtime(machine.options());
  CHECK(runtime.kernel(wave()).request({100, 1000}).rung() == Rung::baseline);
  CHECK(runtime.kernel(wave()).request({101, 1000}).rung() != Rung::near_size);
}

TEST_CASE("the user's database comes first, then system databases in order, then those of TUNER_SYSTEM_DB") {
  Machine machine;
  const auto configuration = [](int block) { return "BLOCK=" + std::to_string(block) + ",ITEMS=1,STORE=streaming"; };
  const auto store = [&](int block, const char* name) {
    machine.tuned({.configuration = configuration(block)}, machine.folder() / name);
  };
  RuntimeOptions options = machine.options();
  options.system_databases = {machine.folder() / "first", machine.folder() / "second"};
  const Variable named("TUNER_SYSTEM_DB",
                       (machine.folder() / "third").string() + "::" + (machine.folder() / "fourth/own.db").string());
  const auto served = [&] {
    Runtime runtime(options);
    const Provenance provenance = runtime.kernel(wave()).request({100, 1000}).provenance();
    INFO(provenance.why);
    CHECK(provenance.rung == Rung::exact);
    return provenance;
  };
  store(512, "fourth/own.db");
  CHECK(served().configuration == configuration(512));
  CHECK(served().database == machine.folder() / "fourth/own.db");
  store(256, "third");
  CHECK(served().configuration == configuration(256));
  store(128, "second");
  CHECK(served().configuration == configuration(128));
  store(64, "first");
  CHECK(served().configuration == configuration(64));
  store(512, "user");
  CHECK(served().configuration == configuration(512));
  CHECK(served().database == machine.home() / "decisions.db");
}

TEST_CASE("a system database that is not there is said, and the others serve") {
  Machine machine;
  machine.tuned({}, machine.folder() / "system");
  RuntimeOptions options = machine.options();
  options.system_databases = {machine.folder() / "missing", machine.folder() / "system"};
  Runtime runtime(options);
  CHECK(runtime.kernel(wave()).request({100, 1000}).rung() == Rung::exact);
  const auto said = machine.heard(Notice::Kind::database);
  REQUIRE(said.size() == 1);
  CHECK(contains(said[0], "missing"));
}

TEST_CASE("a system database without a file for binaries takes them from the user's") {
  Machine machine;
  machine.decide({}, machine.folder() / "system");
  machine.compile({});
  RuntimeOptions options = machine.options();
  options.system_databases = {machine.folder() / "system"};
  Runtime runtime(options);
  CHECK(launched(runtime.kernel(wave()).request({100, 1000})) == Stored{}.configuration);
  CHECK(machine.notices().empty());
}

TEST_CASE("a read-only system database serves, from a folder that cannot be written") {
  Machine machine;
  const fs::path system = machine.folder() / "system";
  machine.tuned({}, system);
  for (const char* name : {"decisions.db", "binaries.db"}) CHECK(chmod((system / name).c_str(), 0444) == 0);
  CHECK(chmod(system.c_str(), 0555) == 0);
  RuntimeOptions options = machine.options();
  options.system_databases = {system};
  {
    Runtime runtime(options);
    CHECK(launched(runtime.kernel(wave()).request({100, 1000})) == Stored{}.configuration);
  }
  CHECK(machine.notices().empty());
  CHECK(chmod(system.c_str(), 0755) == 0);
}

TEST_CASE("TUNER_DB names the user's database where the program names none") {
  Machine machine;
  machine.tuned({}, machine.folder() / "chosen");
  const Variable chosen("TUNER_DB", (machine.folder() / "chosen").string());
  RuntimeOptions options = machine.options();
  options.database.clear();
  Runtime runtime(options);
  CHECK(runtime.kernel(wave()).request({100, 1000}).rung() == Rung::exact);
  Runtime other(machine.options());
  CHECK(other.kernel(wave()).request({100, 1000}).rung() == Rung::unrunnable);
}

TEST_CASE("without a choice and without a home there is no database, which is said") {
  Machine machine;
  unsetenv("HOME");
  unsetenv("XDG_DATA_HOME");
  RuntimeOptions options = machine.options();
  options.database.clear();
  Runtime runtime(options);
  CHECK(runtime.kernel(wave()).request({100, 1000}).rung() == Rung::unrunnable);
  CHECK(machine.heard(Notice::Kind::database).size() == 1);
}

TEST_CASE("a database of the first format is read as it is") {
  Machine machine;
  const fs::path copy = machine.home() / "decisions.db";
  fs::create_directories(machine.home());
  fs::copy_file(fs::path(TUNER_TEST_DATA) / "decisions-format-1.sqlite", copy);
  const std::string before = read_bytes(copy);
  machine.compile({.configuration = kBaseline});
  Runtime runtime(machine.options());
  CHECK(runtime.kernel(wave()).request({100, 1000}).rung() == Rung::baseline);
  CHECK(machine.notices().empty());
  CHECK(read_bytes(copy) == before);
}
