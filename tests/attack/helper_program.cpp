// What a campaign needs of the library: a database as a GPU would leave it, a program that asks a Runtime, programs
// that talk to an engine; and, under the names of the engine and the worker, ones that answer with anything.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <sstream>

#include "cache/file/hash.hpp"
#include "cache/file/location.hpp"
#include "cache/store/binary_store.hpp"
#include "cache/store/sqlite_store.hpp"
#include "tests/attack/hostile_records.hpp"
#include "tests/attack/job_program.hpp"
#include "tests/attack/talk.hpp"
#include "tests/runtime/machine.hpp"
#include "tests/support/processes.hpp"
#include "tuner/engine/sizes/learn_sizes.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

namespace fs = std::filesystem;

constexpr int kWrongCode = 20;
constexpr int kThrew = 21;
constexpr int kCompiledAgain = 22;

int prepare(const fs::path& folder, const fs::path& source, const fs::path& frozen) {
  Machine machine;
  machine.tuned({}, folder);
  machine.decide({.problem = "rows=100,columns=4000", .mode = "warm"}, folder);
  machine.tuned({.problem = "rows=7,columns=1000"}, folder);
  {
    RuntimeOptions options = machine.options();
    options.database = folder;
    options.wanted = true;
    Runtime runtime(std::move(options));  // leaves the rows from which programs start, and a list of two misses
    for (const int rows : {100, 7, 8, 9}) launch(runtime.kernel(wave()).request({rows, 1000}));
    const std::vector<std::byte> bytes = runtime.frozen();
    std::ofstream(frozen).write(reinterpret_cast<const char*>(bytes.data()),
                                static_cast<std::streamsize>(bytes.size()));
  }
  const auto store = cache::SqliteStore::open({.path = cache::locate(folder).decisions});
  const Task task = task_of({});
  engine::record_sizes(engine::learn_sizes(task.description(), task.key("cold"), *store).value(), *store);
  store->record_trials(std::vector<cache::Trial>{cache::test::full_trial(), cache::test::bare_trial()});
  using cache::TextKind;
  const std::vector<cache::DecisionText> texts{{TextKind::source, "wave.cu", kWave},
                                               {TextKind::header, "wave.cuh", ""},
                                               {TextKind::samples, "BLOCKDIMX=512,STRATEGY=unrolled", "[1.5,2]"},
                                               {TextKind::insight, "explain", "{}"}};
  store->record_texts(store->record_decision(cache::test::full_decision()), texts);
  store->record_decision(cache::test::bare_decision());
  store->record_quarantine(cache::test::full_quarantined());
  std::ofstream(source) << kWave;
  return 0;
}

/// More decisions, of a kernel without a source, with the binaries and trials that a search leaves.
int prepare_many(const fs::path& folder) {
  const cache::Location location = cache::locate(folder);
  const auto store = cache::SqliteStore::open({.path = location.decisions});
  const auto binaries = cache::BinaryStore::open({.path = location.binaries});
  for (int n = 1; n <= 24; ++n) {
    cache::Decision decision = cache::test::full_decision();
    decision.key.kernel_name = "smooth";
    decision.key.kernel_identity = "smooth:0123456789abcdef";
    decision.key.problem = "n=" + std::to_string(n);
    decision.origin = cache::Origin::measured;
    std::vector<cache::Trial> trials;
    for (const int block : {32, 64, 128, 256}) {
      const std::string code = "code of BLOCK=" + std::to_string(block);
      const auto bytes = std::as_bytes(std::span(code));
      const cache::Binary binary{
          {.kernel = "smooth", .bytes = {bytes.begin(), bytes.end()}}, "sm_90", "key of " + code, ""};
      binaries->put(binary);
      cache::Trial& trial = trials.emplace_back(cache::test::full_trial());
      static_cast<cache::Run&>(trial) = decision;
      trial.sequence = block;
      trial.configuration = "BLOCK=" + std::to_string(block);
      trial.time_ns = 1000 + (block * n) % 97;
      trial.facts.binary_hash = cache::content_hash(code);
    }
    const cache::Trial& winner = trials[static_cast<std::size_t>(n) % trials.size()];
    decision.configuration = winner.configuration;
    decision.binary_hash = winner.facts.binary_hash;
    decision.time_ns = *winner.time_ns;
    decision.baseline = trials[0].configuration;
    decision.ties = {{decision.configuration, 1}};
    store->record_trials(trials);
    store->record_decision(decision);
  }
  return 0;
}

RuntimeOptions options_of(const fs::path& user, const fs::path& system) {
  setenv("TUNER_LIBEXEC", "/nowhere", 1);
  RuntimeOptions options;
  options.mode = Mode::cache;
  options.database = user;
  options.system_databases = {system};
  options.wanted = fs::exists(user);  // else it would make one
  options.observer = [](const Notice& notice) { std::fprintf(stderr, "%s\n", notice.sentence.c_str()); };
  return options;
}

