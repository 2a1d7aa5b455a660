#include "tuner/core/description/kernel_text.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tests/support/temporary_folder.hpp"

using namespace tuner;

namespace {

using Clock = std::chrono::steady_clock;

TEST_CASE("a kernel file that is a pipe was read as empty if its writer came after the reader") {
  const test::TemporaryFolder folder;
  const std::filesystem::path pipe = folder / "pipe.cu";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::jthread writer([&] {
    int descriptor = -1;
    for (const auto end = Clock::now() + std::chrono::seconds(9); descriptor < 0 && Clock::now() < end;) {
      descriptor = open(pipe.c_str(), O_WRONLY | O_NONBLOCK);  // fails until there is a reader
    }
    CHECK(write(descriptor, "text", 4) == 4);
    close(descriptor);
  });
  CHECK(read_kernel_file(pipe) == "text");
}

}  // namespace
