#include "tests/capture/stored/working_capture.hpp"

#include <cstring>
#include <utility>

#include "tests/runtime/cubin_builder.hpp"
#include "tuner/capture/stored/capture_folder.hpp"

namespace tuner::test {
namespace {

constexpr std::uint64_t kPlace = std::uint64_t{0x20} << 40;  // where a process has nothing else

template <typename T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

WorkingLaunch launch_of(const std::string& kernel, const std::string& does, const std::vector<std::uint32_t>& sizes) {
  WorkingLaunch launch;
  capture::Snapshot& snapshot = launch.snapshot;
  snapshot.kernel = kernel;
  snapshot.launch = {.ordinal = 1, .grid = {4, 1, 1}, .block = {64, 1, 1}};
  snapshot.attributes = {{.number = 8, .value = 65536}};
  snapshot.limits = {{.number = 0, .value = 1024}};
  snapshot.gpu = "fake";
  snapshot.device.compute_capability = 90;
  snapshot.image = make_cubin({.kernel = kernel,
                               .parameter_sizes = sizes,
                               .instructions = "records does=" + does,
                               .arrays = {},
                               .globals = {{"weights", 16}}});
  return launch;
}

void add_memory(WorkingLaunch& launch, std::uint64_t address, const std::vector<std::byte>& holds,
                const std::string& variable = {}) {
  auto& memories = variable.empty() ? launch.snapshot.allocations : launch.snapshot.variables;
  memories.push_back({address, holds.size(), launch.memory.size(), variable});
  launch.memory.insert(launch.memory.end(), holds.begin(), holds.end());
}

}  // namespace

WorkingLaunch launch_on_numbers(const std::string& does) {
  WorkingLaunch launch = launch_of("_Z4workPiPKii", does, {8, 8, 4});
  const std::vector<int> numbers(300, 5);
  add_memory(launch, kPlace, bytes_of(numbers));
  add_memory(launch, kPlace + 4096, bytes_of(numbers));
  add_memory(launch, kPlace + (1 << 20), bytes_of<std::uint64_t>({kPlace, 7}), "weights");
  launch.snapshot.parameters = {{0, bytes_of<std::uint64_t>({kPlace})},
                                {8, bytes_of<std::uint64_t>({kPlace + 4096})},
                                {16, bytes_of<int>({256})}};
  return launch;
}

WorkingLaunch launch_on_list() {
  WorkingLaunch launch = launch_of("_Z4workP4Node", "list", {8});
  const std::uint64_t second = kPlace + (1 << 18);
  add_memory(launch, kPlace, bytes_of<std::uint64_t>({second, 1, 0, 2}));
  add_memory(launch, second, bytes_of<std::uint64_t>({kPlace + 16, 3}));
  launch.snapshot.parameters = {{0, bytes_of<std::uint64_t>({kPlace})}};
  return launch;
}

void write_working(const std::filesystem::path& folder, const std::vector<WorkingLaunch>& launches) {
  capture::FolderWriter writer(folder, {.command = {"./work"}, .executable = "/home/me/work", .folder = "/home/me"});
  for (const WorkingLaunch& launch : launches) writer.add(launch.snapshot, launch.memory, launch.memory, {});
  writer.finish();
}

}  // namespace tuner::test
