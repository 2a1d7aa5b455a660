#include "tuner/core/binary/ptx_uses.hpp"

#include <span>

namespace tuner {
namespace {

// Whether what stands at `at` in a module belongs to another kernel than this one. Functions may be anybody's.
bool is_of_other_kernel(std::string_view ptx, std::size_t at, std::string_view kernel) {
  constexpr std::string_view kEntry = ".entry ";
  const std::size_t entry = ptx.rfind(kEntry, at), function = ptx.rfind("\n.func ", at);
  if (entry == std::string_view::npos || (function != std::string_view::npos && function > entry)) return false;
  const std::string_view name = ptx.substr(entry + kEntry.size());
  return !name.starts_with(kernel) || !name.substr(kernel.size()).starts_with('(');
}

bool begins_word(std::string_view ptx, std::size_t at) {
  return at > 1 && (ptx[at - 1] == '\t' || ptx[at - 1] == '\n' || (ptx[at - 1] == ' ' && ptx[at - 2] != '/'));
}

// The first of these words that the kernel uses, to its end.
std::string_view first_of(std::span<const std::string_view> words, std::string_view ptx, std::string_view kernel) {
  for (const std::string_view word : words) {
    for (std::size_t at = ptx.find(word); at != std::string_view::npos; at = ptx.find(word, at + 1)) {
      if (begins_word(ptx, at) && !is_of_other_kernel(ptx, at, kernel))
        return ptx.substr(at, ptx.find_first_of(" \t\n", at) - at);
    }
  }
  return {};
}

}  // namespace

std::string_view handle_instruction(std::string_view ptx, std::string_view lowered_name) {
  static constexpr std::string_view kTakingHandles[] = {"tex.",
                                                        "tld4.",
                                                        "txq.",
                                                        "suld.",
                                                        "sust.",
                                                        "sured.",
                                                        "suq.",
                                                        "cp.async.bulk.tensor.",
                                                        "cp.reduce.async.bulk.tensor.",
                                                        "cp.async.bulk.prefetch.tensor.",
                                                        "prefetch.tensormap",
                                                        "prefetch.param.tensormap",
                                                        "tensormap.replace."};
  return first_of(kTakingHandles, ptx, lowered_name);
}

std::string handle_text(std::string_view instruction) {
  return "uses a texture, a surface or a tensor map (" + std::string(instruction) +
         "), whose handle the calling program makes. A description makes none, so read and write the array through a "
         "pointer, perhaps under a macro that only the tuner sets.";
}

bool asks_for_grid_barrier(std::string_view ptx, std::string_view lowered_name) {
  static constexpr std::string_view kRegisters[] = {"%envreg1;", "%envreg2;"};
  return !first_of(kRegisters, ptx, lowered_name).empty();
}

}  // namespace tuner
