#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "search/constraint_program.hpp"
#include "search/space.hpp"
#include "search/valid_set.hpp"

namespace tuner::search {

/// What is made of a space's constraints, each when it is needed first.
struct Space::Made {
  std::once_flag compiled;
  std::optional<ConstraintProgram> program;
  std::once_flag built;
  std::optional<ValidSet> valid;
  std::once_flag explained;
  std::string why_empty;
};

}  // namespace tuner::search
