#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/skeleton/plain_source.hpp"

namespace tuner {

/// A call of a template: how its parameters are declared, what it passes, and the function that it stands in.
struct TemplateCall {
  const std::vector<std::string>& declared;
  const std::vector<std::string>& passed;
  const PlainFunction& caller;
  std::size_t at = 0;  ///< in the source
};

/// The type that a call's arguments give a template parameter: of a number, or of a variable that is declared in the
/// caller; there it may be a template parameter, too. Empty if they do not show it.
std::string deduced_type(const PlainSource& source, const std::string& parameter, const TemplateCall& call);

/// Whether the source defines a class of that name.
bool is_class(const PlainSource& source, std::string_view name);

}  // namespace tuner
