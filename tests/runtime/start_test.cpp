// Starts from the row that holds what a launch needs: what they serve, and when they look further.
#include <sys/stat.h>

#include <functional>

#include "cache/sqlite/sqlite.hpp"
#include "cache/store/binary_store.hpp"
#include "cache/store/sqlite_store.hpp"
#include "tests/runtime/machine.hpp"
#include "tuner/core/task/binary_key.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/runtime/description_content.hpp"

using namespace tuner;
using namespace tuner::test;
using cache::test::read_bytes;
using cache::test::sql;
using cache::test::write_bytes;

namespace {

namespace fs = std::filesystem;

constexpr const char* kCountRows = "SELECT count(*) FROM served WHERE decision_id <> ''";

/// Everything that a program can see of an instance but where its decision lies.
std::string outcome(const Instance& instance) {
  const Instance::Snapshot snapshot = instance.snapshot();
  const Provenance& provenance = snapshot.provenance;
  std::string text = std::string(to_string(provenance.rung)) + "|" + provenance.configuration + "|" +
                     provenance.problem + "|" + provenance.device + "|" + std::to_string(provenance.decision_id) + "|" +
                     std::to_string(provenance.speedup_low.value_or(0)) + "|" + std::to_string(provenance.stale) + "|" +
                     provenance.why + "|";
  for (const std::string& tie : provenance.ties) text += tie + ";";
  for (const std::uint32_t extent : snapshot.shape.grid) text += std::to_string(extent) + " ";
  for (const std::uint32_t extent : snapshot.shape.block) text += std::to_string(extent) + " ";
  text += std::to_string(snapshot.shape.shared_bytes) + "|";
  for (const auto& length : snapshot.arguments)
    text += length.name + "=" + std::to_string(length.elements) + "," + std::to_string(length.bytes) + " ";
  for (const TunedValues::Named& named : snapshot.values) text += named.name + " ";
  text += "|" + launched(instance) + "|" + std::string(launch(instance, 999).message);
  return text;
}

/// Requests of a new program.
std::string start(RuntimeOptions options, const Description& description,
                  std::initializer_list<ProblemValue> problem = {100, 1000}) {
  Runtime runtime(std::move(options));
  return outcome(runtime.kernel(description).request(problem));
}

/// A machine on which a program started from the winner before, so that there is a row.
class Started : public Machine {
 public:
  explicit Started(const Stored& stored = {}) {
    tuned(stored);
    CHECK(start(options(), wave()) == exact());
    CHECK(rows() == "1");
  }
  fs::path decisions() const { return home() / "decisions.db"; }
  fs::path served() const { return home() / "served.db"; }
  std::string rows() const { return sql(served(), kCountRows).at(0); }
  /// What the ladder says without a row.
  std::string exact() const { return by_ladder(wave()); }
  /// What a start finds where there are no rows: in a copy of the database.
  std::string by_ladder(const Description& description, std::initializer_list<ProblemValue> problem = {100, 1000},
                        Mode mode = Mode::cache) const {
    const fs::path copy = folder() / "copy";
    fs::remove_all(copy);
    fs::copy(home(), copy, fs::copy_options::recursive);
    fs::remove(copy / "served.db");
    RuntimeOptions options;
    options.mode = mode;
    options.database = copy;
    return start(std::move(options), description, problem);
  }
  /// From now on the ladder finds nothing: whatever is exact comes from a row.
  void spoil() {
    sql(decisions(), "UPDATE decision SET configuration = 'BLOCK=4096,ITEMS=1,STORE=plain'");
    fs::remove(home() / "binaries.db");
  }
};

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.replace(at, part.size(), by);
}

}  // namespace

