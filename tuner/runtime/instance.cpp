#include "tuner/instance.hpp"

#include <fmt/format.h>

#include <cstring>

#include "tuner/error.hpp"
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
    case Rung::predicted:
      return "predicted";
    case Rung::unrunnable:
      break;
  }
  return "unrunnable";
}

/// A status that is true if the call site and the scalars that are bound to the problem fit.
[[gnu::always_inline]] inline LaunchStatus Instance::why_unfit(const detail::LaunchPlan& plan, void** arguments,
                                                               const detail::CallSignature& signature) const noexcept {
  if (checked_.load(std::memory_order_relaxed) != &signature) {
    if (const LaunchStatus status = state_->check(plan, signature); !status) return status;
    // What is launched in no other way than by the caller is not checked, and a plan that takes its place must be.
    if (plan.has_kernel()) checked_.store(&signature, std::memory_order_relaxed);
  }
  for (const BoundScalar& scalar : plan.bound) {
    if (bits_at(arguments[scalar.position], scalar.size) != scalar.bits) return state_->refuse_scalar(scalar);
  }
  return {};
}

// The way that every launch takes: two loads, a comparison for each scalar that is bound to the problem, the
// driver.
LaunchStatus Instance::launch_checked(Stream stream, void** arguments,
                                      const detail::CallSignature& signature) const noexcept {
  const detail::LaunchPlan& plan = *plan_.load(std::memory_order_acquire);
  if (const LaunchStatus status = why_unfit(plan, arguments, signature); !status) return status;
  if (plan.launch == nullptr) {
    return state_->launch_another_way(plan, stream, {arguments, signature.arguments.size()});
  }
  const auto& [grid, block, shared] = plan.geometry;
  const CUresult result = plan.launch(plan.function, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared,
                                      stream, arguments, nullptr);
  if (result != CUDA_SUCCESS) return state_->refused_by_driver(result);
  plan.count_launch();
  return {};
}

// The same where memory is to be provided or its size compared, all of it for the one plan that is then launched.
LaunchStatus Instance::launch_with_memory(Stream stream, void** arguments,
                                          const detail::CallSignature& signature) const noexcept {
  const detail::LaunchPlan& plan = *plan_.load(std::memory_order_acquire);
  if (const LaunchStatus status = why_unfit(plan, arguments, signature); !status) return status;
  return state_->launch_with_memory(plan, stream, arguments, signature);
}

LaunchStatus Instance::launch_untyped(Stream stream, std::span<void* const> arguments) const noexcept {
  const detail::LaunchPlan& plan = *plan_.load(std::memory_order_acquire);
  return state_->launch_untyped(plan, stream, arguments);
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
  return state_->plan().shape();
}

Instance::Snapshot Instance::snapshot() const {
  const detail::LaunchPlan& plan = state_->plan();
  Snapshot snapshot{plan.provenance, plan.shape(), plan.values, state_->lengths(plan)};
  snapshot.provenance.tuning = state_->tuning();
  return snapshot;
}

const TunedValues& Instance::values() const noexcept {
  return state_->plan().values;
}

const Instance::ArgumentLength& Instance::Snapshot::argument(std::string_view name) const {
  std::string names;
  for (const ArgumentLength& length : arguments) {
    if (length.name == name) return length;
    names += (names.empty() ? "" : ", ") + length.name;
  }
  throw Error(Errc::bad_usage, names.empty()
                                   ? fmt::format("There is no length of `{}`: no configuration is in force.", name)
                                   : fmt::format("The kernel has no buffer `{}`; its buffers are {}.", name, names));
}

}  // namespace tuner
