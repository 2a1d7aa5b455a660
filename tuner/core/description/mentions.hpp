#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "tuner/core/description/description.hpp"

namespace tuner {

/// Behind the comment of `text` that begins at `from`; `from` if none begins there.
std::size_t skip_comment(std::string_view text, std::size_t from);

/// An `#include` with a name.
struct IncludeLine {
  std::size_t end = 0;  ///< of its line, behind the newline
  std::string name;
};
/// The directive at `at`, which stands at a '#', if it is one.
std::optional<IncludeLine> include_at(std::string_view text, std::size_t at);

/// The header that is included by this name, if it is the user's.
const Header* find_own_header(std::span<const Header> headers, std::string_view name);

/// Whether the text, or any header of the user's that it includes, uses one of the names outside comments and strings.
/// `own_name`: of the header whose text it is.
bool mentions(std::string_view text, const std::set<std::string_view>& names, std::span<const Header> headers,
              const std::string& own_name = {});

}  // namespace tuner
