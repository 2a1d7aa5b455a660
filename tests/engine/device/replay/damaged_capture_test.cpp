// Captures that decayed, or that somebody made, run again with the fake driver as the device worker runs them.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/capture/stored/working_capture.hpp"
#include "tests/support/files.hpp"
#include "tests/support/length.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/engine/device/memory/still_running.hpp"
#include "tuner/engine/device/replay/launch_replay.hpp"
#include "tuner/error.hpp"

using namespace tuner;
using namespace tuner::test;
using namespace tuner::engine;

namespace {

namespace fs = std::filesystem;
using Random = std::mt19937;
using nlohmann::json;

/// None of them what a sanitizer ends with.
enum Ending { right = 100, refused, faulted, hung };

void create_context() {
  CUcontext context = nullptr;
  check(driver().retain_context(&context, 0), "cuDevicePrimaryCtxRetain");
  check(driver().set_context(context), "cuCtxSetCurrent");
}

/// Plain, then with memory that cannot be written, then over patterns.
void run_again(const fs::path& folder, bool at_own_addresses) {
  WorkStream stream;
  ReplayLaunch request{.folder = folder.string(),
                       .at_own_addresses = at_own_addresses,
                       .times = 2,
                       .launch_timeout = std::chrono::milliseconds(200)};
  LaunchReplay replay(request, stream);
  ReplayResult result;
  replay.run(request, result);
  for (std::uint64_t memory = 0; memory < result.memories.size(); ++memory) {
    if (result.memories[memory].is_missing || !result.memories[memory].is_reached) continue;
    request.patterned = memory;
    ReplayResult patterned;
    replay.run(request, patterned);
  }
  request.patterned.reset();
  for (std::uint64_t memory = 0; memory < result.memories.size(); ++memory)
    if (result.memories[memory].can_be_read_only) request.read_only.push_back(memory);
  ReplayResult again;
  replay.run(request, again);
}

/// In a process of its own, which faults and hangs end. Its exit code.
int ending_of(const fs::path& folder, bool at_own_addresses = false) {
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(60);
    signal(SIGSEGV, SIG_DFL);  // what the tests do with it would say more than once what happened
    int ending = 70;
    const auto sentence = [](const std::string& text) {
      return text.size() > 10 && text.ends_with('.') ? refused : 71;
    };
    try {
      create_context();
      run_again(folder, at_own_addresses);
      ending = right;
    } catch (const CannotReplay& refusal) {
      ending = sentence(refusal.reason);
    } catch (const StillRunning&) {
      ending = hung;
    } catch (const CallFailed&) {
      ending = faulted;
    } catch (const Error& error) {
      ending = sentence(error.what());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    _exit(ending);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

template <typename List>
auto& one_of(Random& random, List& list) {
  return list[random() % std::size(list)];
}

/// Numbers that are at the end of something, or near to one.
std::uint64_t odd_number(Random& random, std::uint64_t near) {
  const std::uint64_t numbers[] = {0,          1,        7,          8,          near + 1,
                                   near - 1,   near + 8, near - 64,  1 << 12,    1u << 31,
                                   1u << 20,   ~0u,      1ull << 44, 1ull << 57, (1ull << 57) - 4096,
                                   1ull << 63, ~0ull,    ~0ull - 7};
  return one_of(random, numbers);
}

WorkingLaunch some_launch(Random& random) {
  const char* const kernels[] = {"copies", "increments", "swaps", "reads", "fills"};
  return random() % 2 == 0 ? launch_on_list() : launch_on_numbers(one_of(random, kernels));
}

/// What a whole capture says may be anything that the manifest's reader takes.
WorkingLaunch damaged(Random& random, WorkingLaunch launch) {
  capture::Snapshot& snapshot = launch.snapshot;
  const auto put = [&](std::vector<std::byte>& bytes, std::uint64_t value) {
    if (bytes.size() >= sizeof value)
      std::memcpy(bytes.data() + random() % (bytes.size() / sizeof value) * sizeof value, &value, sizeof value);
  };
  capture::Memory& memory = one_of(random, snapshot.allocations);
  const std::uint64_t address = one_of(random, snapshot.allocations).address;
  switch (random() % 9) {
    case 0:
      memory.address = odd_number(random, address);
      break;
    case 1:
      memory.size = 1 + random() % memory.size;
      break;
    case 2:
      put(one_of(random, snapshot.parameters).bytes, odd_number(random, address));
      break;
    case 3:
      put(launch.memory, odd_number(random, address));
      break;
    case 4:
      snapshot.parameters.pop_back();
      break;
    case 5:
      snapshot.attributes = {
          {.number = static_cast<int>(random() % 20), .value = static_cast<std::int64_t>(odd_number(random, 0))}};
      break;
    case 6:
      snapshot.limits = {{.number = 0, .value = static_cast<std::int64_t>(odd_number(random, 0))}};
      break;
    case 7:
      if (!snapshot.variables.empty()) snapshot.variables[0].address = address + random() % 64;
      if (!snapshot.variables.empty() && random() % 2 == 0) snapshot.variables[0].name = "absent";
      snapshot.launch.dynamic_shared = static_cast<std::uint32_t>(odd_number(random, 0));
      break;
    default:
      snapshot.allocations.push_back({odd_number(random, address), 1 + random() % 16, 0, {}});
  }
  return launch;
}

void damage_manifest(Random& random, const fs::path& folder) {
  json manifest = json::parse(read_bytes(folder / "manifest.json")).flatten();
  auto item = manifest.begin();
  std::advance(item, random() % manifest.size());
  const std::uint64_t number = odd_number(random, item->is_number() ? item->get<double>() > 0 ? 64 : 1 : 16);
  char address[32];
  std::snprintf(address, sizeof address, "0x%llx", static_cast<unsigned long long>(number));
  const json values[] = {number, address, nullptr, true, -1, 0.5, "", "_Z4workPiPKii", std::string(32, 'f')};
  *item = one_of(random, values);
  write_bytes(folder / "manifest.json", manifest.unflatten().dump());
}

void damage_file(Random& random, const fs::path& folder) {
  std::vector<fs::path> files{folder / "manifest.json"};
  for (const auto& entry : fs::directory_iterator(folder / "data")) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  const fs::path& file = one_of(random, files);
  std::string bytes = read_bytes(file);
  for (unsigned changes = 1 + random() % 3; changes > 0; --changes)
    bytes[random() % bytes.size()] =
        static_cast<char>(random() % 2 == 0 ? "0123456789abcdef{}[],\""[random() % 22] : random());
  if (random() % 5 == 0) bytes.resize(random() % bytes.size());
  write_bytes(file, bytes);
}

}  // namespace

TEST_CASE("captures that are whole run again") {
  const TemporaryFolder folder;
  write_working(folder / "numbers", {launch_on_numbers("copies")});
  write_working(folder / "list", {launch_on_list()});
  for (const bool at_own_addresses : {false, true}) {
    CHECK(ending_of(folder / "numbers", at_own_addresses) != refused);
    CHECK(ending_of(folder / "list", at_own_addresses) != refused);
  }
  write_working(folder / "reads", {launch_on_numbers("reads")});
  CHECK(ending_of(folder / "reads") == right);
}

TEST_CASE("a damaged capture is a sentence, a result, a fault or a hang, and nothing else") {
  Random random(29);
  std::map<int, int> endings;
  const std::size_t tries = length(400, 5000);
  for (std::size_t i = 0; i < tries; ++i) {
    CAPTURE(i);
    const TemporaryFolder folder;
    const WorkingLaunch launch = some_launch(random);
    const unsigned kind = random() % 4;
    try {
      write_working(folder / "c", {kind < 2 ? damaged(random, launch) : launch});
    } catch (const Error&) {
      continue;
    }
    if (kind == 2) damage_manifest(random, folder / "c");
    if (kind == 3) damage_file(random, folder / "c");
    const int ending = ending_of(folder / "c", random() % 2 == 0);
    CHECK(ending >= right);
    CHECK(ending <= hung);
    ++endings[ending];
  }
  MESSAGE("right " << endings[right] << ", refused " << endings[refused] << ", faulted " << endings[faulted]
                   << ", hung " << endings[hung]);
  CHECK(endings[right] > 0);
  CHECK(endings[refused] > 0);
  CHECK(endings[faulted] > 0);
}

TEST_CASE("memory that unpacks to more than the GPU has is refused before it is all unpacked") {
  const TemporaryFolder folder;
  WorkingLaunch launch = launch_on_numbers("reads");
  const std::size_t begin = launch.memory.size(), bytes = std::size_t{2} << 20;
  launch.memory.resize(begin + bytes);
  launch.snapshot.allocations[1] = {launch.snapshot.allocations[1].address, bytes, begin, {}};
  write_working(folder / "c", {launch});
  CHECK(ending_of(folder / "c") == right);
  setenv("FAKE_DRIVER", "room=1000000", 1);
  CHECK(ending_of(folder / "c") == refused);
  unsetenv("FAKE_DRIVER");
}
