// The launches of an instance that take more than a look and a call of the driver: those with memory to provide or to
// compare, with constants to fill, and those by the caller's own function.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "tuner/runtime/instance_state.hpp"
#include "tuner/runtime/scratch_memory.hpp"

namespace tuner::detail {
namespace {

/// An array for one launch, which allocates nothing for as many elements as kernels have arguments.
template <class T>
class FewOrMany {
 public:
  explicit FewOrMany(std::size_t size) : size_(size) {
    if (size > few_.size()) many_.resize(size);
  }
  std::span<T> all() { return {many_.empty() ? few_.data() : many_.data(), size_}; }

 private:
  std::array<T, 64> few_;
  std::vector<T> many_;
  std::size_t size_;
};

// The driver reads as many bytes as a pointer has from where an argument is.
static_assert(std::is_standard_layout_v<Buffer> && offsetof(Buffer, address) == 0 && sizeof(Scratch) == sizeof(void*));

constexpr std::uint64_t kScratchAlignment = 256;

std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

LaunchStatus InstanceState::refuse_count(std::size_t passed) {
  return failure(-1, fmt::format("The kernel `{}` takes {} arguments, but the launch passes {}.", kernel_,
                                 arguments_.size(), passed));
}

LaunchStatus InstanceState::refuse_argument(std::size_t position, std::string_view why) {
  return failure(-1, fmt::format("Argument {} of the kernel `{}`, `{}`, {}.", position + 1, kernel_,
                                 arguments_[position].name, why));
}

LaunchStatus InstanceState::refuse_size(const BufferNeed& need, std::uint64_t given) {
  const std::string padding =
      need.padding > 0 ? fmt::format(" and a padding of {} behind them and before them", need.padding) : "";
  return refuse_argument(need.position,
                         fmt::format("needs {} bytes{}, but the call passes a tuner::Buffer of {}: make it larger{}",
                                     need.bytes, padding, given, need.is_scratch ? ", or pass tuner::scratch" : ""));
}

LaunchStatus InstanceState::no_scratch(CUresult result, std::uint64_t bytes) {
  if (result == CUDA_ERROR_INVALID_CONTEXT) {
    return failure(result, fmt::format("The kernel `{}` cannot be launched here: the context in which its instance was "
                                       "requested is not current; make it current, or request an instance in this one.",
                                       kernel_));
  }
  return failure(static_cast<int>(result), fmt::format("The kernel `{}` was not launched, because the {} bytes of "
                                                       "scratch memory that it needs could not be allocated: {}.",
                                                       kernel_, bytes, cuda::error_text(result)));
}

std::vector<Instance::ArgumentLength> InstanceState::lengths(const LaunchPlan& plan) const {
  std::vector<Instance::ArgumentLength> lengths;
  for (const BufferNeed& need : plan.buffers) {
    lengths.push_back({arguments_[need.position].name, need.elements, need.bytes, need.padding});
  }
  return lengths;
}

LaunchStatus InstanceState::queue(const LaunchPlan& plan, Stream stream, std::span<void*> arguments) {
  if (plan.launch == nullptr) return launch_with_constants(plan, stream, arguments);
  const auto& [grid, block, shared] = plan.geometry;
  const CUresult result = plan.launch(plan.function, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared,
                                      stream, arguments.data(), nullptr);
  if (result != CUDA_SUCCESS) return refused_by_driver(result);
  plan.count_launch();
  return {};
}

LaunchStatus InstanceState::launch_with_memory(const LaunchPlan& plan, Stream stream, void** arguments,
                                               const CallSignature& signature) noexcept try {
  const std::size_t count = signature.arguments.size();
  if (!plan.has_kernel()) return launch_another_way(plan, stream, {arguments, count});
  FewOrMany<void*> copies(count);
  const std::span<void*> passed = copies.all();
  std::copy_n(arguments, count, passed.begin());
  for (const BufferNeed& need : plan.buffers) {
    const PassedArgument::Kind kind = signature.arguments[need.position].kind;
    if (kind == PassedArgument::Kind::scratch) passed[need.position] = nullptr;
    if (kind != PassedArgument::Kind::sized_buffer) continue;
    const auto& given = *static_cast<const Buffer*>(passed[need.position]);
    if (given.bytes < need.bytes + need.padding) return refuse_size(need, given.bytes);
    if (given.address == 0 && need.bytes > 0) {
      return refuse_argument(need.position, "must not be null, but the call passes a tuner::Buffer without an address");
    }
  }
  return launch_with_scratch(plan, stream, passed);
} catch (...) {
  return {-1, "A launch failed, and there is not enough memory left to say why."};
}

LaunchStatus InstanceState::launch_untyped(const LaunchPlan& plan, Stream stream,
                                           std::span<void* const> arguments) noexcept try {
  if (!plan.has_kernel()) return launch_another_way(plan, stream, arguments);
  if (arguments.size() != arguments_.size()) return refuse_count(arguments.size());
  FewOrMany<void*> copies(arguments.size());
  const std::span<void*> passed = copies.all();
  std::copy(arguments.begin(), arguments.end(), passed.begin());
  for (std::size_t i = 0; i < passed.size(); ++i) {
    if (passed[i] != nullptr && arguments_[i].varies) {
      return refuse_argument(i,
                             "is scratch whose length depends on the configuration: pass null instead of its address, "
                             "and the library provides the memory");
    }
    if (passed[i] != nullptr && arguments_[i].padding > 0) {
      return refuse_argument(
          i,
          fmt::format("has a padding of {} bytes, which the kernel may read before and behind it, but an untyped "
                      "launch does not tell how much memory is there: use `launch` with tuner::Buffer{{pointer, "
                      "bytes}}{}",
                      arguments_[i].padding,
                      arguments_[i].role == Argument::Role::scratch ? ", or pass null for memory of the library" : ""));
    }
    if (passed[i] == nullptr && arguments_[i].role != Argument::Role::scratch) {
      return refuse_argument(i, "is not scratch, but the call passes null instead of its address");
    }
  }
  return launch_with_scratch(plan, stream, passed);
} catch (...) {
  return {-1, "A launch failed, and there is not enough memory left to say why."};
}

/// Puts memory in the place of every null, which stands for a scratch.
LaunchStatus InstanceState::launch_with_scratch(const LaunchPlan& plan, Stream stream, std::span<void*> arguments) {
  FewOrMany<std::uint64_t> places(arguments.size());
  const std::span<std::uint64_t> addresses = places.all();
  std::uint64_t bytes = 0, alignment = kScratchAlignment;
  for (const BufferNeed& need : plan.buffers) {
    if (arguments[need.position] != nullptr) continue;
    const std::uint64_t own = std::max(kScratchAlignment, need.alignment);
    alignment = std::max(alignment, own);
    addresses[need.position] = round_up(bytes + need.padding, own);
    bytes = addresses[need.position] + std::max<std::uint64_t>(need.bytes + need.padding, 1);
  }
  if (bytes == 0) return queue(plan, stream, arguments);
  ContextScratch::Lease lease = plan.scratch->take(stream, bytes, alignment);
  if (lease.result() != CUDA_SUCCESS) return no_scratch(lease.result(), bytes);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] != nullptr) continue;
    addresses[i] += lease.memory();
    arguments[i] = &addresses[i];
  }
  const LaunchStatus status = queue(plan, stream, arguments);
  if (status) lease.launched();
  return status;
}

