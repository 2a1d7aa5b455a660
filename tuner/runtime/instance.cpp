#include "tuner/instance.hpp"

#include <cstring>

#include "tuner/runtime/instance_state.hpp"
#include "tuner/runtime/launch_plan.hpp"

namespace tuner {
namespace {

std::uint64_t bits_at(const void* address, std::uint32_t size) noexcept {
  const auto read = [&]<class Word>(Word word) -> std::uint64_t {
    std::memcpy(&word, address, sizeof word);
    return word;
  };
  switch (size) {
    case 1:
      return read(std::uint8_t{});
    case 2:
      return read(std::uint16_t{});
    case 4:
      return read(std::uint32_t{});
    default:
      return read(std::uint64_t{});
  }
}

}  // namespace

std::string_view to_string(Rung rung) noexcept {
  switch (rung) {
    case Rung::exact:
      return "exact";
    case Rung::near_size:
      return "near size";
    case Rung::other_device:
      return "other device";
    case Rung::baseline:
      return "baseline";
    case Rung::fallback:
      return "fallback";
    case Rung::unrunnable:
      break;
  }
  return "unrunnable";
}

// The way that every launch takes: two loads, a comparison for each scalar that is bound to the problem, the driver.
LaunchStatus Instance::launch_checked(Stream stream, void** arguments,
                                      const detail::CallSignature& signature) const noexcept {
  const detail::LaunchPlan& plan = *plan_.load(std::memory_order_acquire);
  if (checked_.load(std::memory_order_relaxed) != &signature) {
    if (const LaunchStatus status = state_->check(signature); !status) return status;
    // What is launched in no other way than by the caller is not checked, and a plan that takes its place must be.
    if (plan.has_kernel()) checked_.store(&signature, std::memory_order_relaxed);
  }
  for (const detail::BoundScalar& scalar : plan.bound) {
    if (bits_at(arguments[scalar.position], scalar.size) != scalar.bits) return state_->refuse_scalar(scalar);
  }
  if (plan.launch == nullptr) {
    return state_->launch_another_way(plan, stream, {arguments, signature.arguments.size()});
  }
  const auto& [grid, block, shared] = plan.geometry;
  const CUresult result = plan.launch(plan.function, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared,
                                      stream, arguments, nullptr);
  return result == CUDA_SUCCESS ? LaunchStatus{} : state_->refused_by_driver(result);
}

LaunchStatus Instance::launch_untyped(Stream stream, std::span<void* const> arguments) const noexcept {
  const detail::LaunchPlan& plan = *plan_.load(std::memory_order_acquire);
  if (plan.launch == nullptr) return state_->launch_another_way(plan, stream, arguments);
  if (arguments.size() != state_->argument_count()) return state_->refuse_count(arguments.size());
  const auto& [grid, block, shared] = plan.geometry;
  const CUresult result = plan.launch(plan.function, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared,
                                      stream, const_cast<void**>(arguments.data()), nullptr);
  return result == CUDA_SUCCESS ? LaunchStatus{} : state_->refused_by_driver(result);
}

Rung Instance::rung() const noexcept {
  return state_->plan().provenance.rung;
}

Provenance Instance::provenance() const {
  Provenance provenance = state_->plan().provenance;
  provenance.tuning = state_->tuning();
  return provenance;
}

Instance::Shape Instance::shape() const noexcept {
  const detail::LaunchPlan& plan = state_->plan();
  return {plan.geometry.grid, plan.geometry.block, plan.geometry.shared_bytes, plan.function};
}

}  // namespace tuner
