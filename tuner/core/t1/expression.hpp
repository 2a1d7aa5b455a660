#pragma once

#include <map>
#include <string>
#include <vector>

#include "search/expression/value.hpp"
#include "tuner/core/t1/node.hpp"

namespace tuner {

/// What the expressions of one T1 file may name, and what stands for it in a description.
struct T1Names {
  std::map<std::string, std::vector<search::Value>, std::less<>> parameters;  ///< with their values
  std::map<std::string, search::Value, std::less<>> constants;                ///< of BenchmarkConfig: numbers
  std::vector<std::string> problem_size;  ///< by dimension, the name of the property that holds ProblemSize[i]
};

/// Where an expression is used.
enum class T1Use {
  configuration,  ///< may differ from configuration to configuration
  fixed,  ///< the same for all: `max(NAME)` is the greatest value of a parameter, and one with a single value is it
};

/// The expression at `node`, a number or a string in Python's spelling, as a description spells it: `ProblemSize[0]`
/// and the constants of BenchmarkConfig replaced, `math.ceil` without its module. Checked for syntax, and not for
/// names. Throws at the node.
std::string t1_expression(const T1Node& node, const T1Names& names, T1Use use);

/// Throws at the node if the expression uses a tuned parameter.
void refuse_t1_parameters(const T1Node& node, const std::string& expression, const T1Names& names);

/// The same text, made a whole number if it divides as reals do: other tuners cut off what follows the point.
std::string t1_whole(const std::string& expression);

/// The quotient rounded up; without the division where the divisor is "1".
std::string t1_quotient(const std::string& dividend, const std::string& divisor);

}  // namespace tuner
