#include "tuner/engine/gpu_lock.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace tuner::engine {
namespace {

/// A folder as $XDG_RUNTIME_DIR.
class RuntimeFolder {
 public:
  RuntimeFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tuner-gpu-lock-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
    setenv("XDG_RUNTIME_DIR", name.c_str(), 1);
  }
  ~RuntimeFolder() {
    unsetenv("XDG_RUNTIME_DIR");
    std::filesystem::remove_all(path_);
  }
  std::filesystem::path path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST_CASE("one session at a time measures on a GPU, and two GPUs have nothing to do with each other") {
  const RuntimeFolder folder;
  cache::FileLock first = gpu_lock("GPU-1111");
  REQUIRE(first.try_take("first"));
  cache::FileLock second = gpu_lock("GPU-1111");
  CHECK_FALSE(second.try_take("second"));
  CHECK(second.holder() == "first");
  CHECK(gpu_lock("GPU-2222").try_take("second"));
  first.release();
  CHECK(second.try_take("second"));
}

TEST_CASE("whatever a GPU is called, its lock is a file in the one folder") {
  const RuntimeFolder folder;
  CHECK(gpu_lock("MIG-../../etc/passwd").try_take("me"));
  CHECK(std::filesystem::exists(folder.path() / "tuner-gpu-MIG-------etc-passwd.lock"));
}

TEST_CASE("without a folder of the user's own the lock is in /tmp, where every user may take it") {
  const std::filesystem::path file = "/tmp/tuner-gpu-GPU-test-of-the-lock.lock";
  setenv("XDG_RUNTIME_DIR", "relative/folder", 1);
  CHECK(gpu_lock("GPU-test-of-the-lock").try_take("me"));
  unsetenv("XDG_RUNTIME_DIR");
  cache::FileLock lock = gpu_lock("GPU-test-of-the-lock");
  CHECK(lock.holder() == "me");
  CHECK((std::filesystem::status(file).permissions() & std::filesystem::perms::others_write) !=
        std::filesystem::perms::none);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace tuner::engine
