#include "tuner/engine/compile/resource_log.hpp"

#include <charconv>
#include <optional>

namespace tuner::engine {
namespace {

// The number right before `words` in `line`, as in "12 bytes stack frame".
std::optional<int> number_before(std::string_view line, std::string_view words) {
  const std::size_t end = line.find(words);
  if (end == std::string_view::npos) return std::nullopt;
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  int value = 0;
  const auto [stop, error] = std::from_chars(line.data() + begin, line.data() + end, value);
  if (error != std::errc{} || stop != line.data() + end) return std::nullopt;
  return value;
}

template <typename Visit>
void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!visit(line)) return;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

}  // namespace

cache::ResourceFacts facts_from_log(std::string_view log, std::string_view lowered_name) {
  // "ptxas info    : Compiling entry function 'NAME' for 'sm_90'" opens a kernel's lines, in no particular order of
  // kernels; "Function properties for NAME" opens the lines of the kernel or of a function it calls.
  cache::ResourceFacts facts;
  const std::string entry = "Compiling entry function '" + std::string(lowered_name) + "'";
  const std::string properties = "Function properties for " + std::string(lowered_name);
  bool ours = false, own_properties = false;
  for_each_line(log, [&](std::string_view line) {
    if (line.find("Compiling entry function '") != std::string_view::npos) {
      ours = line.find(entry) != std::string_view::npos;
      own_properties = false;
    } else if (line.find("Function properties for ") != std::string_view::npos) {
      own_properties = line.ends_with(properties);
    } else if (ours && own_properties && line.find("bytes stack frame") != std::string_view::npos) {
      facts.stack_bytes = number_before(line, " bytes stack frame");
      facts.spill_store_bytes = number_before(line, " bytes spill stores");
      facts.spill_load_bytes = number_before(line, " bytes spill loads");
    } else if (ours && line.find(" registers") != std::string_view::npos &&
               line.find("Used ") != std::string_view::npos) {
      facts.registers = number_before(line, " registers");
      facts.static_shared_bytes = number_before(line, " bytes smem").value_or(0);
    }
    return true;
  });
  return facts;
}

std::string first_error(std::string_view log) {
  std::string found;
  for_each_line(log, [&](std::string_view line) {
    for (const std::string_view mark : {"error:", "; error ", "ptxas fatal", "ptxas error", "nvrtc: error"}) {
      if (line.find(mark) == std::string_view::npos) continue;
      const std::size_t begin = line.find_first_not_of(" \t");
      const std::size_t end = line.find_last_not_of(" \t");
      found = line.substr(begin, end - begin + 1);
      return false;
    }
    return true;
  });
  return found;
}

}  // namespace tuner::engine
