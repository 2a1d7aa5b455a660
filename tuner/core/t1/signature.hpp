#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "tuner/core/description/code_text.hpp"
#include "tuner/core/description/live_lines.hpp"

namespace tuner {

/// The parameters of the `__global__` function `kernel` of a source, "const float* x", as far as its text shows without
/// being preprocessed; nothing if it is not found, or if conditions divide them. They are parts of `code`, that of the
/// source (code_text.hpp).
std::optional<std::vector<std::string_view>> kernel_parameters(std::string_view code, std::string_view kernel);

/// Whether a parameter is a pointer to what its own text calls const, or one to what it does not. Neither for a value.
bool is_to_const(std::string_view parameter);
bool may_write_through(std::string_view parameter);

/// The header of HIP that is included whatever is defined.
std::optional<CertainInclude> included_from_hip(std::string_view source);

/// Whether the source has a `#define` of `name` that is in force whatever is defined already.
bool defines_always(std::string_view source, std::string_view name);
/// Whether such code seems to declare a variable, a parameter, a function, a member or an enumerator of that name,
/// which a macro of that name would break.
bool declares(std::string_view code, std::string_view name);

}  // namespace tuner
