#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/skeleton/host_expression.hpp"
#include "tuner/core/skeleton/kernel_skeleton.hpp"

namespace tuner {

/// What the host code of a source says of a kernel's launch: the function that launches it, up to there, and those that
/// call that function. Knows nothing if there is no launch. Refers to the skeleton.
class LaunchingCode {
 public:
  explicit LaunchingCode(const KernelSkeleton& skeleton);

  using Literals = std::map<std::string, std::string>;
  /// An expression of the function with the launch, as descriptions write it. `literals` stand for numbers, `divisors`
  /// for those that the outermost division divides by; constants of the source are named where `constants` is not null,
  /// which gets their names.
  std::optional<std::string> text(const HostExpression& expression, const Literals& literals,
                                  const Literals& divisors = {}, std::set<std::string>* constants = nullptr) const;
  /// Of several sizes that the program passes one variable for, `text` takes this one.
  void prefer(const std::string& size) { preferred_ = size; }
  /// Those that `text` and the lengths below had to choose from so far, each group once.
  const std::set<std::vector<std::string>>& undecided() const { return undecided_; }
  /// The dimensions of what stands in `<<<…>>>`.
  std::vector<HostExpression> extents(std::string_view written) const;
  /// The names in what stands there, and in what these variables are made of.
  std::set<std::string> names_behind(std::string_view written) const;
  /// The value of an expression that stands in the launch.
  std::optional<std::int64_t> integer(std::string_view written) const;
  /// The type that a template parameter of the function with the launch is; the name itself if that is not said.
  std::string type(std::string name) const;
  /// The type that the launch's arguments give a template parameter: of a number, or of a variable that is declared in
  /// the function with the launch; empty if they do not show it.
  std::string deduced_type(const std::string& parameter) const;
  /// What the launch passes to an argument by value, if that is a number: "67108864", "2.5", "true".
  std::optional<std::int64_t> passed_integer(const PlainArgument& argument) const;
  std::optional<std::string> passed_value(const PlainArgument& argument) const;

  /// How the memory of a buffer is allocated.
  struct Allocation {
    bool is_there = false;
    std::string length;  ///< in elements of the description; empty if it is not understood whole
  };
  Allocation allocation(const PlainArgument& argument, std::set<std::string>& constants) const;

  /// What the last `cudaMemset` before the launch makes of a buffer; nothing if there is none that is understood.
  struct Filling {
    std::uint8_t byte = 0;
    std::string length;  ///< as of an allocation
  };
  std::optional<Filling> filling(const PlainArgument& argument, std::set<std::string>& constants) const;

 private:
  /// The code of a function before the launch, or before its call of the scope below, and what it passes there.
  struct Scope {
    std::string_view code;
    std::vector<std::string> names;  ///< of the parameters below; for a kernel those of the skeleton
    std::vector<std::string> passed;
    std::map<std::string, std::string> types;  ///< that it gives template parameters below, "T": "float"
    std::vector<std::pair<std::string, HostExpression>> sizes{};  ///< of the problem, and what becomes them
  };
  /// Where an expression stands: in which scope, and how much of its code is before.
  struct Spot {
    std::size_t scope = 0;
    std::size_t end = 0;
  };

  /// A call whose first argument is a buffer, and what the buffer is called there.
  struct BufferCall {
    std::string_view function;
    std::vector<std::string> arguments;
    std::string pointer;
    Spot spot;
  };

  /// How the host may write the size of an argument's element.
  struct ElementSize {
    const PlainArgument& argument;
    const std::string& pointer;
    std::int64_t unit = 0;  ///< as a number of bytes, 0 for `sizeof` alone
  };

  Spot launch_spot() const;
  std::vector<BufferCall> calls_of(const PlainArgument& argument, std::string_view begins,
                                   std::string (*pointer_of)(std::string_view)) const;
  std::string length_of_bytes(const PlainArgument& argument, const BufferCall& call, std::size_t number,
                              std::set<std::string>& constants) const;
  /// What stands in the launch for an argument of the skeleton; empty if nothing does.
  std::string passed(const PlainArgument& argument) const;
  bool add_caller(const PlainFunction& callee);
  void add_scope(Scope scope);
  std::vector<std::pair<std::string, HostExpression>> sizes_below() const;
  std::optional<HostExpression> parsed(std::string_view written) const;
  std::string size_passed_as(std::size_t scope, const HostExpression& expression) const;
  HostExpression with_sizes(const HostExpression& expression, std::size_t scope) const;
  std::optional<std::pair<HostExpression, Spot>> meaning(const std::string& name, const Spot& spot) const;
  std::optional<HostExpression> local(std::string_view name, const Spot& spot) const;
  std::optional<std::string> text_at(const HostExpression& expression, const Spot& spot, const Literals& literals,
                                     const Literals& divisors, std::set<std::string>* constants, int depth) const;
  std::optional<std::int64_t> integer_at(const HostExpression& expression, const Spot& spot, int depth) const;
  std::optional<HostExpression> without_size(const HostExpression& bytes, const ElementSize& size, const Spot& spot,
                                             int depth) const;

  const KernelSkeleton& skeleton_;
  mutable int lookups_ = 0;  ///< of names, in all
  mutable std::set<std::vector<std::string>> undecided_;
  std::string preferred_;
  std::vector<Scope> scopes_;  ///< the launch's first
};

}  // namespace tuner
