#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/base/macro.hpp"
#include "tuner/core/description/implicit_names.hpp"
#include "tuner/engine/compile/compile.hpp"

namespace tuner::engine {

/// What a program is put together from.
struct ProgramText {
  std::string_view source;     ///< directive lines blanked, line count unchanged
  std::string_view file_name;  ///< as the user knows it: for `#line` and messages
  std::vector<Macro> macros;   ///< in order
  std::span<const Header> headers;
  std::span<const ImplicitName> implicit;  ///< of this source and these headers
};

/// The complete source: the `#define`s stand behind the leading block of comments and `#include`s, or before the first
/// of those headers that mentions one of the names, so that headers that do not care stay the same text for every
/// configuration and names such as `T`, `x` or `size` never reach the toolkit's own headers. A `#line` follows, so that
/// messages carry the user's file and line. Implicit names that no macro has are declared there too, or earlier. Throws
/// Error{bad_description} for a name that is no identifier, is a keyword or reserved (`__x`, `_X`), and for a text of
/// several lines.
std::string assemble_source(const ProgramText& program);

/// The leading block of `source` up to and including its last `#include`; empty if it includes, also through headers in
/// memory, nothing but headers in memory, which cost next to nothing. This is what a precompiled header can hold.
std::string_view toolkit_prefix(std::string_view source, const std::vector<Header>& headers);

/// Whether the source and the headers it includes include nothing but headers in memory. False where that is not sure:
/// an include of a macro, one in a comment, a question for a header.
bool is_self_contained(std::string_view source, const std::vector<Header>& headers);

}  // namespace tuner::engine
