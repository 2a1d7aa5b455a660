#pragma once

#include "cache/records/binary.hpp"
#include "tuner/core/task/launch_facts.hpp"
#include "tuner/instance.hpp"
#include "tuner/runtime/contexts.hpp"
#include "tuner/runtime/launch_plan.hpp"
#include "tuner/runtime/modules.hpp"
#include "tuner/runtime/runtime_settings.hpp"
#include "tuner/runtime/scratch_memory.hpp"

namespace tuner::detail {

/// Makes what launches follow: a binary that is loaded in a context, and what is passed to its kernel. Owns what is
/// loaded, until the Runtime ends. Safe to use from several threads.
class PlanLoader {
 public:
  /// What is handed over outlives the loader.
  PlanLoader(const RuntimeSettings& settings, Contexts& contexts) : settings_(settings), contexts_(contexts) {}

  /// Throws Error if the binary does not fit the launch, or the driver refuses it.
  LaunchPlan load(const ContextPlace& place, const LaunchFacts& launch, const Provenance& provenance,
                  const cache::Cubin& binary);

 private:
  const RuntimeSettings& settings_;
  Contexts& contexts_;
  ScratchMemory scratch_;  ///< ends after the modules, whose kernels use it
  Modules modules_;
};

}  // namespace tuner::detail
