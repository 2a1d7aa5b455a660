#pragma once

#include <string>

#include "tuner/core/header/header_request.hpp"
#include "tuner/core/header/winner_table.hpp"

namespace tuner {

/// A table as constants: a namespace with an array of winners and a function that finds one of them.
std::string winner_constants(const WinnerTable& table, const std::string& name_space);
/// What all such namespaces use, once.
std::string winner_constants_helpers(const std::string& name_space);

/// A table as macros. Throws Error{bad_usage} where a macro could be code or changes other code.
std::string winner_macros(const WinnerTable& table, const HeaderRequest& request);

}  // namespace tuner
