#include "tuner/engine/turns/gpu_lock.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace tuner::engine {
namespace {

/// A GPU that no other process asks for; its lock file is removed in the end.
struct Gpu {
  explicit Gpu(const std::string& name) : uuid("GPU-" + name + "-of-test-" + std::to_string(getpid())) {}
  ~Gpu() { std::filesystem::remove(file()); }
  std::filesystem::path file() const { return "/tmp/tuner-gpu-" + uuid + ".lock"; }

  std::string uuid;
};

TEST_CASE("one session at a time measures on a GPU, and two GPUs have nothing to do with each other") {
  const Gpu one("1111"), two("2222");
  cache::FileLock first = gpu_lock(one.uuid);
  REQUIRE(first.try_take("first"));
  cache::FileLock second = gpu_lock(one.uuid);
  CHECK_FALSE(second.try_take("second"));
  CHECK(second.holder() == "first");
  CHECK(gpu_lock(two.uuid).try_take("second"));
  first.release();
  CHECK(second.try_take("second"));
}

TEST_CASE("whatever folders of their own two processes have, they exclude each other") {
  const Gpu gpu("everybody");
  const std::string folder = std::filesystem::temp_directory_path() / ("tuner-gpu-lock-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  setenv("XDG_RUNTIME_DIR", folder.c_str(), 1);
  cache::FileLock of_a_login = gpu_lock(gpu.uuid);
  REQUIRE(of_a_login.try_take("a login"));
  unsetenv("XDG_RUNTIME_DIR");
  cache::FileLock of_cron = gpu_lock(gpu.uuid);
  CHECK_FALSE(of_cron.try_take("cron"));
  CHECK(of_cron.holder() == "a login");
  CHECK(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

TEST_CASE("whatever a GPU is called, its lock is a file in /tmp that every user may take") {
  const Gpu gpu("------etc-passwd");
  CHECK(gpu_lock("GPU-../../etc/passwd-of-test-" + std::to_string(getpid())).try_take("me"));
  CHECK((std::filesystem::status(gpu.file()).permissions() & std::filesystem::perms::others_write) !=
        std::filesystem::perms::none);
}

}  // namespace
}  // namespace tuner::engine
