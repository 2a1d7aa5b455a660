#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tuner::engine {

/// A compiler other than NVRTC does not say what a kernel is called in its binary. For an instance of a template,
/// source text that goes behind the kernel's: an empty kernel whose own name contains the one that is looked for, and
/// which makes the compiler instantiate it. Empty where the expression has no template arguments.
std::string kernel_marker(std::string_view name_expression);

/// What the kernel `name_expression` ("app::scale<float, 128>") is called in a binary of a source that had its marker;
/// empty if it is not there, or if several have that name.
std::string find_kernel(std::span<const std::byte> cubin, std::string_view name_expression);

}  // namespace tuner::engine
