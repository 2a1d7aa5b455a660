#pragma once

#include <functional>
#include <set>
#include <string>

#include "search/space/once.hpp"
#include "tuner/core/task/task.hpp"

namespace tuner {

/// What a Task knows; shared by the files that implement it.
struct Task::State {
  std::shared_ptr<const KernelDescription> kept;
  const KernelDescription& description;
  DeviceInfo device;
  ProblemValues problem;
  std::vector<std::string> where;
  std::vector<Header> headers;
  std::vector<Header> own_headers;
  std::string kernel_identity;
  search::Space space;
  std::vector<BoundArgument> arguments;
  mutable search::Once looked_for_names;
  mutable std::vector<ImplicitName> implicit_names;
  mutable search::Once looked_for_macros;
  mutable std::set<std::string, std::less<>> unnamed_macros;  ///< see Task::compiled_macros
  mutable search::Once looked_at_files;
  mutable std::vector<BoundArgument> arguments_with_data;

  State(std::shared_ptr<const KernelDescription> description, const ProblemValues& problem, const DeviceInfo& device,
        const std::vector<std::string>& where, const std::vector<std::filesystem::path>& include_folders,
        search::Listing listing);
};

/// Expressions of a launch; `owner` stands before "grid x" in messages.
struct LaunchExpressions {
  std::string owner;
  const std::vector<search::Expression>& grid;
  const std::vector<search::Expression>& block;
  const std::optional<search::Expression>& shared_bytes;
};
/// Throws Error{bad_description} where one is not integral or out of range.
Geometry evaluate_launch(const Task& task, const search::Configuration& configuration, const search::Scope& scope,
                         const LaunchExpressions& launch);

/// What a `define`, of the kernel or of its reference, stands for; and as C++ text. Throws Error{bad_description}.
search::Value define_value(const KernelDescription& description, const NamedExpression& define,
                           const search::Scope& scope);
std::string literal(const search::Value& value);
/// What the macro of a parameter is defined as.
std::string macro_text(const search::Parameter& parameter, const search::Value& value);

}  // namespace tuner
