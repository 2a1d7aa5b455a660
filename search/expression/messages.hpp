#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tuner::search {

struct Constraint;

/// Ends a complaint about `name`: " (did you mean `X`?)", or else " (known: A, B)" if there are few enough to read, or
/// nothing.
std::string suggestion(std::string_view name, const std::vector<std::string>& known);

}  // namespace tuner::search
