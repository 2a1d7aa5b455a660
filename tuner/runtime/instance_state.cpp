#include "tuner/runtime/instance_state.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "tuner/runtime/signature.hpp"

namespace tuner::detail {

InstanceState::InstanceState(std::string kernel, std::vector<BoundArgument> arguments, Report report)
    : kernel_(std::move(kernel)), arguments_(std::move(arguments)), report_(std::move(report)) {
  instance_.state_ = this;
}

void InstanceState::publish(LaunchPlan plan) {
  auto next = std::make_unique<const LaunchPlan>(std::move(plan));
  const std::lock_guard lock(mutex_);
  plans_.push_back(std::move(next));
  instance_.plan_.store(plans_.back().get(), std::memory_order_release);
}

void InstanceState::publish_first(LaunchPlan plan) {
  auto first = std::make_unique<const LaunchPlan>(std::move(plan));
  const std::lock_guard lock(mutex_);
  if (!plans_.empty()) return;
  plans_.push_back(std::move(first));
  instance_.plan_.store(plans_.back().get(), std::memory_order_release);
}

LaunchStatus InstanceState::failure(int code, const std::string& sentence, Said said) noexcept try {
  std::string_view kept;
  bool is_new = false;
  {
    const std::lock_guard lock(mutex_);
    const auto [position, inserted] = sentences_.insert(sentence);
    kept = *position;
    is_new = inserted;
  }
  if (is_new && said == Said::now) report_(Notice::Kind::launch, sentence);
  return {code, kept};
} catch (...) {
  return {code, "The launch failed, and there is no memory left to say why."};
}

LaunchStatus InstanceState::check(const CallSignature& signature) noexcept try {
  // The caller's own function knows what it takes, and for nothing everything is wrong.
  if (!plan().has_kernel()) return {};
  const auto why = why_not_callable(kernel_, arguments_, signature);
  return why ? failure(-1, *why) : LaunchStatus{};
} catch (...) {
  return {-1, "The arguments of a launch could not be checked: there is no memory left."};
}

LaunchStatus InstanceState::refuse_count(std::size_t passed) noexcept try {
  return failure(-1, fmt::format("The kernel `{}` takes {} arguments, and the launch passes {}.", kernel_,
                                 arguments_.size(), passed));
} catch (...) {
  return {-1, "A launch passes another number of arguments than the kernel takes."};
}

LaunchStatus InstanceState::refuse_scalar(const BoundScalar& scalar) noexcept try {
  const BoundArgument& argument = arguments_[scalar.position];
  return failure(-1, fmt::format("Argument {} of the kernel `{}`, `{}`, must be {}, as the instance was requested for "
                                 "that; request another instance for another problem.",
                                 scalar.position + 1, kernel_, argument.name, argument.value.text()));
} catch (...) {
  return {-1, "A scalar of a launch is not what the instance was requested for."};
}

LaunchStatus InstanceState::refused_by_driver(CUresult result) noexcept try {
  return failure(static_cast<int>(result),
                 fmt::format("The driver refused to launch the kernel `{}`: {}.", kernel_, cuda::error_text(result)));
} catch (...) {
  return {static_cast<int>(result), "The driver refused a launch."};
}

/// Does not allocate where a kernel has as few parameters as kernels have.
LaunchStatus InstanceState::launch_with_constants(const LaunchPlan& plan, Stream stream,
                                                  std::span<void* const> arguments) {
  if (arguments.size() != arguments_.size()) return refuse_count(arguments.size());
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
  std::array<void*, 64> few;
  std::vector<void*> many;
  if (arguments.size() > few.size()) many.resize(arguments.size());
  void** const parameters = many.empty() ? few.data() : many.data();
  std::size_t count = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (is_parameter(arguments_[i].role)) parameters[count++] = arguments[i];
  }
  const auto& [grid, block, shared] = plan.geometry;
  const CUresult result = plan.launch_after_copies(plan.function, grid[0], grid[1], grid[2], block[0], block[1],
                                                   block[2], shared, stream, parameters, nullptr);
  return result == CUDA_SUCCESS ? LaunchStatus{} : refused_by_driver(result);
}

LaunchStatus InstanceState::launch_another_way(const LaunchPlan& plan, Stream stream,
                                               std::span<void* const> arguments) noexcept try {
  if (plan.launch_after_copies != nullptr) return launch_with_constants(plan, stream, arguments);
  if (plan.fallback == nullptr) return failure(-1, plan.provenance.why, Said::with_the_request);
  int code = 0;
  try {
    code = (*plan.fallback)(stream, arguments);
  } catch (const std::exception& error) {
    return failure(-1, fmt::format("The fallback of the kernel `{}` threw: {}", kernel_, error.what()));
  } catch (...) {
    return failure(-1, fmt::format("The fallback of the kernel `{}` threw something.", kernel_));
  }
  if (code == 0) return {};
  return failure(code, fmt::format("The fallback of the kernel `{}` returned {}.", kernel_, code));
} catch (...) {
  return {-1, "A launch failed, and there is no memory left to say why."};
}

}  // namespace tuner::detail
