#include "tuner/sources/from_capture/captured_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "tuner/capture/kernel_name.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/description/name_table.hpp"
#include "tuner/core/skeleton/guesses.hpp"

namespace tuner::sources {
namespace {

constexpr std::string_view kUnnamed = "(anonymous namespace)::";

/// "256" of "256u", "(short)256" and "256"; nothing for what is no integer.
std::optional<std::int64_t> integer_in(std::string_view argument) {
  if (argument.starts_with('(')) argument.remove_prefix(std::min(argument.find(')') + 1, argument.size()));
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(argument.data(), argument.data() + argument.size(), value);
  const std::string_view rest = argument.substr(static_cast<std::size_t>(end - argument.data()));
  if (error != std::errc{} || rest.find_first_not_of("ul") != std::string_view::npos) return std::nullopt;
  return value;
}

std::string extents(const std::uint32_t (&axes)[3]) {
  std::string text = std::to_string(axes[0]);
  if (axes[1] > 1 || axes[2] > 1) text += fmt::format(", {}", axes[1]);
  if (axes[2] > 1) text += fmt::format(", {}", axes[2]);
  return text;
}

/// Parameters of the tuner's and what they were in the launch, where that tells.
using Defaults = std::map<std::string, std::int64_t>;

/// A block is as large as its macro, if that is the tuner's own or one that a build may set.
void take_block(const CapturedKernel& kernel, const KernelSkeleton& skeleton, Defaults& defaults) {
  for (std::size_t i = 0; i < skeleton.block.size(); ++i) {
    const std::string& name = skeleton.block[i];
    const PlainConstant* const constant = skeleton.source.constant(name);
    const bool may_differ = constant == nullptr ? !skeleton.guarded.contains(name) : constant->is_guarded;
    if (skeleton.parameters.contains(name) && may_differ) defaults.emplace(name, kernel.launch.launch.block[i]);
  }
}

/// The arguments of kernel(...), with names where the tuner knows one. What the names stand for goes into `defaults`
/// and `types`.
std::vector<std::string> template_arguments(const CapturedName& name, const KernelSkeleton& skeleton,
                                            bool has_fixed_block, Defaults& defaults,
                                            std::map<std::string, std::string>& types) {
  std::vector<std::string> arguments = name.arguments;
  if (skeleton.template_arguments.size() != arguments.size()) return arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& known = skeleton.template_arguments[i];
    const auto number = integer_in(arguments[i]);
    if (has_fixed_block && sounds_like_block(known)) continue;
    if (skeleton.parameters.contains(known) && number && !skeleton.guarded.contains(known)) {
      defaults[known] = *number;
      arguments[i] = known;
    } else if (skeleton.given_types.contains(known) && shape_of_type(arguments[i]) &&
               arguments[i].find(' ') == std::string::npos && !types.contains(known)) {
      types[known] = arguments[i];
      arguments[i] = known;
    }
  }
  return arguments;
}

/// "param(BLOCK, 64, 128; default 128)" → "BLOCK".
std::string named_in(const std::string& line) {
  const std::size_t open = line.find('(') + 1;
  return line.substr(open, line.find_first_of(",:= ", open) - open);
}

std::string parameter_line(const std::string& line, const KernelSkeleton& skeleton, const Defaults& defaults) {
  const std::string name = named_in(line);
  const auto known = defaults.find(name);
  if (known == defaults.end() || known->second == skeleton.parameters.at(name)) return line;
  const bool is_block = std::ranges::find(skeleton.block, name) != skeleton.block.end();
  const bool may_vary = line.find("; default") != std::string::npos;
  std::vector<std::int64_t> values{known->second};
  if (may_vary)
    values = is_block ? threads_around(known->second, skeleton.block.size() == 1) : values_around(name, known->second);
  const std::string_view ending = line.ends_with("; argument)") ? "; argument" : "";
  const std::string present = values.size() > 1 ? fmt::format("; default {}", known->second) : "";
  return fmt::format("param({}, {}{}{})", name, fmt::join(values, ", "), present, ending);
}

}  // namespace

CapturedName captured_name(const CapturedKernel& kernel) {
  std::string text = capture::short_name(capture::readable_name(kernel.launch.kernel));
  for (std::size_t at; (at = text.find(kUnnamed)) != std::string::npos;) text.erase(at, kUnnamed.size());
  const auto is_allowed = [](char c) {
    return is_word_character(c) || std::string_view(" :<>,()*&[]+-").find(c) != std::string_view::npos;
  };
  if (!std::ranges::all_of(text, is_allowed)) refuse_captured(kernel, "no source can write this name");
  CapturedName name;
  const std::size_t open = text.find('<');
  name.name = text.substr(0, open);
  if (open == std::string::npos || !text.ends_with('>')) return name;
  name.arguments = comma_parts(std::string_view(text).substr(open + 1, text.size() - open - 2));
  return name;
}

CapturedLaunch captured_launch(const CapturedKernel& kernel, const CapturedName& name, const KernelSkeleton& skeleton,
                               LaunchText text) {
  const bool has_fixed_block = text == LaunchText::nothing;
  Defaults defaults;
  std::map<std::string, std::string> types;
  const std::vector<std::string> arguments = template_arguments(name, skeleton, has_fixed_block, defaults, types);
  take_block(kernel, skeleton, defaults);
  CapturedLaunch result;
  result.kernel = arguments.empty() ? fmt::format("kernel({})", skeleton.kernel.name)
                                    : fmt::format("kernel({}<{}>)", skeleton.kernel.name, fmt::join(arguments, ", "));
  for (const std::string& line : skeleton.lines) {
    // A block of another size than the launch's would be wrong.
    const bool may_vary = line.starts_with("param(") && !(has_fixed_block && sounds_like_block(named_in(line)));
    if (may_vary) result.lines.push_back(parameter_line(line, skeleton, defaults));
    if (line.starts_with("let(") || line.starts_with("constraint(")) result.lines.push_back(line);
    if (!line.starts_with("problem(")) continue;
    const std::string property = named_in(line);
    if (!skeleton.given_types.contains(property))
      result.lines.push_back(line);
    else if (types.contains(property))
      result.lines.push_back(fmt::format("problem({}: constant = {})", property, types.at(property)));
  }
  const auto& launch = kernel.launch.launch;
  result.launch =
      text == LaunchText::nothing
          ? fmt::format("grid({}) block({})", extents(launch.grid), extents(launch.block))
          : fmt::format("grid({}) block({})", fmt::join(skeleton.grid, ", "), fmt::join(skeleton.block, ", "));
  if (text == LaunchText::all && !skeleton.shared_bytes.empty())
    result.launch += fmt::format(" shared({})", skeleton.shared_bytes);
  if (text != LaunchText::all && launch.dynamic_shared > 0)
    result.launch += fmt::format(" shared({})", launch.dynamic_shared);
  return result;
}

}  // namespace tuner::sources
