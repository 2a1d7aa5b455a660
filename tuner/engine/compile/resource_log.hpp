#pragma once

#include <string>
#include <string_view>

#include "cache/records/resource_facts.hpp"

namespace tuner::engine {

/// What ptxas says about one kernel with `-v`: registers, stack frame, spills, static shared memory. Fields that the
/// log does not mention stay empty.
cache::ResourceFacts facts_from_log(std::string_view log, std::string_view lowered_name);

/// The first error in a compiler's log, one line, with file and line where the compiler gave them; empty if there is
/// none.
std::string first_error(std::string_view log);

}  // namespace tuner::engine
