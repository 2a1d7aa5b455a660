#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tuner/core/task/beyond_memory.hpp"
#include "tuner/core/task/roofline.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/session_parts.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

/// One of the kernels does not run on this GPU, or not for long enough to be timed. Its code is device_lost.
class NoRoofline : public Error {
 public:
  explicit NoRoofline(const std::string& sentence) : Error(Errc::device_lost, sentence) {}
};

/// What the task's GPU, that of `parts`, reaches at what its kernel's `work` declares: at memory, and at multiply-adds
/// in the type of the task, float32 or float64. It is the fastest of some kernels that only read, only copy, or only
/// multiply and add, each tuned as any other kernel is. That takes a second or two for each; their decisions are
/// stored, by device, under kernels called roofline_…, and taken from there the next time if `reuse` allows it, unless
/// the driver has changed or the GPU was disturbed when they were measured. Warnings go to the observer of `parts`.
/// Rates are not there if the user stops it. Throws NoRoofline if a kernel cannot be measured, and Error{store_*},
/// Error{no_…} as run_session does.
Roofline measured_roofline(const Task& task, bool reuse, const SessionParts& parts);

/// What this GPU's memory and its L2 cache deliver, measured and stored in the same way. Nothing if the user stops it.
std::optional<MemoryRates> measured_memory_rates(const DeviceInfo& device, bool reuse, const SessionParts& parts);

/// The annotated source of these kernels.
std::string_view roofline_source();

}  // namespace tuner::engine
