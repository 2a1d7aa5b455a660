// The two roles of tuner-worker that need a driver, on their own.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string_view>

#include "tuner/engine/device/worker/worker.hpp"
#include "tuner/process/spawn.hpp"

int main(int argc, char** argv) {
  int status = 64;
  try {
    const std::string_view role = argc > 1 ? argv[1] : "";
    if (role == "device") status = tuner::engine::run_device_worker(tuner::worker_channel());
    if (role == "probe") status = tuner::engine::run_probe(tuner::worker_channel());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  std::fflush(nullptr);
  _exit(status);
}
