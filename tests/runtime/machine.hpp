#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cache/records/decision.hpp"
#include "tests/cache/support.hpp"
#include "tests/runtime/gpu.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/tuner.hpp"

namespace tuner::test {

using cache::test::contains;

/// A kernel of two sizes, one exact property and one constant. Its sizes are declared, so winners are checked at
/// others.
extern const std::string kWave;
/// How requests for it are launched: wave(x, y, factor, columns).
inline constexpr float kFactor = 2;

/// A variable of the environment, for the life of this object.
class Variable {
 public:
  Variable(const char* name, const std::string& value);
  ~Variable();
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  std::string name_;
  std::optional<std::string> before_;
};

/// What is to be found in a database, and where.
struct Stored {
  std::string configuration = "BLOCK=256,ITEMS=2,STORE=streaming";
  std::string problem = "rows=100,columns=1000";
  std::string text = kWave;
  std::optional<DeviceInfo> device = {};  ///< the first GPU of the fake driver unless given
  std::string mode = "cold";
  std::int64_t awkward_sizes = 4;
  cache::Origin origin = cache::Origin::measured;
  std::function<void(cache::Decision&)> edit = {};
};

/// A program's surroundings: databases of its own, no engine, no context current, and what its Runtime said.
class Machine {
 public:
  Machine();
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  std::filesystem::path folder() const { return folder_.path(); }
  std::filesystem::path home() const { return folder() / "user"; }
  /// These, with the user's database, and an observer that keeps what it hears.
  RuntimeOptions options(RuntimeOptions options = {});
  RuntimeOptions options(Mode mode) { return options(RuntimeOptions{.mode = mode}); }

  /// Records a decision in `database` (a folder; the user's if empty) and returns its row.
  std::int64_t decide(const Stored& stored, const std::filesystem::path& database = {}) const;
  /// Stores the binary of a configuration that is in the space. Its instructions are "records CONFIGURATION", which is
  /// how a recorded launch says what was launched.
  void compile(const Stored& stored, const std::filesystem::path& database = {}) const;
  /// The same with parameters, kernel or instructions of the test's choice.
  void compile(const Stored& stored, const std::function<void(struct CubinText&)>& edit,
               const std::filesystem::path& database = {}) const;
  /// Both, and the binary of the baseline.
  void tuned(const Stored& stored = {}, const std::filesystem::path& database = {}) const;

  std::vector<Notice> notices() const;
  /// The sentences of one kind.
  std::vector<std::string> heard(Notice::Kind kind) const;

 private:
  cache::test::TemporaryFolder folder_;
  Variable libexec_, mode_, system_, database_, home_;
  mutable std::mutex mutex_;
  std::vector<Notice> notices_;
};

/// The defaults of kWave.
inline const std::string kBaseline = "BLOCK=128,ITEMS=1,STORE=plain";

/// What the fake driver's GPU of this number is.
const DeviceInfo& gpu(int number = 0);
/// A GPU of the same architecture, and one of another.
DeviceInfo sister_gpu();
DeviceInfo older_gpu();

Task task_of(const Stored& stored);
Description wave();

/// A program in such surroundings that asks for kWave.
struct Program : Machine {
  explicit Program(RuntimeOptions runtime_options = {}, KernelOptions kernel_options = {})
      : runtime(options(std::move(runtime_options))), kernel(runtime.kernel(wave(), std::move(kernel_options))) {}
  const Instance& request(std::initializer_list<ProblemValue> problem = {100, 1000}, RequestOptions how = {}) const {
    return kernel.request(problem, how);
  }
  /// What serves where the default decision was stored.
  const Instance& tuned_instance() {
    tuned();
    return request();
  }

  Runtime runtime;
  Kernel kernel;
};

/// Launches an instance of kWave as a program does.
LaunchStatus launch(const Instance& instance, int columns = 1000, CUstream stream = nullptr);
/// The configuration that a launch of this instance runs, "none" if it is not launched.
std::string launched(const Instance& instance, int columns = 1000);
/// The baseline of kWave serves, and the reason contains this.
void check_baseline_serves(const Instance& instance, const std::string& why, int columns = 1000);
/// What was launched since inspector().take_launches() was called last, which must be one launch.
fake::Launch only_launch();

}  // namespace tuner::test
