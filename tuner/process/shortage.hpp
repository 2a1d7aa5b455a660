#pragma once

#include <exception>
#include <optional>
#include <string_view>

#include "tuner/error.hpp"

namespace tuner {

/// What to do where the system refused something for `reason`, an errno, because there was no more of it: "raise the
/// limit of open files (`ulimit -n`), or run fewer programs at once". Empty for other reasons.
std::string_view way_out_of_shortage(int reason);

/// Error{shortage} with the way out where something ran out, which is no bug; Error{internal} otherwise.
Error refusal_of_system(std::string_view what, int reason);
[[noreturn]] void refused_by_system(std::string_view what, int reason);

/// What the standard library says where there is no more memory, no other thread or no other open file, as
/// Error{shortage}; nothing for other exceptions.
std::optional<Error> as_shortage(const std::exception& error);

}  // namespace tuner
