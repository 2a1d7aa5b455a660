#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "tuner/runtime.hpp"
#include "tuner/runtime/background_tuner.hpp"
#include "tuner/runtime/contexts.hpp"
#include "tuner/runtime/freezing.hpp"
#include "tuner/runtime/frozen_answers.hpp"
#include "tuner/runtime/instance_maker.hpp"
#include "tuner/runtime/kernel_state.hpp"
#include "tuner/runtime/layered_stores.hpp"
#include "tuner/runtime/plan_loader.hpp"
#include "tuner/runtime/program_engine.hpp"
#include "tuner/runtime/runtime_settings.hpp"

namespace tuner::detail {

/// What stands behind a Runtime: it keeps instances and finds them again. One that is not there is made by the
/// InstanceMaker, once, whoever asks for it.
class RuntimeState {
 public:
  /// `frozen`: what is served in place of what databases say (Runtime::from_frozen); null: nothing.
  explicit RuntimeState(RuntimeOptions options, std::unique_ptr<const FrozenAnswers> frozen = nullptr);

  Mode mode() const noexcept { return settings_.mode(); }
  KernelState& add(const Description& description, KernelOptions options);

  const Instance& request(KernelState& kernel, std::span<const ProblemValue> values,
                          const RequestOptions& options) noexcept;
  const Instance& request(KernelState& kernel, std::span<const NamedValue> values,
                          const RequestOptions& options) noexcept;
  bool wait_for_tuning(std::chrono::milliseconds limit) { return tuner_.wait(limit); }
  std::vector<std::byte> frozen(FrozenBinaries binaries);

 private:
  /// What a request asks for.
  struct GivenRequest {
    std::span<const ProblemValue> values;  ///< as given
    InstanceMaker::Request request;
    KernelState::Key key() const { return {request.place.id, request.text}; }
  };
  /// One thread makes an instance, all others wait for it: until this ends.
  class Claim;

  const Instance& report_failed_request(const KernelState& kernel) noexcept;
  const Instance& answer(KernelState& kernel, std::span<const ProblemValue> values, const RequestOptions& options);
  GivenRequest resolve(KernelState& kernel, std::span<const ProblemValue> values, const RequestOptions& options);
  const Instance* find_or_claim(const GivenRequest& given);
  const Instance& make(const GivenRequest& given);
  const Instance& keep(const GivenRequest& given, InstanceMaker::Made made,
                       std::chrono::steady_clock::time_point begin);
  const Instance& refuse_always(KernelState& kernel, std::span<const ProblemValue> values, const std::string& why);
  const Instance& refusal(KernelState& kernel, const std::string& why);
  void remember(KernelState& kernel, std::uint64_t context, std::span<const ProblemValue> values,
                const Instance& instance);
  std::vector<Freezing::InUse> in_use();

  const std::unique_ptr<const FrozenAnswers> frozen_;  ///< null: decisions come from the databases
  const RuntimeSettings settings_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<KernelState> kernels_;
  std::size_t instances_ = 0;

  Contexts contexts_;
  LayeredStores stores_;
  PlanLoader loader_;
  BackgroundTuner tuner_;
  InstanceMaker maker_;
  ProgramEngine engine_;  ///< the last: its thread ends before anything that it calls
};

}  // namespace tuner::detail
