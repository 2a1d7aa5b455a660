#include "tuner/core/task/searched_text.hpp"

#include <fmt/format.h>

#include "tuner/core/base/text.hpp"

namespace tuner {

std::string searched_text(const cache::Decision& decision) {
  if (!decision.evaluated || !decision.space_size) return {};
  const auto evaluated = static_cast<std::uint64_t>(*decision.evaluated);
  const std::string all = counted(static_cast<std::uint64_t>(*decision.space_size), "configuration");
  return decision.evaluated == decision.space_size ? "all " + all : fmt::format("{} of {}", grouped(evaluated), all);
}

}  // namespace tuner
