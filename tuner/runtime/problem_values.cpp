#include "tuner/runtime/problem_values.hpp"

#include <fmt/format.h>

#include "tuner/error.hpp"

namespace tuner {

search::Value search_value(const ProblemValue& value) {
  switch (value.kind()) {
    case ProblemValue::Kind::integer:
      return value.integer();
    case ProblemValue::Kind::real:
      return value.real();
    case ProblemValue::Kind::word:
      break;
  }
  return value.word();
}

ProblemValues named_values(const KernelDescription& description, std::span<const ProblemValue> values) {
  if (values.size() > description.problem.size()) {
    throw Error(
        Errc::bad_problem,
        fmt::format(
            "The kernel `{}` has {} problem properties, but the request gives {} values; leave some out, or name them.",
            description.kernel, description.problem.size(), values.size()));
  }
  ProblemValues named;
  for (std::size_t i = 0; i < values.size(); ++i) named.emplace(description.problem[i].name, search_value(values[i]));
  return named;
}

}  // namespace tuner
