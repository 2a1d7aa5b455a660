#pragma once

#include <optional>
#include <string>

#include "tuner/core/device/device.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/runtime.hpp"
#include "tuner/runtime/frozen_answers.hpp"
#include "tuner/runtime/kernel_state.hpp"
#include "tuner/runtime/launch_plan.hpp"
#include "tuner/runtime/layered_stores.hpp"
#include "tuner/runtime/program_engine.hpp"
#include "tuner/runtime/runtime_settings.hpp"

namespace tuner::detail {

/// Turns what a Runtime launches into what others are to serve.
class Freezing {
 public:
  /// One instance at one moment.
  struct InUse {
    const KernelState& kernel;
    ProblemValues problem;  ///< complete
    int device = 0;
    const LaunchPlan& plan;
  };

  /// `frozen`: what is served here in place of what databases say; null: nothing. What is handed over outlives this.
  Freezing(const RuntimeSettings& settings, const FrozenAnswers* frozen, LayeredStores& stores, ProgramEngine& engine)
      : settings_(settings), frozen_(frozen), stores_(stores), engine_(engine) {}

  FrozenAnswer freeze(const InUse& used, const DeviceInfo& device, FrozenBinaries binaries);

 private:
  std::optional<cache::Cubin> find_binary_of(const InUse& used, const Task& task, const std::string& key);

  const RuntimeSettings& settings_;
  const FrozenAnswers* const frozen_;
  LayeredStores& stores_;
  ProgramEngine& engine_;
};

}  // namespace tuner::detail
