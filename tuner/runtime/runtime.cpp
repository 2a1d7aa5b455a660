#include "tuner/runtime.hpp"

#include "tuner/runtime/runtime_state.hpp"

namespace tuner {

const Instance& Kernel::request(std::span<const ProblemValue> problem, RequestOptions options) const noexcept {
  return state_->runtime.request(*state_, problem, options);
}

const Instance& Kernel::request(std::initializer_list<NamedValue> problem, RequestOptions options) const noexcept {
  return state_->runtime.request(*state_, std::span<const NamedValue>(problem.begin(), problem.size()), options);
}

Runtime::Runtime(RuntimeOptions options) : state_(std::make_unique<detail::RuntimeState>(std::move(options))) {}
Runtime::~Runtime() = default;
Runtime::Runtime(Runtime&&) noexcept = default;
Runtime& Runtime::operator=(Runtime&&) noexcept = default;

Kernel Runtime::kernel(const Description& description, KernelOptions options) {
  return Kernel(&state_->add(description, std::move(options)));
}

Mode Runtime::mode() const noexcept {
  return state_->mode();
}

bool Runtime::wait_for_tuning(std::chrono::milliseconds limit) {
  return state_->wait_for_tuning(limit);
}

}  // namespace tuner
