#include "search/space/parameter.hpp"

#include <fmt/format.h>

namespace tuner::search {

std::optional<std::uint32_t> Parameter::position_of(const Value& value) const {
  std::optional<std::uint32_t> result;
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    if (!(values[i] == value)) continue;
    if (values[i].text() == value.text()) return i;
    if (!result) result = i;
  }
  return result;
}

std::string describe(const Constraint& constraint) {
  const std::string& text = constraint.expression.text();
  return constraint.origin.empty() ? fmt::format("the constraint `{}`", text)
                                   : fmt::format("the constraint `{}` ({})", text, constraint.origin);
}

}  // namespace tuner::search
