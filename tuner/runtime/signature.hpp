#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tuner/core/binary/cubin.hpp"
#include "tuner/core/task/launch_facts.hpp"
#include "tuner/detail/call_signature.hpp"

namespace tuner {

/// Why a call site cannot launch a kernel with these arguments, as a sentence; nothing if it can.
std::optional<std::string> why_not_callable(const std::string& kernel, std::span<const BoundArgument> arguments,
                                            const detail::CallSignature& signature);

/// What is wrong with a bare pointer for a scratch whose length varies, to go on after "Argument 1 of the kernel …, ".
extern const std::string_view kVariesWithoutSize;
/// The same for a buffer with a padding.
std::string padded_without_size(const BoundArgument& argument);

/// Why a binary does not take these arguments, as a sentence; nothing if it does.
std::optional<std::string> why_not_described(const std::string& kernel, std::span<const BoundArgument> arguments,
                                             std::span<const KernelParameter> parameters);

}  // namespace tuner
