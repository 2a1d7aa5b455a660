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
Runtime::Runtime(std::unique_ptr<detail::RuntimeState> state) noexcept : state_(std::move(state)) {}
Runtime::~Runtime() = default;
Runtime::Runtime(Runtime&&) noexcept = default;
Runtime& Runtime::operator=(Runtime&&) noexcept = default;

Kernel Runtime::kernel(const Description& description, KernelOptions options) {
  return Kernel(&state_->add(description, std::move(options)));
}

std::vector<std::byte> Runtime::frozen(FrozenBinaries binaries) const {
  return state_->frozen(binaries);
}

Runtime Runtime::from_frozen(std::span<const std::byte> bytes, RuntimeOptions options) {
  auto answers = std::make_unique<const FrozenAnswers>(FrozenAnswers::from(bytes));
  return Runtime(std::make_unique<detail::RuntimeState>(std::move(options), std::move(answers)));
}

Mode Runtime::mode() const noexcept {
  return state_->mode();
}

bool Runtime::wait_for_tuning(std::chrono::milliseconds limit) {
  return state_->wait_for_tuning(limit);
}

}  // namespace tuner
