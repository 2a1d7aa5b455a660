#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tuner::engine {

/// A compiler other than NVRTC does not say what a kernel is called in its binary. Source text that goes behind the
/// kernel's: an empty kernel whose own name contains the one that is looked for, and which makes the compiler
/// instantiate it.
std::string kernel_marker(std::string_view name_expression);

/// What that kernel is called in the binary of a source with the marker; empty if it is not there.
std::string marked_kernel(std::span<const std::byte> cubin);

}  // namespace tuner::engine
