// What `tuner pack` writes, as a program finds it: the real program and compiler, and the fake driver for a GPU.
#include <sys/wait.h>

#include <cstdio>

#include "cache/file/location.hpp"
#include "cache/store/binary_store.hpp"
#include "cache/store/sqlite_store.hpp"
#include "tests/runtime/machine.hpp"
#include "tests/support/shell_word.hpp"
#include "tuner/core/task/binary_key.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

namespace fs = std::filesystem;

const std::string kShared = Stored{}.configuration;
const std::string kOther = "BLOCK=512,ITEMS=1,STORE=plain";

struct Ended {
  int exit_code = -1;
  std::string said;
};

/// A machine on which one configuration won two problems, and lost a third by one per cent.
class PackingMachine : public Machine {
 public:
  PackingMachine() {
    remember(kShared, "rows=100,columns=1000", {});
    remember(kShared, "rows=100,columns=2000", {});
    remember(kOther, "rows=100,columns=4000", {{kShared, 202}});
  }
  fs::path pack() const { return folder() / "pack"; }

  Ended run(const std::string& arguments) const {
    Ended ended;
    std::FILE* const pipe = popen((shell_word(TUNER_PROGRAM) + " " + arguments + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) ended.said += static_cast<char>(c);
    ended.exit_code = WEXITSTATUS(pclose(pipe));
    return ended;
  }
  Ended run_pack(const std::string& options = "") const {
    return run("pack " + shell_word(pack()) + " --db " + shell_word(home()) + " " + options);
  }
  /// A program of somebody who has the pack and nothing else.
  RuntimeOptions elsewhere() {
    RuntimeOptions other = options();
    other.database = folder() / "nothing";
    other.system_databases = {pack()};
    return other;
  }

 private:
  /// A decision with its source, whose winner took 200 ns in the search, and what others took.
  void remember(const std::string& winner, const std::string& problem,
                std::vector<std::pair<std::string, double>> others) {
    const Stored stored{.configuration = winner, .problem = problem};
    const std::int64_t row = decide(stored);
    compile(stored);
    const auto store = cache::SqliteStore::open({.path = cache::locate(home()).decisions});
    store->record_texts(row, std::vector<cache::DecisionText>{{cache::TextKind::source, "wave.cu", kWave}});
    others.emplace_back(winner, 200);
    for (const auto& [configuration, time_ns] : others) {
      cache::Trial trial;
      static_cast<cache::Run&>(trial) = store->find_decision(row).value();
      trial.configuration = configuration;
      trial.time_ns = time_ns;
      trial.launch = "grid=1x100x1 block=256x1x1 shared=1024";
      store->record_trials({&trial, 1});
    }
  }

  Variable programs_{"TUNER_LIBEXEC", TUNER_TEST_PROGRAMS};
};

}  // namespace

TEST_CASE("a program is served exactly, from a pack that has fewer binaries than winners") {
  PackingMachine machine;
  {
    Runtime runtime(machine.options());  // which keeps what it starts from the next time
    for (const int columns : {1000, 4000}) CHECK(runtime.kernel(wave()).request({100, columns}).rung() == Rung::exact);
  }
  CHECK(fs::exists(machine.home() / "served.db"));
  const Ended packed = machine.run_pack();
  INFO(packed.said);
  REQUIRE(packed.exit_code == 0);
  CHECK(contains(packed.said, "3 decisions served by 1 binary"));
  CHECK(contains(packed.said, "instead of 2"));
  CHECK(contains(packed.said, "At most 1 % is lost"));
  fs::remove_all(machine.home());
  CHECK(cache::test::sql(machine.pack() / "served.db", "SELECT count(*) FROM served WHERE decision_id <> ''").at(0) ==
        "1");

  Runtime runtime(machine.elsewhere());
  const Kernel kernel = runtime.kernel(wave());
  for (const int columns : {1000, 2000, 4000}) {
    const Instance& instance = kernel.request({100, columns});
    INFO(instance.provenance().why);
    CHECK(instance.rung() == Rung::exact);
    CHECK(launched(instance, columns) == kShared);
  }
  const Provenance other = kernel.request({100, 4000}).provenance();
  CHECK(contains(other.why, "by a pack in place of a winner that is 1 % faster"));
  CHECK(other.expected_time->count() == doctest::Approx(20200));
  CHECK(other.speedup.value() == doctest::Approx(1.5 / 1.01));
  CHECK_FALSE(other.speedup_low);
  CHECK(machine.heard(Notice::Kind::database).empty());
  // What won keeps its interval, and serves near sizes; what was only timed there does not.
  CHECK(kernel.request({100, 1000}).provenance().speedup_low);
  CHECK(kernel.request({100, 1100}).rung() == Rung::near_size);
  CHECK(kernel.request({100, 15000}).rung() != Rung::near_size);
}

TEST_CASE("where nothing may be lost every winner is packed") {
  PackingMachine machine;
  CHECK(contains(machine.run_pack("--within 0%").said, "3 decisions served by 2 binaries"));
  Runtime runtime(machine.elsewhere());
  CHECK(launched(runtime.kernel(wave()).request({100, 4000}), 4000) == kOther);
}

TEST_CASE("what is not stored is compiled from the stored source, and without a toolkit nothing is left") {
  PackingMachine machine;
  fs::remove(cache::locate(machine.home()).binaries);
  {
    const Variable no_toolkit("TUNER_NVRTC", "/nowhere");
    const Ended ended = machine.run_pack();
    INFO(ended.said);
    CHECK(ended.exit_code == 4);
    CHECK(contains(ended.said, "1 compiled member is not stored: that of `wave` for TYPE=float,columns=1000"));
    CHECK(std::count(ended.said.begin(), ended.said.end(), '\n') == 1);
    CHECK_FALSE(fs::exists(machine.pack()));
  }
  const Ended packed = machine.run_pack("--json");
  INFO(packed.said);
  REQUIRE(packed.exit_code == 0);
  CHECK(contains(packed.said, "\"compiled\": 1"));
  // The fake driver does not load what a compiler made: what programs look for is there for each problem.
  const auto binaries =
      cache::BinaryStore::open({.path = machine.pack() / "binaries.db", .access = cache::Access::read_only});
  for (const char* problem : {"rows=100,columns=1000", "rows=100,columns=2000", "rows=100,columns=4000"}) {
    const Task task = task_of({.problem = problem});
    const auto binary = binaries->find_compiled(binary_key(task, task.space().parse(kShared)));
    REQUIRE(binary);
    CHECK(binary->kernel == "wave");
    CHECK(binary->architecture == gpu().architecture());
  }
  // Beside the pack nothing was left.
  for (const auto& entry : fs::directory_iterator(machine.folder()))
    CHECK_FALSE(contains(entry.path().filename(), ".pack."));
}
