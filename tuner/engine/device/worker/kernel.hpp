#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/engine/device/lane/device.hpp"
#include "tuner/engine/device/lane/occupancy.hpp"
#include "tuner/engine/device/memory/cuda.hpp"
#include "tuner/engine/device/memory/work_stream.hpp"
#include "tuner/engine/device/worker/buffers.hpp"
#include "tuner/engine/device/worker/verdict.hpp"

namespace tuner::engine {

/// An array in the constant memory of a loaded module.
struct LoadedConstant {
  std::uint64_t position = 0;  ///< of the argument that it is filled with
  CUdeviceptr memory = 0;
};

/// One candidate, loaded on the device and ready to launch on the buffers of the prepared problem.
struct LoadedKernel {
  std::string configuration;
  Module module;
  CUfunction function = nullptr;
  Geometry geometry;
  std::vector<std::uint64_t> scratch_lengths;
  std::vector<std::size_t> takes;  ///< positions of its arguments, in signature order
  std::vector<LoadedConstant> constants;
  FunctionFacts facts;
  std::optional<double> occupancy;
  std::string limiter;
  double last_ns = 0;  ///< its latest sample; 0 before the first
};

/// Loads the candidate, compares its parameter table and its arrays in constant memory with the described arguments,
/// opts in to the shared memory it wants and computes its occupancy. Fills `kernel` as far as it gets, and no
/// constants. If there is `ptx`, the driver translates that, and the machine code is not used.
Verdict load_kernel(const Candidate& candidate, const std::vector<ArgumentState>& arguments, const DeviceInfo& device,
                    LoadedKernel& kernel, std::string_view ptx = {});

/// Queues filling the module's constant memory with what the arguments hold now. What an array has beyond what is
/// described for it keeps its initial values.
void fill_constants(const LoadedKernel& kernel, const std::vector<ArgumentState>& arguments, WorkStream& stream);

/// Queues one launch on buffers at these addresses, one for each argument. Not ok when the driver refuses; throws
/// CallFailed when the context is dead.
Verdict launch_kernel(const LoadedKernel& kernel, const std::vector<ArgumentState>& arguments,
                      std::span<const CUdeviceptr> addresses, const DeviceInfo& device, WorkStream& stream);

}  // namespace tuner::engine