/// Asks for what is stored, for sizes near by and far away. What is launched must be what is said to be.
int ask_runtime(Runtime runtime) {
  inspector().keep_launches(true);
  const Kernel kernel = runtime.kernel(wave());
  for (const auto& [rows, columns] : std::initializer_list<std::pair<int, int>>{{100, 1000}, {7, 1001}, {9, 90000}}) {
    const Instance& instance = kernel.request({rows, columns});
    if (!instance.runnable()) continue;
    inspector().take_launches();
    if (!launch(instance)) continue;
    const auto launches = inspector().take_launches();
    const std::string expected = "records " + instance.provenance().configuration;
    if (launches.empty() || launches[0].instructions == expected) continue;
    std::fprintf(stderr, "What was launched is not what is served: %s instead of %s\n",
                 launches[0].instructions.c_str(), expected.c_str());
    return kWrongCode;
  }
  return 0;
}

/// Bytes that are refused are as good as those that are read.
int ask_frozen(const fs::path& file, const fs::path& system) {
  const std::string text = cache::test::read_bytes(file);
  std::optional<Runtime> runtime;
  try {
    runtime.emplace(Runtime::from_frozen(std::as_bytes(std::span(text)), options_of("/nowhere", system)));
  } catch (const Error& error) {
    if (error.code() != Errc::store_damaged && error.code() != Errc::store_newer) throw;
    return 0;
  }
  return ask_runtime(*std::move(runtime));
}

const char* const kScale =
    "#pragma tuner kernel(scale) problem(n: size) param(BLOCK, 128, 64) grid(ceil_div(n, BLOCK)) block(BLOCK)\n"
    "#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)\n"
    "extern \"C\" __device__ const char tuner_fake[] = \"FAKE:right time=9000\";\n"
    "extern \"C\" __global__ void scale(const float* x, float* y, int n) {\n"
    "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
    "  if (i < n) y[i] = 2 * x[i];\n"
    "}\n";

void end_engines() {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    // "PID (program) state parent ..."
    const std::string stat = cache::test::read_bytes(entry.path() / "stat");
    if (stat.find("(tuner-engine) ") == std::string::npos) continue;
    std::istringstream fields(stat.substr(stat.rfind(')') + 1));
    std::string state;
    pid_t parent = 0;
    fields >> state >> parent;
    const pid_t engine = parent == getpid() ? std::stoi(entry.path().filename()) : 0;
    if (engine != 0 && kill(engine, SIGKILL) == 0) has_ended(engine);
  }
}

/// What was compiled once is served for every size, by a program that can store nothing and has no compiler any more.
int ask_sizes(const fs::path& database, const fs::path& libexec, int more) {
  RuntimeOptions options = options_of(database, "/nowhere");
  options.wanted = false;
  setenv("TUNER_LIBEXEC", libexec.c_str(), 1);
  Runtime runtime(std::move(options));
  const Kernel kernel = runtime.kernel(Description::from_text(kScale, {.name = "scale.cu"}));
  if (!kernel.request({1000 + more}).runnable()) return 0;  // nothing is compiled on this machine
  setenv("TUNER_LIBEXEC", "/nowhere", 1);
  end_engines();
  for (const int n : {1, 999, 100'000}) {
    if (kernel.request({n + more}).runnable()) continue;
    std::fprintf(stderr, "The same program is compiled again for n=%d\n", n + more);
    return kCompiledAgain;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  doctest::Context context;
  context.setAsDefaultForAssertsOutOfTestCases();
  context.setAssertHandler([](const doctest::AssertData&) {});
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::string program = fs::path(argv[0]).filename();
  try {
    if (program == "tuner-engine" || program == "tuner-worker") return attack::answer_anything();
    if (words.at(0) == "prepare") return prepare(words.at(1), words.at(2), words.at(3));
    if (words.at(0) == "hostile")
      return attack::record_hostile(std::stoull(words.at(1)), std::stoull(words.at(2)), words.at(3));
    if (words.at(0) == "prepare-many") return prepare_many(words.at(1));
    if (words.at(0) == "runtime") return ask_runtime(Runtime(options_of(words.at(1), words.at(2))));
    if (words.at(0) == "frozen") return ask_frozen(words.at(1), words.at(2));
    if (words.at(0) == "sizes") return ask_sizes(words.at(1), words.at(2), std::stoi(words.at(3)));
    if (words.at(0) == "job") return attack::work_off_job(std::stoull(words.at(1)), words.at(2));
    if (words.at(0) == "client") return attack::ask_engine(words.at(1));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "It threw: %s\n", error.what());
    return kThrew;
  }
  return 2;
}
