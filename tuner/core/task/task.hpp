#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/records/key.hpp"
#include "search/space/space.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/geometry.hpp"
#include "tuner/core/base/macro.hpp"
#include "tuner/core/description/description.hpp"
#include "tuner/core/description/implicit_names.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/task/bound_argument.hpp"
#include "tuner/core/task/problem.hpp"

namespace tuner {

/// Checks `where` expressions as Task does, before there is a problem. Throws Error{bad_usage}.
void check_where(const KernelDescription& description, const std::vector<std::string>& where, const DeviceInfo& device);

/// A description bound to a problem and a device. What is still open is the configuration. Immutable; safe to share.
class Task {
 public:
  /// Checks problem values against the description (missing, unknown, not a number, problem_constraint) and builds the
  /// space, with the device's limits (threads a block, dynamic shared memory) where the launch may exceed them, and
  /// with `where` expressions, as further constraints. Throws Error{bad_problem, bad_description, bad_usage}. Counts
  /// the space unless `listing` says that it may not be needed: microseconds to milliseconds less.
  Task(KernelDescription description, const ProblemValues& problem, const DeviceInfo& device,
       const std::vector<std::string>& where = {}, const std::vector<std::filesystem::path>& include_folders = {},
       search::Listing listing = search::Listing::at_once);
  /// The same without a copy of the description.
  Task(std::shared_ptr<const KernelDescription> description, const ProblemValues& problem, const DeviceInfo& device,
       const std::vector<std::string>& where = {}, const std::vector<std::filesystem::path>& include_folders = {},
       search::Listing listing = search::Listing::at_once);
  ~Task();
  Task(Task&&) noexcept;

  const KernelDescription& description() const;
  const DeviceInfo& device() const;
  const ProblemValues& problem() const;  ///< complete: defaults filled in
  const search::Space& space() const;
  const std::vector<Header>& headers() const;      ///< as the compiler gets them
  const std::vector<Header>& own_headers() const;  ///< of the user, as they are written
  /// Of the blanked source and headers(), which are read when this is called first.
  const std::vector<ImplicitName>& implicit_names() const;
  const std::vector<std::string>& where() const;

  /// Name, and hash of (blanked source, quoted headers): what makes two kernels the same.
  std::string kernel_identity() const;
  /// Hash of signature, generators, the content of data files, and tolerances: decides whether trials may be reused.
  std::string reuse_hash() const;
  cache::DecisionKey key(std::string_view mode) const;

  /// The baseline: all defaults; nothing when the description's constraints or the device's limits exclude them.
  /// `where` narrows what is searched, not what everything is compared with.
  std::optional<search::Configuration> baseline() const;
  /// Whether the description's own constraints and the device's limits hold for it, whatever `where` says.
  bool accepts(const search::Configuration& configuration) const;

  /// Throws Error{bad_description} where an expression is not integral or not positive, naming it.
  Geometry geometry(const search::Configuration& configuration) const;
  /// The launch of the reference kernel that the description names, with what it leaves to `baseline`. Throws likewise.
  Geometry reference_geometry(const search::Configuration& baseline) const;
  /// Positions of the arguments that are parameters of the kernel.
  std::vector<std::size_t> parameters() const;
  /// What the reference kernel takes: positions among the arguments, in the order of its signature.
  std::vector<std::size_t> reference_arguments() const;
  /// Files are not looked at for it.
  std::vector<BoundArgument> arguments() const;
  /// The same with what the files say, which are looked at once, when this or reuse_hash() is called first: see
  /// look_at_files for what that costs and throws.
  const std::vector<BoundArgument>& arguments_with_data() const;
  /// Lengths of the scratch arguments, in signature order, for one configuration.
  std::vector<std::uint64_t> scratch_lengths(const search::Configuration& configuration) const;
  std::optional<double> work_bytes(const search::Configuration& configuration) const;
  std::optional<double> work_flops(const search::Configuration& configuration) const;
  /// The type of these operations; nothing where it is not declared. Throws Error{bad_description} if it is none.
  std::optional<ElementType> work_type() const;

  /// In order: constants of the problem, parameters, `define`s. Constants that the description gives its reference
  /// follow, where no other macro has their name: its source is compiled for every configuration. Named values come as
  /// `STRATEGY_none` → `0`, … and then `STRATEGY` → `STRATEGY_shared_rolling`.
  std::vector<Macro> macros(const search::Configuration& configuration) const;
  /// The same without those of parameters that shape the launch, or an argument, and that neither the source nor a
  /// header of the user's nor an option names. The machine code does not depend on them, so that configurations that
  /// differ in the launch alone are compiled once. All of them where the source includes what is not known, or puts
  /// names together with `##`. The first call reads the texts.
  std::vector<Macro> compiled_macros(const search::Configuration& configuration) const;
  /// Those of `baseline`, replaced and followed by the constants that the description gives its reference.
  std::vector<Macro> reference_macros(const search::Configuration& baseline) const;
  /// Options of the description and of option parameters.
  std::vector<std::string> options(const search::Configuration& configuration) const;
  /// "prefetch", or "prefetch<128, float>" when the kernel has template arguments.
  std::string name_expression(const search::Configuration& configuration) const;

 private:
  std::vector<Macro> macros(const search::Configuration& configuration, const search::Scope& scope) const;
  std::vector<Macro> reference_constants(const search::Configuration& baseline) const;

  struct State;
  std::unique_ptr<const State> state_;
};

}  // namespace tuner
