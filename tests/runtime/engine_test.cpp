// A program with its engine: real programs, compiler and database, and the fake driver for a GPU. The kernel is that of
// tests/end_to_end: what a launch does is written in its binaries.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/runtime/machine.hpp"

using namespace tuner;
using namespace tuner::test;

namespace fs = std::filesystem;

namespace {

/// What runs in the background gets what is left of the cores, and here that may be little.
constexpr std::chrono::minutes kPatience{8};

const std::string kDefaults = "FLAVOUR=0,KIND=right,VARIANT=0";
const std::string kFastest = "FLAVOUR=2,KIND=right,VARIANT=12";

class EngineMachine : public Machine {
 public:
  RuntimeOptions options(Mode mode = Mode::cache) {
    RuntimeOptions options = Machine::options(mode);
    options.tune_limit = kPatience;
    options.compile_limit = kPatience;
    options.background_share = 1;
    return options;
  }

 private:
  Variable programs_{"TUNER_LIBEXEC", TUNER_TEST_PROGRAMS};
  // Of its own, since sessions on one GPU wait for each other.
  Variable gpu_{"FAKE_DRIVER_GPU", folder().string()};
};

/// Its launches take their time, so that a quick search does not pay for all of larger_space(), however fast the
/// compiler.
class SlowMachine : public EngineMachine {
  Variable driver_{"FAKE_DRIVER", "noise=3 real=150"};
};

/// Four configurations, all of them right. `more` stands at the end of the source.
Description small_space(const std::string& first_kind = "right", const std::string& more = {}) {
  std::string text = cache::test::read_bytes(TUNER_FAULTS);
  if (first_kind != "right") {
    const std::string kinds = "param(KIND, right, does_not_compile";
    text.replace(text.find(kinds), kinds.size(), "param(KIND, does_not_compile, right");
  }
  text +=
      "\n#pragma tuner constraint(KIND in (right, " + first_kind + ") && VARIANT in (0, 12) && FLAVOUR in (0, 2))\n";
  return Description::from_text(text + more, {.name = "faults.cu"});
}

/// Sixty-four configurations, all of them right: more than a quick search tries.
Description larger_space() {
  const std::string text = cache::test::read_bytes(TUNER_FAULTS);
  return Description::from_text(text + "\n#pragma tuner constraint(KIND == right)\n", {.name = "faults.cu"});
}

/// What a program passes, and looks at afterwards.
struct Data {
  std::vector<double> values = std::vector<double>(1000, 1.5), doubled = std::vector<double>(1000);
  std::vector<int> counts = std::vector<int>(1000);

