#include "tuner/core/report/resources_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "tuner/core/base/text.hpp"

namespace tuner {

std::string spills_text(const cache::ResourceFacts& facts) {
  if (!facts.spill_store_bytes && !facts.spill_load_bytes) return "-";
  return std::to_string(std::max(facts.spill_store_bytes.value_or(0), facts.spill_load_bytes.value_or(0)));
}

std::string resources_text(const cache::ResourceFacts& facts, const CodeFacts& code) {
  std::vector<std::string> parts;
  if (facts.registers) {
    parts.push_back(fmt::format("{} registers", *facts.registers));
    if (code.idle_registers) parts.back() += fmt::format(" ({} to spare)", *code.idle_registers);
  }
  if (facts.spill_store_bytes || facts.spill_load_bytes) {
    const std::string bytes = spills_text(facts);
    parts.push_back(bytes == "0" ? "no spills" : fmt::format("{} B spilled", bytes));
  }
  if (code.loads && code.loads->widest_bits() > 0)
    parts.push_back(fmt::format("{}-bit loads", code.loads->widest_bits()));
  const auto shared = [&parts](const char* kind, std::optional<int> bytes) {
    if (bytes.value_or(0) <= 0) return;
    parts.push_back(fmt::format("{} B of {} shared memory", grouped(static_cast<std::uint64_t>(*bytes)), kind));
  };
  shared("static", facts.static_shared_bytes);
  shared("dynamic", facts.dynamic_shared_bytes);
  if (facts.occupancy) {
    parts.push_back(
        fmt::format("occupancy {}{}", percent(*facts.occupancy),
                    facts.occupancy_limiter.empty() ? "" : " (limited by " + facts.occupancy_limiter + ")"));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace tuner
