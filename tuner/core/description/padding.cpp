#include "tuner/core/description/padding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "tuner/core/base/suggestion.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

std::int64_t read_padding(std::string_view assignment, std::string_view text) {
  std::int64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error != std::errc() || end != text.data() + text.size() || bytes < 1 || bytes > kMostPadding) {
    throw Error(Errc::bad_usage, fmt::format("`--pad {}`: a padding is a number of bytes from 1 to {}, as in `--pad "
                                             "x=128`.",
                                             assignment, kMostPadding));
  }
  return bytes;
}

}  // namespace

void set_padding(KernelDescription& description, std::string_view assignment) {
  const std::size_t equals = std::min(assignment.find('='), assignment.size());
  const std::string name(assignment.substr(0, equals));
  const std::int64_t bytes = read_padding(assignment, equals == assignment.size() ? "" : assignment.substr(equals + 1));
  std::vector<std::string> buffers;
  for (Argument& argument : description.arguments) {
    if (!has_surroundings(argument.role)) continue;
    buffers.push_back(argument.name);
    if (argument.name != name) continue;
    argument.padding = bytes;
    description.is_altered = true;
    return;
  }
  throw Error(Errc::bad_usage, fmt::format("`--pad {}`: the kernel `{}` has no buffer `{}` in global memory{}",
                                           assignment, description.kernel, name, suggestion(name, buffers, ".")));
}

}  // namespace tuner
