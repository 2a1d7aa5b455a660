#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/expression/expression.hpp"

namespace tuner {

/// What is known of one GPU: by the driver, or from a recording. A value without handles.
struct DeviceInfo {
  std::string name;  ///< "NVIDIA H200"
  std::string uuid;  ///< "GPU-…"; empty in recordings
  int ordinal = 0;   ///< position among the machine's GPUs as the user counts them
  int compute_major = 0;
  int compute_minor = 0;
  int sm_count = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;
  std::string mig_profile;  ///< empty without MIG
  int warp_size = 32;
  int max_threads_per_block = 0;
  int max_threads_per_sm = 0;
  int max_blocks_per_sm = 0;
  int registers_per_sm = 0;
  int registers_per_block = 0;
  int max_shared_per_block = 0;  ///< with opt-in, bytes
  int max_shared_per_sm = 0;
  int reserved_shared_per_block = 0;
  int clock_khz = 0;  ///< maximum SM clock
  int memory_clock_khz = 0;
  int memory_bus_bits = 0;
  std::string driver_version;  ///< "580.159.04" where NVML tells, else the CUDA version it supports, "13.0"

  /// "sm_90"
  std::string architecture() const;
  /// Canonical identity for keys: "NVIDIA H200|cc=9.0|sms=132|memory=140GiB|l2=60MiB|mig=". Memory rounded to whole GiB
  /// and L2 to whole MiB, so that reserved memory does not make another device of it.
  std::string identity() const;
  /// Names for expressions: sm_count, warp_size, max_threads_per_block, max_threads_per_sm, max_blocks_per_sm,
  /// registers_per_sm, registers_per_block, max_shared_per_block, max_shared_per_sm, l2_bytes, memory_bytes,
  /// compute_capability (major * 10 + minor).
  void define_names(search::Scope& scope) const;
};

/// What its memory transfers at most by its clock, two words a cycle; 0 where that is not known.
double peak_bytes_per_s(const DeviceInfo& device);

/// The GPU of a canonical identity, with the limits of its architecture; clocks and what else it does not say are 0 or
/// empty, and memory and cache are rounded. Nothing for what is no identity.
std::optional<DeviceInfo> device_of_identity(const std::string& identity);
/// "NVIDIA H200" of a canonical identity.
std::string device_name(std::string_view identity);
/// "9.0" of a canonical identity, "NVIDIA H200|cc=9.0|sms=132|…"; empty if it says none.
std::string_view compute_capability(std::string_view identity);

/// A well-known GPU by short name ("H200", "A100", "RTX_4090", …): for planning and tests where there is none. Throws
/// Error{bad_usage} that lists the names.
DeviceInfo known_device(const std::string& short_name);
/// The names that known_device takes.
std::vector<std::string> known_device_names();
/// The one that plans are made for where no device is named.
inline constexpr const char* kPlanDevice = "H200";
/// A GPU of an architecture ("sm_90", "sm_90a"), with its limits; the size of the whole is that of kPlanDevice. Throws
/// Error{bad_usage} for what is no architecture's name.
DeviceInfo planned_device(const std::string& architecture);

}  // namespace tuner
