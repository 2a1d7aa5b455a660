#pragma once

#include <string_view>
#include <vector>

#include "search/expression/value.hpp"

namespace tuner {

/// The values of a Python list expression, as T1 files have them:
///
///     [1, 2] + list(range(32, 1025, 32))       [2**i for i in range(6) if i != 3]       sorted([4, 2], reverse=True)
///
///   list      = term { "+" term }
///   term      = "[" [ element { "," element } ] "]"  |  "[" element clauses "]"  |  "(" list ")"  |  term "*" count
///             | range(end) | range(begin, end [, step]) | list(list) | list(element clauses)
///             | sorted(list [, reverse=True]) | reversed(list) | set(list)
///   clauses   = "for" NAME "in" list { "if" condition | "for" NAME "in" list }
///
/// Elements, conditions and the bounds of a range are expressions (search/expression/expression.hpp) with the names
/// that `for` gives. A list has at most 65536 values, and at most 2^18 steps are taken to find them. Nothing of the
/// text is executed but that. Throws Error{bad_description} whose sentence quotes what is not understood: a tuple, a
/// list in a list, an unknown function.
std::vector<search::Value> python_list(std::string_view text);

}  // namespace tuner
