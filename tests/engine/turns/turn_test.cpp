#include "tuner/engine/turns/turn.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/core/support.hpp"
#include "tuner/engine/turns/gpu_lock.hpp"

namespace tuner::engine {
namespace {

using std::chrono::milliseconds;

/// A task for a GPU of its own, whose lock another session holds.
struct Held {
  Held() { REQUIRE(other.try_take("the other one")); }
  ~Held() { std::filesystem::remove("/tmp/tuner-gpu-" + uuid + ".lock"); }

  static DeviceInfo device(const std::string& uuid) {
    DeviceInfo info = known_device("H200");
    info.uuid = uuid;
    return info;
  }

  std::string uuid = "GPU-turn-of-test-" + std::to_string(getpid());
  cache::FileLock other = gpu_lock(uuid);
  Task task{test::describe(test::kernel_text()), {{"n", 1024}}, device(uuid)};
  Turn turn;
  std::vector<std::string> waits, warnings;

  TurnWait wait(milliseconds limit) {
    return {.look = milliseconds(1),
            .limit = limit,
            .waits = [this](const std::string& busy) { waits.push_back(busy); },
            .warning = [this](const std::string& sentence) { warnings.push_back(sentence); }};
  }
};

TEST_CASE("a GPU's lock that another user never lets go of blocks nobody for longer than the limit") {
  Held gpu;
  CHECK(take_gpu(gpu.task.device(), gpu.wait(milliseconds(20)), gpu.turn));
  CHECK(gpu.turn.empty());
  CHECK(gpu.waits.size() == 1);
  REQUIRE(gpu.warnings.size() == 1);
  CHECK(gpu.warnings[0].find("(the other one), and had not finished after 0.02 s. Tuning continues alongside it") !=
        std::string::npos);
}

TEST_CASE("ten problems do not wait ten times for a lock that is never let go, until it is free again") {
  Held gpu;
  Overdue overdue;
  TurnWait wait = gpu.wait(milliseconds(20));
  wait.overdue = &overdue;
  for (int problem = 0; problem < 10; ++problem) CHECK(take_gpu(gpu.task.device(), wait, gpu.turn));
  CHECK(gpu.waits.size() == 1);
  REQUIRE(gpu.warnings.size() == 10);
  CHECK(gpu.warnings[0].find("and had not finished after 0.02 s. Tuning continues alongside it") != std::string::npos);
  CHECK(gpu.warnings[9].find("(the other one). Tuning continues alongside it") != std::string::npos);

  gpu.other.release();
  CHECK(take_gpu(gpu.task.device(), wait, gpu.turn));
  CHECK(gpu.turn.size() == 1);
  gpu.turn.clear();
  REQUIRE(gpu.other.try_take("the other one"));
  CHECK(take_gpu(gpu.task.device(), wait, gpu.turn));
  CHECK(gpu.waits.size() == 2);
}

TEST_CASE("the sessions of one process wait once for another one that tunes the same problems") {
  Held gpu;
  const std::string database = (std::filesystem::temp_directory_path() / gpu.uuid).string();
  Overdue overdue;
  TurnWait wait = gpu.wait(milliseconds(20));
  wait.overdue = &overdue;
  Turn others;
  for (const long n : {1024, 2048, 4096}) {
    const Task task{test::describe(test::kernel_text()), {{"n", n}}, Held::device(gpu.uuid)};
    REQUIRE(take_lease(task, Timing::warm, database, gpu.wait(kLongestWait), others));
    CHECK(take_lease(task, Timing::warm, database, wait, gpu.turn));
  }
  CHECK(others.size() == 3);
  CHECK(gpu.turn.empty());
  CHECK(gpu.waits.size() == 1);
  CHECK(gpu.warnings.size() == 3);
  std::filesystem::remove(database + "-lock");
}

TEST_CASE("a limit of nothing ignores who has the GPU, and says so") {
  Held gpu;
  CHECK(take_gpu(gpu.task.device(), gpu.wait(milliseconds(0)), gpu.turn));
  CHECK(gpu.turn.empty());
  CHECK(gpu.waits.empty());
  REQUIRE(gpu.warnings.size() == 1);
  CHECK(gpu.warnings[0].find("(the other one). Tuning continues alongside it") != std::string::npos);
  gpu.other.release();
  CHECK(take_gpu(gpu.task.device(), gpu.wait(milliseconds(0)), gpu.turn));
  CHECK(gpu.turn.size() == 1);
  CHECK(gpu.warnings.size() == 1);
}

TEST_CASE("a lock file that is a hard link is not written to, and blocks nobody") {
  Held gpu;
  const std::filesystem::path file = "/tmp/tuner-gpu-" + gpu.uuid + ".lock";
  const std::filesystem::path victim = file.string() + "-victim";
  std::filesystem::rename(file, victim);
  std::filesystem::create_hard_link(victim, file);
  const auto size = std::filesystem::file_size(victim);
  CHECK(take_gpu(gpu.task.device(), gpu.wait(kLongestWait), gpu.turn));
  CHECK(gpu.turn.empty());
  REQUIRE(gpu.warnings.size() == 1);
  CHECK(gpu.warnings[0].find("is a hard link") != std::string::npos);
  CHECK(std::filesystem::file_size(victim) == size);
  std::filesystem::remove(victim);
}

}  // namespace
}  // namespace tuner::engine