  /// Whether the kernel was queued and computed what it should.
  bool launch(const Instance& instance) {
    doubled.assign(doubled.size(), 0);
    const double* const in = values.data();
    const LaunchStatus status =
        instance.launch(nullptr, in, doubled.data(), counts.data(), scratch, static_cast<int>(values.size()));
    INFO(status.message);
    return status && doubled == std::vector<double>(1000, 3.0);
  }
};

bool eventually(const std::function<bool()>& condition) {
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

std::string read(const fs::path& file) {
  return fs::exists(file) ? cache::test::read_bytes(file) : "";
}

/// The engines of this process that live, but for zombies.
std::vector<pid_t> engines() {
  std::vector<pid_t> found;
  std::error_code gone;  // processes come and go meanwhile
  for (const auto& entry : fs::directory_iterator("/proc", gone)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    // "PID (program) state parent ..."
    std::ifstream file(entry.path() / "stat");
    std::string stat;
    std::getline(file, stat);
    if (!contains(stat, "(tuner-engine)")) continue;
    std::istringstream fields(stat.substr(stat.rfind(')') + 1));
    char state = 'Z';
    pid_t parent = 0;
    fields >> state >> parent;
    if (state != 'Z' && parent == getpid()) found.push_back(std::stoi(name));
  }
  return found;
}

}  // namespace

TEST_CASE("a baseline without a binary is compiled by the engine, and kept for the next program") {
  EngineMachine machine;
  Data data;
  {
    Runtime runtime(machine.options());
    const Instance& instance = runtime.kernel(small_space()).request({1000});
    INFO(instance.provenance().why);
    CHECK(instance.rung() == Rung::baseline);
    CHECK(instance.provenance().configuration == kDefaults);
    CHECK(data.launch(instance));
    CHECK(machine.notices().empty());
  }
  CHECK(eventually([] { return engines().empty(); }));
  const Variable none("TUNER_LIBEXEC", (machine.folder() / "no-programs").string());
  Runtime runtime(machine.options());
  const Instance& instance = runtime.kernel(small_space()).request({1000});
  INFO(instance.provenance().why);
  CHECK(instance.rung() == Rung::baseline);
  CHECK(data.launch(instance));
}

TEST_CASE("what the compiler says about a baseline is the reason why it is not served") {
  EngineMachine machine;
  Runtime runtime(machine.options());
  const Instance& instance = runtime.kernel(small_space("does_not_compile")).request({1000});
  CHECK(instance.rung() == Rung::unrunnable);
  CHECK(contains(instance.provenance().why, "meant not to compile"));
}

TEST_CASE("where nothing can be stored the same baseline was compiled once for each new size") {
  EngineMachine machine;
  RuntimeOptions options = machine.options();
  options.database = "/proc/nothing-can-be-stored-here";
  Runtime runtime(options);
  const Kernel right = runtime.kernel(small_space());
  const Kernel wrong = runtime.kernel(small_space("does_not_compile"));
  CHECK(right.request({1000}).rung() == Rung::baseline);
  CHECK(wrong.request({1000}).rung() == Rung::unrunnable);
  const Variable none("TUNER_LIBEXEC", (machine.folder() / "no-programs").string());
  for (const pid_t engine : engines()) kill(engine, SIGKILL);
  CHECK(eventually([] { return engines().empty(); }));
  const Instance& next = right.request({2000});
  INFO(next.provenance().why);
  CHECK(next.rung() == Rung::baseline);
  CHECK(contains(wrong.request({2000}).provenance().why, "meant not to compile"));
}

TEST_CASE("without a toolkit and without a binary it is unrunnable, and says what was looked for") {
  EngineMachine machine;
  const Variable toolkit("TUNER_NVRTC", (machine.folder() / "libnvrtc.so").string());
  Runtime runtime(machine.options());
  const Instance& instance = runtime.kernel(small_space()).request({1000});
  INFO(instance.provenance().why);
  CHECK(instance.rung() == Rung::unrunnable);
  CHECK(contains(instance.provenance().why, "libnvrtc.so"));
  CHECK(machine.heard(Notice::Kind::engine).size() == 1);
}

TEST_CASE("a request waits no longer for the compiler than it was told") {
  EngineMachine machine;
  RuntimeOptions options = machine.options();
  options.compile_limit = std::chrono::milliseconds(1);
  Runtime runtime(options);
  const Instance& instance = runtime.kernel(small_space()).request({1000});
  INFO(instance.provenance().why);
  CHECK(instance.rung() == Rung::unrunnable);
  CHECK(machine.heard(Notice::Kind::engine).size() == 1);
}

TEST_CASE("in mode tune the request returns with the winner, and the next program finds it") {
  EngineMachine machine;
  Data data;
  {
    Runtime runtime(machine.options(Mode::tune));
    const Instance& instance = runtime.kernel(small_space()).request({1000});
    const Provenance provenance = instance.provenance();
    INFO(provenance.why);
    CHECK(provenance.rung == Rung::exact);
    CHECK(provenance.configuration == kFastest);
    CHECK(provenance.database == machine.home() / "decisions.db");
    CHECK(provenance.decision_id > 0);
    CHECK_FALSE(provenance.tuning);
    CHECK(data.launch(instance));
  }
  // The session left the row from which that starts, with its binary.
  CHECK(cache::test::sql(machine.home() / "served.db",
                         "SELECT CAST(decision_id AS INTEGER) FROM served WHERE decision_id <> ''") ==
        std::vector<std::string>{"1"});
  CHECK(eventually([] { return engines().empty(); }));
  fs::remove(machine.home() / "binaries.db");
  const Variable none("TUNER_LIBEXEC", (machine.folder() / "no-programs").string());
  Runtime runtime(machine.options());
  const Instance& instance = runtime.kernel(small_space()).request({1000});
  INFO(instance.provenance().why);
  CHECK(instance.rung() == Rung::exact);
  CHECK(instance.provenance().configuration == kFastest);
  CHECK(data.launch(instance));
}

TEST_CASE("contexts that ask for the same in mode tune share one session, and each gets the winner") {
  EngineMachine machine;
  Runtime runtime(machine.options(Mode::tune));
  const Kernel kernel = runtime.kernel(small_space());
  std::array<std::string, 3> winners;
  std::vector<std::thread> threads;
  for (std::string& winner : winners) {
    threads.emplace_back([&] {
      const OwnContext own;
      Data data;
      const Instance& instance = kernel.request({1000});
      if (data.launch(instance)) winner = instance.provenance().configuration;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& winner : winners) CHECK(winner == kFastest);
  CHECK(cache::test::sql(machine.home() / "decisions.db", "SELECT count(*) FROM trial")[0] == "4");
}

TEST_CASE("in mode background the baseline serves at once, and the winner takes its place while threads launch") {
  EngineMachine machine;
  OwnContext own;
  Runtime runtime(machine.options(Mode::background));
  const Kernel kernel = runtime.kernel(small_space());
  const Instance& instance = kernel.request({1000});
  const Provenance before = instance.provenance();
  INFO(before.why);
  CHECK(before.rung == Rung::baseline);
  CHECK(before.configuration == kDefaults);
  const void* const old_function = instance.shape().function;
  const std::size_t unloaded = inspector().modules_unloaded();

  std::atomic<bool> stop = false;
  std::atomic<int> launches = 0, failures = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      make_current(own.get());
      Data data;
      while (!stop) {
        failures += data.launch(instance) ? 0 : 1;
        ++launches;
        const Provenance now = instance.provenance();
        if (now.configuration != kDefaults && now.configuration != kFastest) ++failures;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  CHECK(runtime.wait_for_tuning(kPatience));
  CHECK(eventually([&, so_far = launches.load()] { return launches > so_far + 10; }));
  stop = true;
  for (std::thread& thread : threads) thread.join();

  CHECK(failures == 0);
  const Provenance after = instance.provenance();
  INFO(after.why);
  CHECK(after.rung == Rung::exact);
  CHECK(after.configuration == kFastest);
  CHECK_FALSE(after.tuning);
  CHECK(instance.shape().function != old_function);
  CHECK(inspector().modules_unloaded() == unloaded);
  CHECK(&kernel.request({1000}) == &instance);
  CHECK(machine.heard(Notice::Kind::tuning).size() == 2);
}

TEST_CASE("a program that waits is served a short search, and one in the background goes on from it") {
  SlowMachine machine;
  const auto sessions = [&] {
    return cache::test::sql(machine.home() / "decisions.db", "SELECT effort, evaluated FROM decision ORDER BY 1, 2");
  };
  {
    RuntimeOptions options = machine.options(Mode::tune);
    options.tune_evaluations = 60;  // a quick search of a space of 64 that costs little tries everything
    Runtime runtime(options);
    const Provenance quick = runtime.kernel(larger_space()).request({1000}).provenance();
    INFO(quick.why);
    CHECK(quick.rung == Rung::exact);
    CHECK(quick.effort == Effort::quick);
    CHECK(sessions() == std::vector<std::string>{"quick|60"});
  }
  {
    Runtime runtime(machine.options(Mode::tune));
    CHECK(runtime.kernel(larger_space()).request({1000}).provenance().effort == Effort::quick);
    CHECK(sessions().size() == 1);
  }
  Runtime runtime(machine.options(Mode::background));
  const Instance& instance = runtime.kernel(larger_space()).request({1000});
  CHECK(instance.rung() == Rung::exact);
  CHECK(runtime.wait_for_tuning(kPatience));
  CHECK(instance.provenance().effort == Effort::normal);
  CHECK(sessions() == std::vector<std::string>{"normal|64", "quick|60"});
}

TEST_CASE("a program that waits for more than is stored is served what a longer search finds") {
  SlowMachine machine;
  const auto served = [&](Effort effort) {
    RuntimeOptions options = machine.options(Mode::tune);
    options.effort = effort;
    Runtime runtime(options);
    return runtime.kernel(larger_space()).request({1000}).provenance();
  };
  CHECK(served(Effort::quick).effort == Effort::quick);
  CHECK(served(Effort::normal).effort == Effort::normal);
  CHECK(cache::test::sql(machine.home() / "decisions.db", "SELECT effort FROM decision ORDER BY decision_id") ==
        std::vector<std::string>{"quick", "normal"});
  CHECK(served(Effort::quick).effort == Effort::normal);
}

TEST_CASE("in the background a quick search is followed by a normal one") {
  for (const double threshold : {RuntimeOptions().swap_threshold, 100.0}) {  // what is found is taken, and is not
    CAPTURE(threshold);
    SlowMachine machine;
    RuntimeOptions options = machine.options(Mode::background);
    options.swap_threshold = threshold;
    Runtime runtime(options);
    const Instance& instance = runtime.kernel(larger_space()).request({1000});
    CHECK(instance.rung() == Rung::baseline);
    CHECK(runtime.wait_for_tuning(kPatience));
    CHECK(instance.provenance().effort == Effort::normal);
    CHECK_FALSE(instance.provenance().tuning);
    CHECK(cache::test::sql(machine.home() / "decisions.db", "SELECT effort FROM decision ORDER BY decision_id") ==
          std::vector<std::string>{"quick", "normal"});
  }
}

TEST_CASE("a winner that is not faster by the threshold is not swapped in, be there constants or not") {
  for (const char* const constants : {"", "__constant__ float w[4];\n#pragma tuner constant(w, float, 4, iota())\n"}) {
    CAPTURE(constants);
    EngineMachine machine;
    RuntimeOptions options = machine.options(Mode::background);
    options.swap_threshold = 100;
    Runtime runtime(options);
    const Instance& instance = runtime.kernel(small_space("right", constants)).request({1000});
    REQUIRE(instance.runnable());
    const void* const function = instance.shape().function;
    REQUIRE(runtime.wait_for_tuning(kPatience));
    const Provenance after = instance.provenance();
    CHECK(after.configuration == kDefaults);
    CHECK(contains(after.why, "Tuning found " + kFastest + ", which is not faster by enough to replace it."));
    CHECK_FALSE(after.tuning);
    CHECK(instance.shape().function == function);
  }
}

TEST_CASE("two programs that tune the same at once end on the same winner, and one of them measured it") {
  EngineMachine machine;
  std::string winners[2];
  std::vector<std::thread> programs;
  for (std::string& winner : winners) {
    programs.emplace_back([&] {
      Runtime runtime(machine.options(Mode::tune));
      winner = runtime.kernel(small_space()).request({1000}).provenance().configuration;
    });
  }
  for (std::thread& program : programs) program.join();
  CHECK(winners[0] == kFastest);
  CHECK(winners[1] == kFastest);
  const auto rows =
      cache::test::sql(machine.home() / "decisions.db", "SELECT count(*), count(DISTINCT configuration) FROM trial");
  REQUIRE(rows.size() == 1);
  CHECK(rows[0] == "4|4");
  CHECK(cache::test::sql(machine.home() / "decisions.db", "SELECT count(*) FROM decision")[0] == "1");
}

TEST_CASE("a tuning engine that is killed is replaced by another one, and the request gets its winner") {
  EngineMachine machine;
  const Variable journal("FAKE_DRIVER_JOURNAL", (machine.folder() / "journal").string());
  Runtime runtime(machine.options(Mode::tune));
  Provenance provenance;
  std::thread request([&] { provenance = runtime.kernel(small_space()).request({1000}).provenance(); });
  CHECK(eventually([&] { return contains(read(machine.folder() / "journal"), "launch right"); }));
  const std::vector<pid_t> first = engines();
  CHECK_FALSE(first.empty());
  for (const pid_t engine : first) kill(engine, SIGKILL);
  request.join();
  INFO(provenance.why);
  CHECK(provenance.rung == Rung::exact);
  CHECK(provenance.configuration == kFastest);
  const std::vector<pid_t> second = engines();
  REQUIRE_FALSE(second.empty());
  CHECK(std::find(first.begin(), first.end(), second[0]) == first.end());
}

TEST_CASE("a Runtime that ends while it tunes ends its engines") {
  EngineMachine machine;
  {
    Runtime runtime(machine.options(Mode::background));
    CHECK(runtime.kernel(small_space()).request({1000}).runnable());
    CHECK_FALSE(engines().empty());
  }
  CHECK(eventually([] { return engines().empty(); }));
}
