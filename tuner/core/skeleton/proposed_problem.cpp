// What of a kernel's problem its source shows: what varies, what it takes, which sizes there are.
#include <algorithm>
#include <string>

#include "tuner/core/skeleton/guesses.hpp"
#include "tuner/core/skeleton/kernel_skeleton.hpp"

namespace tuner {
namespace {

/// The integers among the arguments that sound like sizes, or that indices are compared with. One is made up if there
/// is none.
void find_sizes(KernelSkeleton& skeleton) {
  for (const PlainArgument& argument : skeleton.arguments) {
    const bool is_size = sounds_like_size(argument.name) ||
                         (skeleton.use.bounds_something(argument.name) && !sounds_like_setting(argument.name));
    if (!argument.is_pointer && argument.is_integer && is_size) skeleton.sizes.push_back(argument.name);
  }
  if (skeleton.sizes.empty()) skeleton.sizes.push_back(skeleton.free_name({"n", "elements"}));
  skeleton.use.set_sizes({skeleton.sizes.begin(), skeleton.sizes.end()});
  for (const std::string& size : skeleton.sizes) skeleton.names[size] = size;
}

}  // namespace

std::string propose_problem(KernelSkeleton& skeleton) {
  const auto is_pack = [](const std::string& parameter) {
    return parameter.find("...") != std::string::npos || parameter.starts_with("template") ||
           declared_name(parameter).empty();
  };
  const std::vector<std::string>& parameters = skeleton.kernel.template_parameters;
  if (std::any_of(parameters.begin(), parameters.end(), is_pack)) return "its template parameters are too unusual";
  propose_parameters(skeleton);
  const std::string why_not = read_arguments(skeleton);
  if (!why_not.empty()) return why_not;
  find_sizes(skeleton);
  return {};
}

}  // namespace tuner
