// Figures of data sheets and of the CUDA programming guide's tables by compute capability. Clocks depend on the board
// and stay 0: nothing that is planned without the device needs them.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <optional>

#include "tuner/core/base/suggestion.hpp"
#include "tuner/core/device/device.hpp"

namespace tuner {
namespace {

struct Board {
  std::string_view short_name;
  std::string_view name;  ///< as the driver calls it
  int major, minor;
  int sm_count;
  int memory_gib;
  int l2_mib;
  int bus_bits;
};

constexpr std::array<Board, 7> kBoards{{
    {"A100", "NVIDIA A100-SXM4-80GB", 8, 0, 108, 80, 40, 5120},
    {"B200", "NVIDIA B200", 10, 0, 148, 179, 126, 8192},
    {"H100", "NVIDIA H100 80GB HBM3", 9, 0, 132, 80, 50, 5120},
    {"H200", "NVIDIA H200", 9, 0, 132, 140, 60, 6144},
    {"L40S", "NVIDIA L40S", 8, 9, 142, 48, 96, 384},
    {"RTX_3090", "NVIDIA GeForce RTX 3090", 8, 6, 82, 24, 6, 384},
    {"RTX_4090", "NVIDIA GeForce RTX 4090", 8, 9, 128, 24, 72, 384},
}};

/// What depends on the compute capability alone. All of these have 64 K registers; from 8.0 on they reserve 1 KiB of
/// shared memory a block.
struct Multiprocessor {
  int major, minor;
  int threads;
  int blocks;
  int shared_kib;
};

constexpr std::array<Multiprocessor, 11> kMultiprocessors{{
    {7, 5, 1024, 16, 64},
    {8, 0, 2048, 32, 164},
    {8, 6, 1536, 16, 100},
    {8, 7, 1536, 16, 164},
    {8, 9, 1536, 24, 100},
    {9, 0, 2048, 32, 228},
    {10, 0, 2048, 32, 228},
    {10, 3, 2048, 32, 228},
    {11, 0, 1536, 24, 228},
    {12, 0, 1536, 24, 100},
    {12, 1, 1536, 24, 100},
}};

void set_limits(DeviceInfo& device, const Multiprocessor& sm) {
  device.max_threads_per_block = 1024;
  device.max_threads_per_sm = sm.threads;
  device.max_blocks_per_sm = sm.blocks;
  device.registers_per_sm = 65536;
  device.registers_per_block = 65536;
  device.max_shared_per_sm = sm.shared_kib * 1024;
  device.reserved_shared_per_block = sm.major >= 8 ? 1024 : 0;
  device.max_shared_per_block = device.max_shared_per_sm - device.reserved_shared_per_block;
}

/// "sm_90a" → 90; nothing for other text.
std::optional<int> number_of(std::string_view architecture) {
  if (!architecture.starts_with("sm_")) return std::nullopt;
  const char* const begin = architecture.data() + 3;
  const char* const end = architecture.data() + architecture.size();
  int number = 0;
  const auto [stop, error] = std::from_chars(begin, end, number);
  const bool is_variant = stop + 1 == end && (*stop == 'a' || *stop == 'f');
  if (error != std::errc{} || number < 10 || (stop != end && !is_variant)) return std::nullopt;
  return number;
}

}  // namespace

std::vector<std::string> known_device_names() {
  std::vector<std::string> names;
  for (const Board& board : kBoards) names.emplace_back(board.short_name);
  return names;
}

DeviceInfo known_device(const std::string& short_name) {
  for (const Board& board : kBoards) {
    if (board.short_name != short_name) continue;
    DeviceInfo device;
    device.name = board.name;
    device.compute_major = board.major;
    device.compute_minor = board.minor;
    device.sm_count = board.sm_count;
    device.memory_bytes = std::uint64_t{1024} * 1024 * 1024 * static_cast<std::uint64_t>(board.memory_gib);
    device.l2_bytes = std::uint64_t{1024} * 1024 * static_cast<std::uint64_t>(board.l2_mib);
    device.memory_bus_bits = board.bus_bits;
    for (const Multiprocessor& sm : kMultiprocessors) {
      if (sm.major == board.major && sm.minor == board.minor) set_limits(device, sm);
    }
    return device;
  }
  const std::vector<std::string> names = known_device_names();
  throw Error(Errc::bad_usage, fmt::format("The device `{}` is not known{} Devices known without a driver: {}.",
                                           short_name, suggestion(short_name, names, "."), fmt::join(names, ", ")));
}

DeviceInfo planned_device(const std::string& architecture) {
  const std::optional<int> number = number_of(architecture);
  if (!number) {
    throw Error(Errc::bad_usage,
                fmt::format("`{}` is not the name of an architecture, such as sm_90 or sm_90a.", architecture));
  }
  DeviceInfo device = known_device(kPlanDevice);
  if (device.compute_major * 10 + device.compute_minor == *number) return device;
  device.name = "GPU of " + architecture;
  // One that is not in the table is like the one before it.
  for (const Multiprocessor& sm : kMultiprocessors) {
    if (sm.major * 10 + sm.minor <= *number || &sm == &kMultiprocessors.front()) set_limits(device, sm);
  }
  device.compute_major = *number / 10;
  device.compute_minor = *number % 10;
  return device;
}

std::optional<DeviceInfo> device_of_identity(const std::string& identity) {
  const std::size_t end = identity.find("|cc=");
  if (end == std::string::npos) return std::nullopt;
  int major = 0, minor = 0, sms = 0, profile = 0;
  unsigned memory_gib = 0, l2_mib = 0;
  const int read = std::sscanf(identity.c_str() + end, "|cc=%d.%d|sms=%d|memory=%uGiB|l2=%uMiB|mig=%n", &major, &minor,
                               &sms, &memory_gib, &l2_mib, &profile);
  if (read != 5 || profile == 0 || major < 1 || major > 99 || minor < 0 || minor > 9) return std::nullopt;
  DeviceInfo device = planned_device(fmt::format("sm_{}{}", major, minor));
  device.name = identity.substr(0, end);
  device.sm_count = sms;
  device.memory_bytes = std::uint64_t{memory_gib} << 30;
  device.l2_bytes = std::uint64_t{l2_mib} << 20;
  device.mig_profile = identity.substr(end + static_cast<std::size_t>(profile));
  return device.identity() == identity ? std::optional(device) : std::nullopt;
}

}  // namespace tuner
