#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/binary/cubin.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/detail/call_signature.hpp"
#include "tuner/runtime/launch_plan.hpp"

namespace tuner {

/// An argument of a kernel as every launch of an instance must pass it, whatever configuration is in force.
struct CallArgument {
  BoundArgument bound;
  bool varies = false;  ///< its length depends on tuned parameters
};
std::vector<CallArgument> call_arguments(const KernelDescription& description, std::span<const BoundArgument> bound);

/// Why a call site cannot launch a kernel with these arguments, as a sentence; nothing if it can.
std::optional<std::string> why_not_callable(const std::string& kernel, std::span<const CallArgument> arguments,
                                            const detail::CallSignature& signature);

/// What is wrong with a bare pointer for a scratch whose length varies, to go on after "Argument 1 of the kernel …, ".
extern const std::string_view kVariesWithoutSize;

/// Why a binary does not take these arguments, as a sentence; nothing if it does.
std::optional<std::string> why_not_described(const std::string& kernel, std::span<const BoundArgument> arguments,
                                             std::span<const KernelParameter> parameters);

/// The scalars whose values follow from the problem, with the bytes that a launch must pass. Types narrower than float
/// are left out: what the caller's conversion makes of a value is not known here.
std::vector<detail::BoundScalar> bound_scalars(const KernelDescription& description,
                                               std::span<const BoundArgument> arguments);

}  // namespace tuner
