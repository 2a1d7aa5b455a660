#include "tuner/cli/given/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "search/expression/expression.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/given/given_problems.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Whether a stored problem has these values, however either is written: 0x10 is 16.
bool has_values(const std::string& problem, const std::vector<ProblemValues>& wanted) {
  if (wanted.empty()) return true;
  ProblemValues actual;
  try {
    actual = parse_problem(problem);
  } catch (const Error&) {
    return false;  // a recording's problem is whatever text its author wrote
  }
  const auto is_actual = [&](const auto& value) {
    const auto found = actual.find(value.first);
    return found != actual.end() && found->second == value.second;
  };
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const ProblemValues& values) { return std::all_of(values.begin(), values.end(), is_actual); });
}

}  // namespace

Selection::Selection(const Arguments& arguments, std::string kernel) : kernel_(std::move(kernel)) {
  for (const std::string& problem : arguments.values("problem")) {
    values_.push_back(one_problem(problem));
    // A variable of a script that is empty by mistake must not mean every problem.
    if (values_.back().empty()) {
      throw Error(Errc::bad_problem, "--problem is empty; write for example --problem rows=528, or leave it out.");
    }
  }
  for (const std::string& device : arguments.values("device")) {
    if (device.empty()) continue;
    devices_.push_back(lower(device));
    if (device.find_first_not_of("0123456789") != std::string::npos) continue;
    throw Error(Errc::bad_usage,
                fmt::format("--device {} is a number: `tuner tune` counts GPUs, but what is stored goes by the GPU's "
                            "name. Give a part of that, for example --device H200.",
                            device));
  }
}

bool Selection::includes(const cache::DecisionKey& key) const {
  const std::string name = lower(device_name(key.device));
  const auto is_part = [&](const std::string& device) { return name.find(device) != std::string::npos; };
  return (kernel_.empty() || kernel_ == key.kernel_name) &&
         (devices_.empty() || std::any_of(devices_.begin(), devices_.end(), is_part)) &&
         has_values(key.problem, values_);
}

std::string nearest_kernel(const std::string& kernel, const std::vector<cache::DecisionKey>& keys) {
  std::vector<std::string> kernels;
  for (const cache::DecisionKey& key : keys) kernels.push_back(key.kernel_name);
  if (kernel.empty() || std::find(kernels.begin(), kernels.end(), kernel) != kernels.end()) return {};
  const std::string nearest = search::nearest_name(kernel, kernels);
  return nearest.empty() ? "" : fmt::format(" Did you mean `{}`?", nearest);
}

}  // namespace tuner::cli