TEST_CASE("a start from a row knows that the search was a quick one") {
  Started machine({.edit = [](cache::Decision& decision) {
    decision.effort = Effort::quick;
    decision.evaluated = 60;
    decision.space_size = 9921;
  }});
  machine.spoil();
  Runtime runtime(machine.options());
  const Provenance provenance = runtime.kernel(wave()).request({100, 1000}).provenance();
  CHECK(provenance.rung == Rung::exact);
  CHECK(provenance.effort == Effort::quick);
  CHECK(contains(provenance.why, "a quick search of 60 of 9,921 configurations"));
}

TEST_CASE("a start from a row is what the ladder serves, and needs neither the decision's columns nor the binaries") {
  Started machine;
  const std::string exact = machine.exact();
  CHECK(contains(exact, "exact|" + Stored{}.configuration));
  machine.spoil();
  CHECK(start(machine.options(), wave()) == exact);
  CHECK(machine.heard(Notice::Kind::database).empty());
  Runtime runtime(machine.options());
  const Kernel kernel = runtime.kernel(wave());
  const Instance& instance = kernel.request({100, 1000});
  CHECK(instance.rung() == Rung::exact);
  CHECK(instance.provenance().database == machine.decisions());
  CHECK(&kernel.request({100, 1000, 1, "float"}) == &instance);
  CHECK(&kernel.request({{"columns", 1000}, {"rows", 100.0}}) == &instance);
  CHECK(contains(kernel.request({{"column", 1000}, {"rows", 100}}).provenance().why, "columns"));
  CHECK(contains(kernel.request({100}).provenance().why, "columns"));
  CHECK(contains(kernel.request({100, 200000}).provenance().why, "columns <= 100000"));
}

TEST_CASE("asking writes the row of what was served, once, and nothing else") {
  Machine machine;
  machine.tuned();
  const auto bytes_of = [&](const char* name) { return read_bytes(machine.home() / name); };
  const std::string decisions = bytes_of("decisions.db"), binaries = bytes_of("binaries.db");
  start(machine.options(), wave(), {101, 1000});
  CHECK_FALSE(fs::exists(machine.home() / "served.db"));
  start(machine.options(), wave());
  CHECK(sql(machine.home() / "served.db", kCountRows).at(0) == "1");
  const std::string before = bytes_of("served.db");
  start(machine.options(), wave());
  start(machine.options(), wave(), {101, 1000});
  start(machine.options(Mode::off), wave());
  CHECK(bytes_of("served.db") == before);
  CHECK(bytes_of("decisions.db") == decisions);
  CHECK(bytes_of("binaries.db") == binaries);
}

TEST_CASE("a text with a mistake is refused where its kernel is taken, before anything of it is launched") {
  Started machine;
  Runtime runtime(machine.options());
  const std::string mistaken = replaced(kWave, "block(BLOCK)", "block(BLOK)");
  for (int i = 0; i < 2; ++i) {
    const Description description = Description::from_text(mistaken, {.name = "wave.cu"});
    CHECK_THROWS_AS(runtime.kernel(description), Error);
    CHECK_THROWS_AS(runtime.kernel(description), Error);
    CHECK_THROWS_AS(static_cast<void>(description.kernel()), Error);
  }
  CHECK_THROWS_AS(runtime.kernel(Description::from_text(kWave, {.kernel = "wafe"})), Error);
  CHECK(runtime.kernel(Description::from_text(kWave, {.kernel = "wave"})).request({100, 1000}).rung() == Rung::exact);
}

