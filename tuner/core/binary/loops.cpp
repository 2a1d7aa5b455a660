#include "tuner/core/binary/loops.hpp"

#include <algorithm>
#include <cstdint>

namespace tuner {
namespace {

/// How branches are written in this code; nothing if that cannot be told. Every kernel ends with a branch to itself,
/// which tells the two forms apart.
std::optional<bool> low_bits_apart(std::span<const Instruction> code) {
  const auto last = std::find_if(code.rbegin(), code.rend(), [](const Instruction& one) { return one.is_branch(); });
  if (last == code.rend()) return std::nullopt;
  for (const bool apart : {false, true}) {
    if (last->distance(apart) == -Instruction::kBytes) return apart;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<CodeLoop>> innermost_loops(std::span<const Instruction> code) {
  const std::optional<bool> apart = low_bits_apart(code);
  if (!apart) return std::nullopt;
  std::vector<CodeLoop> loops;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code[i].is_branch()) continue;
    const std::int64_t distance = code[i].distance(*apart);
    const std::int64_t target = static_cast<std::int64_t>(i) + 1 + distance / Instruction::kBytes;
    if (distance % Instruction::kBytes != 0 || target < 0 || target >= static_cast<std::int64_t>(code.size()))
      return std::nullopt;
    const CodeLoop loop{static_cast<std::size_t>(target), i};
    if (loop.first >= loop.last) continue;  // forward, or the branch to itself at the end
    const bool around_another =
        std::any_of(loops.begin(), loops.end(), [&](const CodeLoop& inner) { return inner.first >= loop.first; });
    if (!around_another) loops.push_back(loop);
  }
  return loops;
}

}  // namespace tuner
