#include "tuner/core/base/suggestion.hpp"

#include <fmt/format.h>

#include "search/expression/expression.hpp"

namespace tuner {

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates, std::string_view otherwise) {
  const std::string nearest = search::nearest_name(name, candidates);
  return nearest.empty() ? std::string(otherwise) : fmt::format("; did you mean `{}`?", nearest);
}

}  // namespace tuner
