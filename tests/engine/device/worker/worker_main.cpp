// The role of tuner-worker that needs a driver, on its own.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string_view>

#include "tuner/engine/device/worker/worker.hpp"
#include "tuner/process/spawn.hpp"

int main(int argc, char** argv) {
  int status = 64;
  try {
    if (argc > 1 && argv[1] == std::string_view("device"))
      status = tuner::engine::run_device_worker(tuner::worker_channel(), 0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  std::fflush(nullptr);
  _exit(status);
}
