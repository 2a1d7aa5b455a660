#include "tests/runtime/machine.hpp"

#include <stdlib.h>

#include "cache/file/hash.hpp"
#include "cache/file/location.hpp"
#include "cache/store/binary_store.hpp"
#include "cache/store/sqlite_store.hpp"
#include "tests/runtime/cubin_builder.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/task/binary_key.hpp"
#include "tuner/core/task/identity.hpp"
#include "tuner/driver/device_query.hpp"

namespace tuner::test {

namespace fs = std::filesystem;

const std::string kWave = R"(
#pragma tuner kernel(wave)
#pragma tuner problem(rows: size, columns: size, halo: exact = 1, TYPE: constant = float)
#pragma tuner problem_constraint(1 <= rows <= 100000) problem_constraint(1 <= columns <= 100000)
#pragma tuner problem_constraint(0 <= halo <= 8)
#pragma tuner param(BLOCK, 64, 128, 256, 512; default 128)
#pragma tuner param(ITEMS, 1, 2, 4; default 1)
#pragma tuner param(STORE, plain, streaming; default plain)
#pragma tuner constraint(BLOCK * ITEMS <= max(columns, 128))
#pragma tuner grid(ceil_div(columns, BLOCK * ITEMS), rows) block(BLOCK) shared(4 * BLOCK)
#pragma tuner in(x, TYPE, rows * columns) out(y, TYPE, rows * columns)
#pragma tuner scalar(factor, float, value 2) scalar(columns, int32)
static const int configuration = BLOCK + ITEMS + STORE;
extern "C" __global__ void wave(const TYPE* x, TYPE* y, float factor, int columns) {}
)";

Variable::Variable(const char* name, const std::string& value) : name_(name) {
  if (const char* before = getenv(name)) before_ = before;
  setenv(name, value.c_str(), 1);
}
Variable::~Variable() {
  if (before_) {
    setenv(name_.c_str(), before_->c_str(), 1);
  } else {
    unsetenv(name_.c_str());
  }
}

Machine::Machine()
    : libexec_("TUNER_LIBEXEC", (folder_.path() / "no-programs").string()),
      mode_("TUNER_MODE", ""),
      system_("TUNER_SYSTEM_DB", ""),
      database_("TUNER_DB", ""),
      home_("HOME", folder_.path().string()) {
  make_current(nullptr);
  inspector().keep_launches(true);
  inspector().take_launches();
}

Machine::~Machine() {
  make_current(nullptr);
}

RuntimeOptions Machine::options(RuntimeOptions options) {
  options.database = home();
  options.observer = [this](const Notice& notice) {
    const std::lock_guard lock(mutex_);
    notices_.push_back(notice);
  };
  return options;
}

std::vector<Notice> Machine::notices() const {
  const std::lock_guard lock(mutex_);
  return notices_;
}
std::vector<std::string> Machine::heard(Notice::Kind kind) const {
  std::vector<std::string> sentences;
  for (const Notice& notice : notices()) {
    if (notice.kind == kind) sentences.push_back(notice.sentence);
  }
  return sentences;
}

std::int64_t Machine::decide(const Stored& stored, const fs::path& database) const {
  const Task task = task_of(stored);
  cache::Decision decision;
  decision.key = task.key(stored.mode);
  decision.reuse_hash = task.reuse_hash();
  decision.session = "test";
  decision.configuration = stored.configuration;
  decision.baseline = kBaseline;
  decision.time_ns = 20000;
  decision.baseline_time_ns = 30000;
  decision.speedup = 1.5;
  decision.speedup_low = 1.4;
  decision.speedup_high = 1.6;
  decision.confidence = 0.9973;
  decision.ties = {{stored.configuration, 1}};
  decision.race_blocks = 40;
  decision.verified = true;
  decision.awkward_sizes = stored.awkward_sizes;
  decision.origin = stored.origin;
  if (stored.edit) stored.edit(decision);
  const cache::Location location = cache::locate(database.empty() ? home() : database);
  return cache::SqliteStore::open({.path = location.decisions})->record_decision(decision);
}

void Machine::compile(const Stored& stored, const fs::path& database) const {
  compile(stored, {}, database);
}

void Machine::compile(const Stored& stored, const std::function<void(CubinText&)>& edit,
                      const fs::path& database) const {
  const Task task = task_of(stored);
  CubinText text{.kernel = task.description().kernel, .instructions = "records " + stored.configuration};
  for (const BoundArgument& argument : task.arguments()) {
    if (!is_parameter(argument.role)) {
      text.arrays.emplace_back(argument.name, argument.length * size_of(argument.type));
      continue;
    }
    const bool scalar = argument.role == Argument::Role::scalar;
    text.parameter_sizes.push_back(scalar ? static_cast<std::uint32_t>(size_of(argument.type)) : 8);
  }
  if (edit) edit(text);
  cache::Binary binary;
  binary.architecture = task.device().architecture();
  binary.compile_key = binary_key(task, task.space().parse(stored.configuration));
  binary.kernel = task.description().kernel;
  binary.bytes = make_cubin(text);
  const cache::Location location = cache::locate(database.empty() ? home() : database);
  CHECK(cache::BinaryStore::open({.path = location.binaries})->put(binary, cache::Keep::pinned));
}

void Machine::tuned(const Stored& stored, const fs::path& database) const {
  decide(stored, database);
  compile(stored, database);
  Stored baseline = stored;
  const Task task = task_of(stored);
  baseline.configuration = task.space().text(task.baseline().value());
  compile(baseline, database);
}

const DeviceInfo& gpu(int number) {
  static const std::vector<DeviceInfo> all = cuda::query_devices();
  return all.at(static_cast<std::size_t>(number));
}
DeviceInfo sister_gpu() {
  DeviceInfo sister = gpu();
  sister.name = "Sister GPU";
  sister.sm_count = 114;
  return sister;
}
DeviceInfo older_gpu() {
  DeviceInfo older = gpu();
  older.name = "Older GPU";
  older.compute_major = 8;
  return older;
}

Task task_of(const Stored& stored) {
  return Task(parse_descriptions(stored.text, "wave.cu").front(), parse_problem(stored.problem),
              stored.device.value_or(gpu()), {}, {}, search::Listing::when_needed);
}
Description wave() {
  return Description::from_text(kWave, {.name = "wave.cu"});
}

LaunchStatus launch(const Instance& instance, int columns, CUstream stream) {
  const float* const x = reinterpret_cast<const float*>(0x1000);
  float* const y = reinterpret_cast<float*>(0x2000);
  return instance.launch(stream, x, y, kFactor, columns);
}

std::string launched(const Instance& instance, int columns) {
  inspector().take_launches();
  const LaunchStatus status = launch(instance, columns);
  const std::vector<fake::Launch> launches = inspector().take_launches();
  INFO(status.message);
  CHECK(launches.size() == (status ? 1 : 0));
  if (launches.empty()) return "none";
  const std::string prefix = "records ";
  CHECK(launches[0].instructions.starts_with(prefix));
  return launches[0].instructions.substr(prefix.size());
}

void check_baseline_serves(const Instance& instance, const std::string& why, int columns) {
  const Provenance provenance = instance.provenance();
  INFO(provenance.why);
  CHECK(provenance.rung == Rung::baseline);
  CHECK(contains(provenance.why, why));
  CHECK(launched(instance, columns) == kBaseline);
}

fake::Launch only_launch() {
  const std::vector<fake::Launch> launches = inspector().take_launches();
  REQUIRE(launches.size() == 1);
  return launches.front();
}

}  // namespace tuner::test
