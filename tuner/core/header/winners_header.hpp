#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cache/records/decision.hpp"
#include "tuner/core/header/header_request.hpp"

namespace tuner {

/// A C++17 header that holds the winners of these decisions. The same decisions give the same text. Throws
/// Error{bad_usage} where they cannot be written: macros of several kernels, a parameter that is no identifier, a
/// macro that could be code.
std::string winners_header(std::vector<cache::Decision> decisions, const HeaderRequest& request);

/// Whether `text` is "name" or "name::name".
bool is_namespace(std::string_view text);

}  // namespace tuner