TEST_CASE("a start serves for an edited source what the ladder serves for it") {
  const std::vector<std::pair<std::string, std::function<std::string(std::string)>>> edits{
      {"nothing", [](std::string text) { return text; }},
      {"a comment", [](std::string text) { return text + "// tuned by hand before\n"; }},
      {"blanks at a line's end",
       [](std::string text) { return replaced(text, "int columns) {}", "int columns) {} "); }},
      {"a line's end", [](std::string text) { return text + "\n"; }},
      {"blanks in a directive", [](std::string text) { return replaced(text, "block(BLOCK)", "block( BLOCK )"); }},
      {"a default", [](std::string text) { return replaced(text, "default 128", "default 64"); }},
      {"a default of the problem", [](std::string text) { return replaced(text, "exact = 1", "exact = 2"); }},
      {"a property without its default",
       [](std::string text) { return replaced(text, "TYPE: constant = float", "TYPE: constant"); }},
      {"a constraint that excludes the winner",
       [](std::string text) { return replaced(text, "<= max(columns, 128)", "<= 256"); }},
      {"a constraint that does not",
       [](std::string text) { return replaced(text, "<= max(columns, 128)", "<= max(columns, 64)"); }},
      {"a problem constraint", [](std::string text) { return replaced(text, "rows <= 100000", "rows <= 99"); }},
      {"a value that is no longer there", [](std::string text) { return replaced(text, "64, 128, 256,", "64, 128,"); }},
      {"one value more", [](std::string text) { return replaced(text, "1, 2, 4;", "1, 2, 4, 8;"); }},
      {"the grid", [](std::string text) { return replaced(text, "ceil_div(columns, BLOCK * ITEMS), rows", "rows"); }},
      {"the block", [](std::string text) { return replaced(text, "block(BLOCK)", "block(BLOCK / 2 * 2, 1)"); }},
      {"shared memory", [](std::string text) { return replaced(text, "shared(4 * BLOCK)", "shared(8 * BLOCK)"); }},
      {"a length",
       [](std::string text) { return replaced(text, "out(y, TYPE, rows * columns)", "out(y, TYPE, rows)"); }},
      {"a scalar's value", [](std::string text) { return replaced(text, "value 2", "value 3"); }},
      {"the order of directives",
       [](std::string text) { return replaced(text, "grid(", "let(unused = 1)\n#pragma tuner grid("); }},
      {"the order of the problem's properties",
       [](std::string text) { return replaced(text, "rows: size, columns: size", "columns: size, rows: size"); }},
      {"another kernel beside it",
       [](std::string text) {
         std::string other = kWave;
         for (std::size_t at = 0; (at = other.find("wave", at)) != std::string::npos; at += 6)
           other.replace(at, 4, "ripple");
         return text + other;
       }},
      {"the name of its kernel",
       [](std::string text) { return replaced(text, "kernel(wave)", "kernel(wave<BLOCK>)"); }},
  };
  for (const auto& [name, edit] : edits) {
    INFO(name);
    Started machine;
    const std::string text = edit(kWave);
    const auto description = [&] { return Description::from_text(text, {.name = "wave.cu", .kernel = "wave"}); };
    const std::string expected = machine.by_ladder(description());
    for (int i = 0; i < 3; ++i) CHECK(start(machine.options(), description()) == expected);
    CHECK(start(machine.options(), wave()) == machine.exact());
  }
}

