#pragma once

#include <vector>

#include "search/expression/value.hpp"
#include "tuner/core/description/directives.hpp"

namespace tuner {

/// A value as directives spell it: an integer, a real, true or false, a name, or a text in double quotes.
search::Value read_value(const Span& span);

/// Values with ranges: `64, 128, 256`, `1..16`, `0..64 step 8`, `32..1024 x2`. Duplicates, and more than 65,536 values,
/// are errors.
std::vector<search::Value> read_values(const std::vector<Span>& items);

/// A finite number.
double read_real(const Span& span, const char* what);

/// The same text for values that expressions find equal: 1, 1.0 and true.
std::string equality_text(const search::Value& value);

/// Whether each value is the name of a type.
bool are_types(const std::vector<search::Value>& values);

}  // namespace tuner
