#pragma once

#include <string>

#include "tuner/core/description/description.hpp"

namespace tuner {

/// What is wrong with macros of a description that are called like a template parameter of the source: the compiler
/// would read `template <typename float>` and say something else. One line each; empty if there are none. A source that
/// asks for the macro itself, in `#ifdef` or `#undef`, is not accused.
std::string macro_conflicts(const KernelDescription& description);

}  // namespace tuner