TEST_CASE("a start serves for edited headers what the ladder serves for them") {
  Started machine;
  const fs::path kernels = machine.folder() / "kernels", first = machine.folder() / "first",
                 second = machine.folder() / "second";
  for (const fs::path& folder : {kernels, first, second}) fs::create_directories(folder);
  const std::string text = "#include \"zero.cuh\"\n" + kWave;
  write_bytes(kernels / "wave.cu", text);
  write_bytes(second / "zero.cuh", "#define ZERO 0\n");
  const auto description = [&] { return Description::from_file(kernels / "wave.cu", {}, {first, second}); };
  const auto keep_winner = [&] {
    const Task task(description().content()->parsed(), parse_problem("rows=100,columns=1000"), gpu());
    machine.decide({.edit = [&](cache::Decision& decision) { decision.key = task.key("cold"); }});
    cache::Binary binary{{.kernel = "wave"}, gpu().architecture()};
    binary.compile_key = binary_key(task, task.space().parse(Stored{}.configuration));
    const auto wave_binary = cache::BinaryStore::open({.path = machine.home() / "binaries.db"});
    const Task plain = task_of({});
    binary.bytes = wave_binary->find_compiled(binary_key(plain, plain.space().parse(Stored{}.configuration)))->bytes;
    wave_binary->put(binary);
  };
  const auto check = [&] {
    const std::string expected = machine.by_ladder(description());
    for (int i = 0; i < 3; ++i) CHECK(start(machine.options(), description()) == expected);
    return expected.substr(0, expected.find('|'));
  };
  keep_winner();
  CHECK(check() == "exact");
  write_bytes(second / "zero.cuh", "#define ZERO 0 // still\n");
  CHECK(check() != "exact");
  write_bytes(second / "zero.cuh", "#define ZERO 0\n");
  CHECK(check() == "exact");
  write_bytes(first / "zero.cuh", "#define ZERO 1\n");  // it comes before the other one
  CHECK(check() != "exact");
  fs::remove(first / "zero.cuh");
  write_bytes(kernels / "zero.cuh", "#include \"one.cuh\"\n");
  CHECK(check() != "exact");
  fs::remove(kernels / "zero.cuh");
  fs::remove(second / "zero.cuh");
  CHECK(check() != "exact");
  CHECK(start(machine.options(), wave()) == machine.exact());
}

TEST_CASE("beside a row, every mode and every other problem is served as without it") {
  Started machine;
  for (const Mode mode : {Mode::off, Mode::cache, Mode::background}) {
    for (const auto& problem : {std::initializer_list<ProblemValue>{100, 1000}, {101, 1000}, {65000, 99000}}) {
      RuntimeOptions options = machine.options(mode);
      options.never_tune = true;
      CHECK(start(options, wave(), problem) ==
            machine.by_ladder(wave(), problem, mode == Mode::off ? mode : Mode::cache));
    }
  }
  RuntimeOptions exact_only = machine.options();
  exact_only.exact_only = true;
  CHECK(start(exact_only, wave()) == machine.exact());
  CHECK(start(exact_only, wave(), {101, 1000}).starts_with("unrunnable"));
  RuntimeOptions warm = machine.options();
  warm.timing = Timing::warm;
  CHECK_FALSE(start(warm, wave()).starts_with("exact"));
}

TEST_CASE("a row of one GPU does not serve another") {
  Started machine;
  machine.spoil();
  const auto rung_on = [&](int device) {
    RuntimeOptions options = machine.options();
    options.device = device;
    Runtime runtime(std::move(options));
    return runtime.kernel(wave()).request({100, 1000}).rung();
  };
  CHECK(rung_on(0) == Rung::exact);
  REQUIRE(gpu(1).identity() != gpu(0).identity());
  CHECK(rung_on(1) != Rung::exact);
}

TEST_CASE("what is decided later, forgotten or set aside is not served from the row before") {
  Started machine;
  const Stored later{.configuration = "BLOCK=64,ITEMS=1,STORE=streaming"};
  machine.tuned(later);
  CHECK(contains(start(machine.options(), wave()), "exact|" + later.configuration));
  CHECK(contains(start(machine.options(), wave()), "exact|" + later.configuration));
  CHECK(machine.rows() == "1");
  const auto store = cache::SqliteStore::open({.path = machine.decisions()});
  store->forget({}, cache::Forget::decisions);
  CHECK(start(machine.options(), wave()).starts_with("baseline"));
  machine.tuned();
  CHECK(start(machine.options(), wave()).starts_with("exact"));
  fs::remove(machine.decisions());
  CHECK_FALSE(start(machine.options(), wave()).starts_with("exact"));
}

