#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/store.hpp"
#include "search/space.hpp"
#include "tuner/core/description.hpp"
#include "tuner/core/device.hpp"
#include "tuner/core/not_compared.hpp"

namespace tuner {

/// Values of problem properties by name, as given by the user.
using ProblemValues = std::map<std::string, search::Value>;

/// "rows=528,row_length=65536" → values. Throws Error{bad_problem} for text that is not NAME=value.
ProblemValues parse_problem(std::string_view text);
/// Canonical text: sorted by name.
std::string problem_text(const ProblemValues& problem);

/// Threads and bytes of one launch.
struct Geometry {
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t shared_bytes = 0;  ///< dynamic
  std::string text() const;        ///< "grid=528x1x1 block=128x1x1 shared=0"
  friend bool operator==(const Geometry&, const Geometry&) = default;
};

/// How an element is represented. The type names of descriptions are mapped onto these.
enum class ElementType {
  boolean,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  bfloat16,
  float32,
  float64
};
std::string_view to_string(ElementType type);
ElementType element_type_from_string(
    std::string_view name);  ///< accepts every spelling of descriptions; Error{bad_description}
std::size_t size_of(ElementType type);

/// Where an argument's content stands in a file.
struct DataFile {
  std::filesystem::path path;
  // What looking at the file has shown; nothing before.
  std::uint64_t offset = 0, bytes = 0;
  std::string hash;  ///< of these bytes, see cache::content_hash
};

/// One kernel argument with every number in place.
struct BoundArgument {
  std::string name;
  Argument::Role role = Argument::Role::in;
  ElementType type = ElementType::float32;
  int lanes = 1;             ///< vector types: float4 has 4 lanes; length counts vectors, elements = length * lanes
  std::uint64_t length = 0;  ///< buffers; 0 for scratch whose length depends on the configuration (see scratch_lengths)
  Generator::Kind generator = Generator::Kind::uniform;
  std::array<double, 2> generator_parameters{0, 1};
  std::optional<DataFile> file;  ///< instead of them, where the generator is a file
  double rtol = 0, atol = 0;
  bool is_partial = false;           ///< out: candidates may write what the reference leaves unwritten
  std::optional<DataFile> expected;  ///< out, inout: what is right
  std::uint64_t alignment = 0;       ///< declared, bytes; 0: natural
  search::Value value;               ///< scalars
};

/// Whether its content is another one for another seed.
bool is_seeded(const BoundArgument& argument);

/// Whether candidates may write what `left` is about.
bool is_partial(const NotCompared& left, const std::vector<BoundArgument>& arguments);

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
  const std::vector<QuotedHeader>& headers() const;
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

  /// A macro the compiler must see, in order: constants of the problem, parameters, `define`s.
  struct Macro {
    std::string name;
    std::string text;
  };
  /// Constants that the description gives its reference follow, where no other macro has their name: its source is
  /// compiled for every configuration. Named values come as `STRATEGY_none` → `0`, … and then `STRATEGY` →
  /// `STRATEGY_shared_rolling`.
  std::vector<Macro> macros(const search::Configuration& configuration) const;
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
