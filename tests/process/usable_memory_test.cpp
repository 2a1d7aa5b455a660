#include "tuner/process/usable_memory.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "tests/support/temporary_folder.hpp"

using namespace tuner;

namespace {

constexpr std::uint64_t kGigabyte = std::uint64_t{1} << 30;

std::string gigabyte_text(std::uint64_t gigabytes) {
  return std::to_string(gigabytes * kGigabyte) + "\n";
}

}  // namespace

TEST_CASE("files that a container has read do not leave its compilers without memory") {
  const test::TemporaryFolder root;
  CHECK(usable_memory(root.path()) == std::numeric_limits<std::uint64_t>::max() / 4 * 3);  // nothing is known
  root.write("proc/meminfo", "MemTotal: 67108864 kB\nMemFree: 1 kB\nMemAvailable: 33554432 kB\nHugePages: 0\n");
  CHECK(usable_memory(root.path()) == 24 * kGigabyte);
  root.write("proc/self/cgroup", "4:memory:/docker/of_the_host\n0::/\n");
  for (const bool second : {true, false}) {
    CAPTURE(second);
    const std::string group = second ? "sys/fs/cgroup/" : "sys/fs/cgroup/memory/";
    const std::string prefix = second ? "" : "total_";
    root.write(group + (second ? "memory.max" : "memory.limit_in_bytes"), second ? "max\n" : "9223372036854771712\n");
    root.write(group + (second ? "memory.current" : "memory.usage_in_bytes"), gigabyte_text(16));
    CHECK(usable_memory(root.path()) == 24 * kGigabyte);
    root.write(group + (second ? "memory.max" : "memory.limit_in_bytes"), gigabyte_text(16));
    root.write(group + "memory.stat", prefix + "anon " + gigabyte_text(3) + prefix + "inactive_file " +
                                          gigabyte_text(7) + prefix + "active_file " + gigabyte_text(5) +
                                          "file_mapped 1\n");
    CHECK(usable_memory(root.path()) == 9 * kGigabyte);
    // What is held by others may be free in a moment.
    std::filesystem::remove(root.path() / (group + "memory.stat"));
    CHECK(usable_memory(root.path()) == kGigabyte);
    std::filesystem::remove_all(root.path() / "sys");
  }
  CHECK(usable_memory() > 0);
}

TEST_CASE("a job of a queue has the memory of its own group, not the machine's") {
  for (const std::string& self : {"0::/slurm/job_7\n", "9:cpu:/\n4:memory:/slurm/job_7\n"}) {
    CAPTURE(self);
    const bool second = self.starts_with("0");
    const test::TemporaryFolder root;
    root.write("proc/meminfo", "MemTotal: 67108864 kB\nMemAvailable: 67108864 kB\n");
    root.write("proc/self/cgroup", self);
    const std::string slurm = second ? "sys/fs/cgroup/slurm/" : "sys/fs/cgroup/memory/slurm/";
    const std::string name = second ? "memory.max" : "memory.limit_in_bytes";
    root.write(slurm + name, gigabyte_text(32));
    CHECK(usable_memory(root.path()) == 24 * kGigabyte);
    root.write(slurm + "job_7/" + name, gigabyte_text(8));
    CHECK(usable_memory(root.path()) == 6 * kGigabyte);
  }
}
