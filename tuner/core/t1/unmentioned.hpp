#pragma once

#include <string>
#include <vector>

#include "tuner/core/t1/arguments.hpp"
#include "tuner/core/t1/node.hpp"
#include "tuner/core/t1/parameters.hpp"

namespace tuner {

/// What may use a parameter, beside the source.
struct T1Users {
  T1Node specification;
  const std::vector<T1Parameter>& parameters;
  const std::vector<T1Line>& conditions;
};

/// Looks at parameters that none of `texts`, a source and all its headers, mentions. Throws Error{bad_description} that
/// names all that they spell in another case, and warns once of those with several values that nothing else uses.
void check_unmentioned_parameters(const T1Users& users, const std::vector<std::string>& texts);

}  // namespace tuner
