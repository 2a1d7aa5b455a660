#include "tuner/engine/device/worker/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuner/core/binary/cubin.hpp"
#include "tuner/core/binary/ptx_uses.hpp"

namespace tuner::engine {
namespace {

constexpr int kSharedWithoutOptIn = 48 * 1024;

std::uint32_t parameter_size(const ArgumentState& state) {
  return static_cast<std::uint32_t>(is_by_value(state.argument.role) ? state.scalar.size() : sizeof(CUdeviceptr));
}

std::vector<std::size_t> positions(const Candidate& candidate, const std::vector<ArgumentState>& arguments) {
  if (candidate.takes) return *candidate.takes;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (is_parameter(arguments[i].argument.role)) all.push_back(i);
  }
  return all;
}

Verdict check_parameters(const Candidate& candidate, const LoadedKernel& kernel,
                         const std::vector<ArgumentState>& arguments) {
  std::vector<const ArgumentState*> described;
  for (const std::size_t position : kernel.takes) described.push_back(&arguments.at(position));
  const std::size_t compiled = candidate.parameters.size();
  if (described.size() != compiled) {
    return {Outcome::launch_refused, fmt::format("The kernel {} takes {} parameters, but {} arguments are described; "
                                                 "make the {} match its signature.",
                                                 candidate.cubin.kernel, compiled, described.size(),
                                                 candidate.takes ? "args(...) of the reference"
                                                                 : "in, out, inout, scratch, scalar and value "
                                                                   "directives")};
  }
  for (std::size_t i = 0; i < compiled; ++i) {
    const ArgumentState& state = *described[i];
    if (parameter_size(state) == candidate.parameters[i].size) continue;
    return {Outcome::launch_refused, fmt::format("Parameter {} of the kernel {} has {} bytes, but the argument '{}' "
                                                 "that is described there has {}; correct its "
                                                 "type or the order of the directives.",
                                                 i + 1, candidate.cubin.kernel, candidate.parameters[i].size,
                                                 state.argument.name, parameter_size(state))};
  }
  return {};
}

Verdict check_handles(const Candidate& candidate) {
  const std::string_view instruction = handle_instruction(candidate.ptx, candidate.cubin.kernel);
  if (instruction.empty()) return {};
  return {Outcome::launch_refused, "It " + handle_text(instruction)};
}

Verdict find_constant(const Candidate& candidate, const ArgumentState& state, LoadedKernel& kernel) {
  const std::string& name = state.argument.name;
  const auto array = array_in_cubin(candidate.cubin.bytes, name);
  CUdeviceptr memory = 0;
  std::size_t bytes = 0;
  const CUresult result =
      driver().module_global(&memory, &bytes, kernel.module.get(), array ? array->symbol.c_str() : name.c_str());
  if (is_sticky(result)) check(result, "cuModuleGetGlobal");
  if (result != CUDA_SUCCESS) {
    return {Outcome::launch_refused,
            fmt::format("The binary has no array '{}', which is described as constant(…); declare it with __constant__ "
                        "outside functions, for all values of the parameters ({}).",
                        name, error_text(result))};
  }
  if (bytes < state.element_bytes()) {
    return {Outcome::launch_refused, fmt::format("The array '{}' in constant memory has only {} bytes, but {} are "
                                                 "described for it; correct its type or length.",
                                                 name, bytes, state.element_bytes())};
  }
  kernel.constants.push_back({state.position, memory});
  return {};
}

int attribute(CUfunction function, CUfunction_attribute which) {
  int value = 0;
  return driver().function_attribute(&value, which, function) == CUDA_SUCCESS ? value : 0;
}

Verdict refused(CUresult result, std::string_view what, const DeviceInfo& device, const LoadedKernel& kernel) {
  if (is_sticky(result)) check(result, what);
  const std::string why = why_refused(device, kernel.facts, kernel.geometry);
  if (why.empty())
    return {Outcome::launch_refused,
            fmt::format("The driver refuses the launch: {} returned {}.", what, error_text(result))};
  return {Outcome::launch_refused,
          fmt::format("The driver refuses the launch, because {} ({}).", why, error_text(result))};
}

void measure_occupancy(const DeviceInfo& device, LoadedKernel& kernel) {
  const Geometry& geometry = kernel.geometry;
  const auto threads = static_cast<int>(
      std::min<std::uint64_t>(std::uint64_t{geometry.block[0]} * geometry.block[1] * geometry.block[2], 1u << 30));
  int blocks = 0;
  if (threads <= 0 ||
      driver().max_active_blocks(&blocks, kernel.function, threads, geometry.shared_bytes) != CUDA_SUCCESS)
    return;
  const int warps = (threads + device.warp_size - 1) / device.warp_size * blocks;
  if (device.max_threads_per_sm <= 0) return;
  kernel.occupancy = static_cast<double>(warps) * device.warp_size / device.max_threads_per_sm;
  kernel.limiter = occupancy_limiter(device, kernel.facts, geometry);
}

}  // namespace

Verdict load_kernel(const Candidate& candidate, const std::vector<ArgumentState>& arguments, const DeviceInfo& device,
                    LoadedKernel& kernel, std::string_view ptx) {
  kernel.configuration = candidate.configuration;
  kernel.geometry = candidate.geometry;
  kernel.scratch_lengths = candidate.scratch_lengths;
  kernel.takes = positions(candidate, arguments);
  if (Verdict verdict = check_parameters(candidate, kernel, arguments); !verdict.ok()) return verdict;
  if (Verdict verdict = check_handles(candidate); !verdict.ok()) return verdict;

  try {
    const std::array<std::uint32_t, 3>& block = candidate.geometry.block;
    kernel.module = ptx.empty() ? load_module(candidate.cubin.bytes)
                                : load_module(std::as_bytes(std::span(ptx)), block[0] * block[1] * block[2]);
  } catch (const CallFailed& failure) {
    if (is_sticky(failure.result())) throw;
    const bool no_memory = failure.result() == CUDA_ERROR_OUT_OF_MEMORY;
    return {no_memory ? Outcome::out_of_memory : Outcome::launch_refused,
            fmt::format("The driver does not load the binary: {}", failure.what())};
  }
  if (const CUresult result =
          driver().module_function(&kernel.function, kernel.module.get(), candidate.cubin.kernel.c_str());
      result != CUDA_SUCCESS) {
    if (is_sticky(result)) check(result, "cuModuleGetFunction");
    return {Outcome::launch_refused,
            fmt::format("The binary has no kernel called '{}': {}.", candidate.cubin.kernel, error_text(result))};
  }
  for (const ArgumentState& state : arguments) {
    if (state.argument.role != Argument::Role::constant) continue;
    if (Verdict verdict = find_constant(candidate, state, kernel); !verdict.ok()) return verdict;
  }
  kernel.facts.registers = attribute(kernel.function, CU_FUNC_ATTRIBUTE_NUM_REGS);
  kernel.facts.static_shared = attribute(kernel.function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  kernel.facts.local_bytes = attribute(kernel.function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  kernel.facts.max_threads_per_block = attribute(kernel.function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);

  if (static_cast<std::int64_t>(kernel.facts.static_shared) + kernel.geometry.shared_bytes > kSharedWithoutOptIn) {
    const int wanted = static_cast<int>(std::min<std::uint32_t>(kernel.geometry.shared_bytes, 0x7fffffffu));
    const CUresult result =
        driver().set_function_attribute(kernel.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, wanted);
    if (result != CUDA_SUCCESS) return refused(result, "cuFuncSetAttribute", device, kernel);
  }
  measure_occupancy(device, kernel);
  return {};
}

void fill_constants(const LoadedKernel& kernel, const std::vector<ArgumentState>& arguments, WorkStream& stream) {
  for (const LoadedConstant& constant : kernel.constants) {
    const ArgumentState& state = arguments[constant.position];
    stream.copy(constant.memory, state.pristine.get(), state.element_bytes());
  }
}

Verdict launch_kernel(const LoadedKernel& kernel, const std::vector<ArgumentState>& arguments,
                      std::span<const CUdeviceptr> addresses, const DeviceInfo& device, WorkStream& stream) {
  std::vector<void*> pointers;
  pointers.reserve(kernel.takes.size());
  for (const std::size_t i : kernel.takes) {
    // The driver only reads both.
    pointers.push_back(is_by_value(arguments[i].argument.role)
                           ? static_cast<void*>(const_cast<std::byte*>(arguments[i].scalar.data()))
                           : const_cast<CUdeviceptr*>(&addresses[i]));
  }
  const auto& [grid, block, shared] = kernel.geometry;
  const CUresult result = driver().launch(kernel.function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                          shared, stream.get(), pointers.data(), nullptr);
  if (result != CUDA_SUCCESS) return refused(result, "cuLaunchKernel", device, kernel);
  return {};
}

}  // namespace tuner::engine
