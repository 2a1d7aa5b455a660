// tuner-worker: the processes that the tuner starts for work that may crash or hang. Which one is the first argument.

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "tuner/core/base/printable.hpp"
#include "tuner/engine/compile/helper.hpp"
#include "tuner/engine/device/worker/worker.hpp"
#include "tuner/process/spawn.hpp"
#include "tuner/process/worker_program.hpp"

namespace {

int run(std::string_view role, const char* argument) {
  using namespace tuner::engine;
  using tuner::Channel;
  Channel channel = tuner::worker_channel();
  if (role == tuner::kHello) return channel.send({std::string(role), "", {}}) ? 0 : 1;
  if (role == "compile") return run_compile_helper(std::move(channel));
  if (role == "device")
    return run_device_worker(std::move(channel), argument ? std::strtoull(argument, nullptr, 10) : 0);
  std::fprintf(stderr, "tuner-worker has no role '%.*s'.\n", static_cast<int>(role.size()), role.data());
  return 64;
}

}  // namespace

int main(int argc, char** argv) {
  signal(SIGXFSZ, SIG_IGN);  // writing fails, and what fails says so
  int status = 1;
  try {
    status = run(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : nullptr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", tuner::printable(error.what()).c_str());
  }
  // Libraries that were opened here (NVRTC, the driver) have exit handlers that are not worth waiting for.
  std::fflush(nullptr);
  _exit(status);
}