TEST_CASE("the user's decision comes before the row of a system database, which serves where there is none") {
  Machine machine;
  const fs::path system = machine.folder() / "system";
  machine.tuned({}, system);
  RuntimeOptions user = machine.options();
  user.database = system;
  CHECK(start(user, wave()).starts_with("exact"));  // writes its row
  sql(system / "decisions.db", "UPDATE decision SET configuration = 'BLOCK=4096,ITEMS=1,STORE=plain'");
  RuntimeOptions both = machine.options();
  both.system_databases = {system};
  CHECK(contains(start(both, wave()), "exact|" + Stored{}.configuration));
  machine.tuned({.problem = "rows=7,columns=1000"});
  CHECK(contains(start(both, wave()), "exact|" + Stored{}.configuration));
  const Stored own{.configuration = "BLOCK=64,ITEMS=1,STORE=streaming"};
  machine.tuned(own);
  for (int i = 0; i < 2; ++i) CHECK(contains(start(both, wave()), "exact|" + own.configuration));
}

TEST_CASE("a row in a file that others may write is ignored, and so is one that is damaged, which is said once") {
  Started machine;
  const std::string exact = machine.exact();
  CHECK(chmod(machine.served().c_str(), 0666) == 0);
  sql(machine.served(), "UPDATE served SET row = zeroblob(length(row)) WHERE decision_id <> ''");
  const std::string before = read_bytes(machine.served());
  CHECK(start(machine.options(), wave()) == exact);
  CHECK(read_bytes(machine.served()) == before);
  CHECK(machine.heard(Notice::Kind::database).empty());
  CHECK(chmod(machine.served().c_str(), 0600) == 0);
  CHECK(start(machine.options(), wave()) == exact);
  REQUIRE(machine.heard(Notice::Kind::database).size() == 1);
  CHECK(contains(machine.heard(Notice::Kind::database)[0], "served.db"));
  machine.spoil();  // it was written again
  CHECK(start(machine.options(), wave()) == exact);
  CHECK(machine.heard(Notice::Kind::database).size() == 1);
}

TEST_CASE("deleting the file of rows loses nothing, and without the decisions it serves nothing") {
  Started machine;
  const std::string exact = machine.exact();
  fs::remove(machine.served());
  CHECK(start(machine.options(), wave()) == exact);
  CHECK(machine.rows() == "1");
  fs::rename(machine.decisions(), machine.home() / "elsewhere.db");
  CHECK_FALSE(start(machine.options(), wave()).starts_with("exact"));
  CHECK(machine.heard(Notice::Kind::database).empty());
}

TEST_CASE("where no row can be written, starts take the ladder and say nothing") {
  Machine machine;
  machine.tuned();
  cache::test::hand_over(machine.folder());
  cache::test::hand_over(machine.home());
  CHECK(chmod(machine.home().c_str(), 0755) == 0);
  for (const char* name : {"decisions.db", "binaries.db"}) CHECK(chmod((machine.home() / name).c_str(), 0444) == 0);
  CHECK(chmod(machine.home().c_str(), 0555) == 0);
  CHECK(cache::test::in_unprivileged_child([&] {
          for (int i = 0; i < 2; ++i) {
            if (!start(machine.options(), wave()).starts_with("exact")) throw std::runtime_error("it was not served");
          }
          const auto said = machine.heard(Notice::Kind::database);
          if (!said.empty()) throw std::runtime_error(said[0]);
        }) == 0);
  CHECK(chmod(machine.home().c_str(), 0755) == 0);
}

TEST_CASE("a row that another process keeps from being written is written by a later start") {
  Machine machine;
  machine.tuned();
  {
    const cache::sqlite::Connection held(machine.home() / "decisions.db", SQLITE_OPEN_READWRITE,
                                         std::chrono::milliseconds(0));
    held.execute("BEGIN IMMEDIATE");
    CHECK(start(machine.options(), wave()).starts_with("exact"));
    held.execute("ROLLBACK");
  }
  CHECK_FALSE(fs::exists(machine.home() / "served.db"));
  start(machine.options(), wave());
  CHECK(sql(machine.home() / "served.db", kCountRows).at(0) == "1");
}
