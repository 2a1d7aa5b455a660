#pragma once

#include "tuner/engine/device/lane/device.hpp"
#include "tuner/engine/device/worker/kernel.hpp"
#include "tuner/engine/device/worker/module_globals.hpp"
#include "tuner/engine/device/worker/runner.hpp"
#include "tuner/engine/device/worker/sampler.hpp"
#include "tuner/engine/device/worker/verdict.hpp"

namespace tuner::engine {

/// A candidate that stays loaded for a race.
struct ResidentFinalist {
  LoadedKernel kernel;
  ModuleGlobals globals = {};
  int launches = 0;              ///< since its module was loaded
  int right_after = 0;           ///< so many of them it was last found to be right; 0: never
  bool changes_globals = false;  ///< as far as is known
  bool used_long = false;        ///< had the launches that a winner must have which changes them
};

/// With what finalists are checked again.
struct RecheckTools {
  Buffers& buffers;
  DeviceSupport& support;
  Sampler& sampler;
  Runner& runner;

  int launches() const { return sampler.launches() + runner.launches(); }
};

/// Does what a RecheckFinalist asks for. The verdict is not ok with worker_lost where what outputs are compared with is
/// damaged and any of the finalists may have done it. Throws StillRunning and CallFailed.
Verdict recheck(ResidentFinalist& finalist, const RecheckFinalist& request, const RecheckTools& tools);

}  // namespace tuner::engine
