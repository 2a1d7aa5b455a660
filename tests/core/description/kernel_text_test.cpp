#include "tuner/core/description/kernel_text.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tests/support/temporary_folder.hpp"

using namespace tuner;

namespace {

using Clock = std::chrono::steady_clock;

void write_when_read(const std::filesystem::path& pipe) {
  int descriptor = -1;
  for (const auto end = Clock::now() + std::chrono::seconds(9); descriptor < 0 && Clock::now() < end;) {
    std::this_thread::yield();
    descriptor = open(pipe.c_str(), O_WRONLY | O_NONBLOCK);  // fails until there is a reader
  }
  CHECK(write(descriptor, "text", 4) == 4);
  close(descriptor);
}

TEST_CASE("a kernel file that is a pipe was read as empty if its writer came after the reader") {
  const test::TemporaryFolder folder;
  const std::filesystem::path pipe = folder / "pipe.cu";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const std::jthread writer(write_when_read, pipe);
  CHECK(read_kernel_file(pipe) == "text");
}

TEST_CASE("signals that arrive while a kernel file's writer is awaited do not end the wait") {
  const test::TemporaryFolder folder;
  const std::filesystem::path pipe = folder / "pipe.cu";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  struct sigaction interrupting {};
  interrupting.sa_handler = [](int) {};
  struct sigaction before {};
  REQUIRE(sigaction(SIGUSR1, &interrupting, &before) == 0);
  std::jthread writer([&, reader = pthread_self()] {
    for (int i = 0; i < 20; ++i) {
      pthread_kill(reader, SIGUSR1);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    write_when_read(pipe);
  });
  CHECK(read_kernel_file(pipe) == "text");
  writer.join();
  sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace
