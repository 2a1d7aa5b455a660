#include "tuner/runtime/modules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/core/binary/cubin.hpp"

namespace tuner {
namespace {

constexpr std::int64_t kSharedWithoutOptIn = 48 * 1024;

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(Errc::baseline_failed, sentence);
}

std::int64_t attribute(CUfunction function, CUfunction_attribute which) {
  int value = 0;
  cuda::check(cuda::driver().function_attribute(&value, which, function), "cuFuncGetAttribute");
  return value;
}

/// Reading an attribute loads the function too, where the driver does that late: launching must not.
void prepare(CUfunction function, const Geometry& geometry, const DeviceInfo& device) {
  const std::int64_t threads = std::int64_t{geometry.block[0]} * geometry.block[1] * geometry.block[2];
  const std::int64_t most = attribute(function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (threads > most) {
    refuse(fmt::format("its block of {} threads is more than the {} that its registers and launch bounds allow",
                       threads, most));
  }
  const std::int64_t fixed = attribute(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  if (fixed + geometry.shared_bytes > device.max_shared_per_block) {
    refuse(fmt::format("it needs {} bytes of shared memory a block, but the GPU has {}", fixed + geometry.shared_bytes,
                       device.max_shared_per_block));
  }
  if (fixed + geometry.shared_bytes <= kSharedWithoutOptIn) return;
  // Several instances may share the function: the largest wish counts.
  const std::int64_t granted = attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  const auto wanted = static_cast<int>(std::max<std::int64_t>(granted, geometry.shared_bytes));
  cuda::check(cuda::driver().set_function_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, wanted),
              "cuFuncSetAttribute");
}

}  // namespace

Modules::~Modules() {
  if (loaded_.empty() || cuda::device_abandoned()) return;
  for (const auto& [key, loaded] : loaded_) {
    if (loaded.module == nullptr) continue;
    try {
      const InContext in_context(loaded.context);
      cuda::unload_module(loaded.module);
    } catch (const Error&) {
      // The context is gone, and the module with it.
    }
  }
}

/// Instances that fill less of an array than others do not find what those have written behind it.
Modules::Key Modules::key_of(const ContextPlace& place, std::span<const std::byte> cubin,
                             const cache::Hash& binary_hash, std::span<const BoundArgument> arguments) {
  Key key{place.id, binary_hash, {}};
  for (const BoundArgument& argument : arguments) {
    if (argument.role != Argument::Role::constant) continue;
    const std::uint64_t described = argument.length * element_size(argument);
    const auto array = array_in_cubin(cubin, argument.name);
    std::get<2>(key).push_back(array && array->bytes > described ? described : 0);
  }
  return key;
}

CUfunction Modules::load(const ContextPlace& place, std::span<const std::byte> cubin, const cache::Hash& binary_hash,
                         const std::string& lowered_name, const LaunchFacts& launch, const DeviceInfo& device) {
  const InContext in_context(place.context);
  const std::lock_guard lock(mutex_);
  Loaded& loaded = loaded_[key_of(place, cubin, binary_hash, launch.arguments)];
  if (loaded.module == nullptr) {
    cuda::Module module = cuda::load_module(cubin);
    loaded = {place.context, module.release()};
  }
  CUfunction function = nullptr;
  cuda::check(cuda::driver().module_function(&function, loaded.module, lowered_name.c_str()), "cuModuleGetFunction");
  prepare(function, launch.geometry, device);
  return function;
}

std::vector<detail::ConstantCopy> Modules::constants(const ContextPlace& place, std::span<const std::byte> cubin,
                                                     const cache::Hash& binary_hash,
                                                     std::span<const BoundArgument> arguments) {
  const InContext in_context(place.context);
  const std::lock_guard lock(mutex_);
  const Loaded& loaded = loaded_.at(key_of(place, cubin, binary_hash, arguments));
  std::vector<detail::ConstantCopy> copies;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const BoundArgument& argument = arguments[i];
    if (argument.role != Argument::Role::constant) continue;
    const auto array = array_in_cubin(cubin, argument.name);
    detail::ConstantCopy copy{.position = i, .bytes = argument.length * element_size(argument)};
    const CUresult result = cuda::driver().module_global(&copy.memory, &copy.array_bytes, loaded.module,
                                                         array ? array->symbol.c_str() : argument.name.c_str());
    if (result == CUDA_ERROR_NOT_FOUND) {
      refuse(fmt::format("its binary has no array `{}` in constant memory", argument.name));
    }
    cuda::check(result, "cuModuleGetGlobal");
    if (copy.array_bytes < copy.bytes) {
      refuse(fmt::format("the array `{}` of its binary has {} bytes, but {} are described", argument.name,
                         copy.array_bytes, copy.bytes));
    }
    copies.push_back(copy);
  }
  return copies;
}

bool Modules::is_news(const std::string& kernel, const std::string& array) {
  const std::lock_guard lock(mutex_);
  return told_.emplace(kernel, array).second;
}

}  // namespace tuner
