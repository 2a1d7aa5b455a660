#pragma once

#include <string_view>

namespace tuner {

/// Whether the C or C++ library or a compiler defines `name`, which to define anew would change other code.
bool is_standard_macro(std::string_view name);
/// Whether `name` may become a macro though only a database says so: UPPER_CASE, as macros are written and functions
/// and types are not, and no standard macro.
bool may_be_macro(std::string_view name);

}  // namespace tuner