/// Does not allocate where a kernel has as few parameters as kernels have.
LaunchStatus InstanceState::launch_with_constants(const LaunchPlan& plan, Stream stream,
                                                  std::span<void* const> arguments) {
  for (const ConstantCopy& constant : plan.constants) {
    CUdeviceptr from = 0;
    std::memcpy(&from, arguments[constant.position], sizeof from);
    const CUresult result =
        from == 0 ? CUDA_ERROR_INVALID_VALUE : plan.copy(constant.memory, from, constant.bytes, stream);
    if (result == CUDA_SUCCESS) continue;
    return failure(static_cast<int>(result),
                   fmt::format("Argument {} of the kernel `{}`, `{}`, could not be copied to constant memory: {} bytes "
                               "from the device pointer {:#x}: {}.",
                               constant.position + 1, kernel_, arguments_[constant.position].name, constant.bytes, from,
                               cuda::error_text(result)));
  }
  FewOrMany<void*> copies(arguments.size());
  const std::span<void*> parameters = copies.all();
  std::size_t count = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (is_parameter(arguments_[i].role)) parameters[count++] = arguments[i];
  }
  const auto& [grid, block, shared] = plan.geometry;
  const CUresult result = plan.launch_after_copies(plan.function, grid[0], grid[1], grid[2], block[0], block[1],
                                                   block[2], shared, stream, parameters.data(), nullptr);
  if (result != CUDA_SUCCESS) return refused_by_driver(result);
  plan.count_launch();
  return {};
}

LaunchStatus InstanceState::launch_another_way(const LaunchPlan& plan, Stream stream,
                                               std::span<void* const> arguments) noexcept try {
  if (plan.launch_after_copies != nullptr) return launch_with_constants(plan, stream, arguments);
  if (plan.fallback == nullptr) return failure(-1, plan.provenance.why, Said::with_the_request);
  return call_fallback(plan, stream, arguments);
} catch (...) {
  return {-1, "A launch failed, and there is not enough memory left to say why."};
}

LaunchStatus InstanceState::call_fallback(const LaunchPlan& plan, Stream stream, std::span<void* const> arguments) {
  // Of untyped launches: what has no address is a null pointer to the function, as tuner::scratch is by itself.
  static void* const null_pointer = nullptr;
  FewOrMany<void*> copies(arguments.size());
  std::replace_copy(arguments.begin(), arguments.end(), copies.all().begin(), static_cast<void*>(nullptr),
                    const_cast<void*>(static_cast<const void*>(&null_pointer)));
  int code = 0;
  try {
    code = (*plan.fallback)(stream, copies.all());
  } catch (const std::exception& error) {
    return failure(-1, fmt::format("The fallback of the kernel `{}` threw: {}", kernel_, error.what()));
  } catch (...) {
    return failure(-1, fmt::format("The fallback of the kernel `{}` threw an unknown exception.", kernel_));
  }
  if (code == 0) {
    plan.count_launch();
    return {};
  }
  return failure(code, fmt::format("The fallback of the kernel `{}` returned {}.", kernel_, code));
}

}  // namespace tuner::detail
