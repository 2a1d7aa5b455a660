#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tuner/core/binary/instruction.hpp"

namespace tuner {

/// Positions of the first and the last instruction of a loop.
struct CodeLoop {
  std::size_t first = 0, last = 0;
};

/// Loops that have no other inside; nothing if a branch goes where no instruction is, or its form is not understood.
std::optional<std::vector<CodeLoop>> innermost_loops(std::span<const Instruction> code);

/// The stretch of code with the most instructions for which `counts` is true; nothing if none has any.
template <typename Counts>
std::optional<CodeLoop> loop_with_most(std::span<const Instruction> code, const std::vector<CodeLoop>& loops,
                                       Counts counts) {
  std::optional<CodeLoop> best;
  std::size_t most = 0;
  for (const CodeLoop& loop : loops) {
    std::size_t found = 0;
    for (std::size_t i = loop.first; i <= loop.last; ++i) found += counts(code[i]) ? 1 : 0;
    if (found <= most) continue;
    most = found;
    best = loop;
  }
  return best;
}

}  // namespace tuner
