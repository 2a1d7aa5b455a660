#pragma once

#include <optional>
#include <string>

#include "search/space/constraint_program.hpp"
#include "search/space/once.hpp"
#include "search/space/valid_set.hpp"

namespace tuner::search {

/// What is made of a space's constraints, each when it is needed first.
struct SpaceParts {
  Once compiled;
  std::optional<ConstraintProgram> program;
  Once built;
  std::optional<ValidSet> valid;
  Once explained;
  std::string why_empty;
};

/// Throws Error{bad_usage} with the sentence, whose quotations of what the user wrote are cut short.
[[noreturn]] void refuse(const std::string& sentence);

}  // namespace tuner::search
