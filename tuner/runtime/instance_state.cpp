#include "tuner/runtime/instance_state.hpp"

#include <fmt/format.h>

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
  return {code, "The launch failed, and there is not enough memory left to say why."};
}

LaunchStatus InstanceState::check(const LaunchPlan& plan, const CallSignature& signature) noexcept try {
  // The caller's own function knows what it takes, and for nothing everything is wrong.
  if (!plan.has_kernel()) return {};
  if (const auto why = why_not_callable(kernel_, arguments_, signature)) return failure(-1, *why);
  for (const ValueSize& value : plan.value_sizes) {
    const std::uint32_t passed = signature.arguments[value.position].size;
    if (passed == value.bytes) continue;
    return refuse_argument(value.position,
                           fmt::format("has {} bytes in the compiled kernel, but the call passes an object of {}: pass "
                                       "the type that the kernel's source declares",
                                       value.bytes, passed));
  }
  return {};
} catch (...) {
  return {-1, "The arguments of a launch could not be checked: there is not enough memory left."};
}

LaunchStatus InstanceState::refuse_scalar(const BoundScalar& scalar) noexcept try {
  return refuse_argument(
      scalar.position,
      fmt::format(
          "must be {}, because the instance was requested for that; request another instance for another problem",
          arguments_[scalar.position].value.text()));
} catch (...) {
  return {-1, "A scalar of a launch differs from the value for which the instance was requested."};
}

LaunchStatus InstanceState::refused_by_driver(CUresult result) noexcept try {
  return failure(static_cast<int>(result),
                 fmt::format("The driver refused to launch the kernel `{}`: {}.", kernel_, cuda::error_text(result)));
} catch (...) {
  return {static_cast<int>(result), "The driver refused a launch."};
}
}  // namespace tuner::detail
