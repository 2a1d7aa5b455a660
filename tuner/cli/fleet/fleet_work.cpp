#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cache/file/location.hpp"
#include "tuner/cli/fleet/fleet_actions.hpp"
#include "tuner/cli/fleet/fleet_job.hpp"
#include "tuner/cli/fleet/queue_option.hpp"
#include "tuner/cli/given/compile_memory.hpp"
#include "tuner/cli/given/device_list.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/failure.hpp"
#include "tuner/cli/terminal/interrupts.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/engine/compile/pool.hpp"
#include "tuner/engine/workplace/find_devices.hpp"
#include "tuner/error.hpp"
#include "tuner/fleet/queue/worker.hpp"
#include "tuner/process/confinement.hpp"
#include "tuner/process/private_folder.hpp"
#include "tuner/process/usable_cores.hpp"

namespace tuner::cli {

namespace {

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

/// What all workers of this command have in common.
struct WorkRequest {
  fleet::Address address;
  fleet::WorkerOptions options;
  FleetPlace place;
};

ExitCode work_on(const DeviceInfo& device, WorkRequest request) {
  const Interrupts interrupts;
  // Who takes a machine away may say so twice: there is time to give the job back all the same.
  const SomethingToEnd job;
  request.place.device = device.ordinal;
  request.options.device = device.name;
  request.options.name = fmt::format("{}:{} GPU {}", host_name(), getpid(), device.ordinal);
  // Names without a folder mean nothing there.
  const PrivateFolder nowhere("fleet", "a job");
  setenv("TMPDIR", nowhere.path().parent_path().c_str(), 1);
  if (chdir(nowhere.path().c_str()) != 0) {
    throw Error(Errc::store_unavailable,
                fmt::format("The folder {} cannot be entered: is TMPDIR right?", nowhere.path().string()));
  }
  const auto step = [&](const fleet::Package& package, const std::atomic<bool>& stop) {
    return interrupts.flag() ? fleet::Answer() : tune_job(package, request.place, stop);
  };
  const auto tell = [&](const std::string& sentence) { say(fmt::format("GPU {}: {}", device.ordinal, sentence)); };
  const fleet::WorkerTally tally = fleet::Worker(request.address, request.options, step, tell).run(interrupts.flag());
  tell(fmt::format("{} done, {} failed, {} refused.", counted(static_cast<std::uint64_t>(tally.done), "job"),
                   tally.failed, tally.refused));
  return interrupts.flag() ? ExitCode::interrupted : ExitCode::done;
}

/// The same in a process of its own, which ends with this one. Ctrl-C on a terminal reaches this one alone, which
/// passes it on once.
pid_t work_apart(const DeviceInfo& device, const WorkRequest& request) {
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  setpgid(0, 0);
  ExitCode code = ExitCode::internal;
  try {
    code = work_on(device, request);
  } catch (const std::exception&) {
    code = say_failure(fmt::format("GPU {}: ", device.ordinal));
  }
  std::fflush(stdout);
  _exit(static_cast<int>(code));
}

/// Waits for all of them, and tells them to stop when this process is told. Returns the first code that is not 0.
ExitCode wait_for(std::vector<pid_t> children) {
  const Interrupts interrupts;
  const SomethingToEnd jobs;
  bool told = false;
  int code = 0;
  while (!children.empty()) {
    if (interrupts.flag() && !std::exchange(told, true)) {
      for (const pid_t child : children) kill(child, SIGTERM);
    }
    int status = 0;
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended < 0 && errno == ECHILD) break;
    if (ended <= 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      continue;
    }
    std::erase(children, ended);
    const int of_child = WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(ExitCode::internal);
    if (code == 0) code = of_child;
  }
  return static_cast<ExitCode>(code);
}

/// So that a mistake in the address is said once, and a server that starts at the same time is waited for.
void reach(const fleet::Address& address) {
  constexpr std::chrono::minutes kPatience{10};
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (bool told = false;;) {
    try {
      fleet::Queue{address};
      return;
    } catch (const fleet::Unreachable& error) {
      if (!address.is_away() || std::chrono::steady_clock::now() > end) throw;
      if (!std::exchange(told, true)) say(fmt::format("{} Waiting for it, ten minutes at most.", error.what()));
    }
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

void refuse_root(const Arguments& arguments) {
  if (geteuid() != 0 || arguments.has("as-root")) return;
  throw Error(Errc::bad_usage,
              "`tuner fleet work` runs what others submitted, and not as root: start it as a user that owns nothing "
              "else, or, where this machine has nothing to lose, with --as-root.");
}

void refuse_unconfined(const Arguments& arguments) {
  if (can_confine() || arguments.has("unconfined")) return;
  throw Error(Errc::bad_usage,
              "This machine cannot keep the compilers of a job to its files, so a job could read what this user can: "
              "start Linux 5.13 or newer with `landlock` in `lsm=`. Where you trust all who submit jobs, use "
              "--unconfined.");
}

}  // namespace

ExitCode fleet_work(const Arguments& arguments) {
  if (arguments.operands().size() > 1) {
    throw Error(Errc::bad_usage, "`tuner fleet work` takes jobs from the queue, not files: `tuner fleet submit` does.");
  }
  refuse_root(arguments);
  refuse_unconfined(arguments);
  WorkRequest request{.address = queue_address(arguments)};
  request.address.keep_password_of_environment();
  request.options.until_empty = arguments.has("until-empty");
  request.options.longest_job = arguments.duration("longest-job").value_or(request.options.longest_job);
  request.place.compile_timeout = arguments.duration("compile-timeout");
  const cache::Location location = cache::locate(arguments.value("db").value_or(""));
  request.place.database = std::filesystem::absolute(location.decisions);
  const std::vector<DeviceInfo> devices = engine::find_devices();
  const std::vector<int> chosen = read_device_list(arguments.value("devices").value_or("all"));
  if (chosen.back() >= static_cast<int>(devices.size())) {
    throw Error(Errc::bad_usage,
                fmt::format("--devices names GPU {}, but there {} here, numbered from 0.", chosen.back(),
                            devices.size() == 1 ? "is one" : fmt::format("are {}", devices.size())));
  }
  const std::size_t share =
      static_cast<std::size_t>(std::max(1, (usable_cores() - 1) / static_cast<int>(chosen.size())));
  request.place.workers = arguments.number("workers", 1, 1024).value_or(share);
  request.place.compile_memory = compile_memory(arguments);
  if (request.place.compile_memory == 0)
    request.place.compile_memory = engine::memory_share(request.place.workers * chosen.size());
  reach(request.address);
  if (chosen.size() == 1) return work_on(devices.at(static_cast<std::size_t>(*chosen.begin())), request);
  std::vector<pid_t> children;
  for (const int number : chosen) {
    const pid_t child = work_apart(devices.at(static_cast<std::size_t>(number)), request);
    if (child > 0) children.push_back(child);
  }
  return wait_for(std::move(children));
}

}  // namespace tuner::cli
