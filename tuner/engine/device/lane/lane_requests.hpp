#pragma once

#include <chrono>
#include <optional>

#include "tuner/engine/device/lane/device.hpp"

namespace tuner::engine {

/// What a lane knows that bears on how long a request may take.
struct RequestLimits {
  Timing mode = Timing::cold;
  std::chrono::milliseconds launch_timeout{2000};
  std::chrono::milliseconds slack{30000};     ///< beyond what launches may take
  std::chrono::milliseconds prepare{180000};  ///< for allocating and filling the problem's buffers
  std::optional<double> reference_ns;         ///< of one launch
};

/// How long the lane waits for the answer before it takes the worker for stuck inside the driver. A launch that does
/// not end is noticed by the worker, sooner.
std::chrono::milliseconds limit_of(const DeviceRequest& request, const RequestLimits& limits);

/// Whether it runs code of a candidate's, so that it may do harm and suffer it.
bool runs_a_candidate(const DeviceRequest& request);

/// Whether it is about finalists that were loaded before.
bool needs_finalists(const DeviceRequest& request);

/// Has what it touches found out before a fault can end the worker. Costs a launch more.
void ask_for_diagnosis(DeviceRequest& request);

/// Makes it the second run of a request that failed like `first` and took the worker with it. What hung is waited for
/// only as long as something comparable would take twenty times over.
void isolate(DeviceRequest& request, const DeviceReply& first, const RequestLimits& limits);

/// The failure to report when both runs failed: the one that says more exactly what is wrong, the second where neither
/// does.
DeviceReply more_exact(DeviceReply first, DeviceReply second);

}  // namespace tuner::engine
