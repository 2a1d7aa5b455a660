#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/api.hpp"
#include "tuner/description.hpp"
#include "tuner/problem.hpp"

namespace tuner {

/// Describes a kernel in code, for sources that carry no directives. Every call stands for the directive of the same
/// name (docs/directives.md is the manual of both) and takes expressions as text; what it says is checked by `build`.
///
///     const tuner::Description description = tuner::DescriptionBuilder("scale", source)
///         .size("n").problem_constraint("1 <= n")
///         .parameter("BLOCK", {64, 128, 256, 512}, 128)
///         .grid("ceil_div(n, BLOCK)").block("BLOCK")
///         .in("x", "float", "n").out("y", "float", "n").scalar("n", "int32")
///         .build();
class TUNER_API DescriptionBuilder {
 public:
  /// `kernel` is the function's name, with template arguments where it has some: "scale<BLOCK>".
  DescriptionBuilder(std::string_view kernel, std::string_view source);

  DescriptionBuilder& header(Header header);
  /// A run-time number for which a decision near by may be used; one that must match; one that the compiler sees.
  DescriptionBuilder& size(std::string_view name, std::optional<ProblemValue> default_value = std::nullopt);
  DescriptionBuilder& exact(std::string_view name, std::optional<ProblemValue> default_value = std::nullopt);
  DescriptionBuilder& constant(std::string_view name, std::optional<ProblemValue> default_value = std::nullopt);
  DescriptionBuilder& problem_constraint(std::string_view expression);

  /// What is tuned. A word is a named value and reaches the compiler as an integer.
  DescriptionBuilder& parameter(std::string_view name, std::initializer_list<ProblemValue> values,
                                ProblemValue default_value);
  DescriptionBuilder& constraint(std::string_view expression);
  DescriptionBuilder& let(std::string_view name, std::string_view expression);
  DescriptionBuilder& define(std::string_view name, std::string_view expression);

  /// One to three expressions, with commas between them.
  DescriptionBuilder& grid(std::string_view expressions);
  DescriptionBuilder& block(std::string_view expressions);
  DescriptionBuilder& shared(std::string_view bytes);

  /// Arguments, in the order of the kernel's signature. `length` counts elements; `details` are those of the directive:
  /// "uniform(0, 1)", "rtol 1e-11", "file(\"image.npy\")".
  DescriptionBuilder& in(std::string_view name, std::string_view type, std::string_view length,
                         std::string_view details = {});
  DescriptionBuilder& out(std::string_view name, std::string_view type, std::string_view length,
                          std::string_view details = {});
  DescriptionBuilder& inout(std::string_view name, std::string_view type, std::string_view length,
                            std::string_view details = {});
  DescriptionBuilder& scratch(std::string_view name, std::string_view type, std::string_view length);
  DescriptionBuilder& scalar(std::string_view name, std::string_view type, std::string_view value = {});
  /// A vector, a structure or another type of the source, passed by value: `members` says what initialises it,
  /// "n, n, 1" or "0.5, {n, 1}". It is the directive `value`; a launch takes the object.
  DescriptionBuilder& value(std::string_view name, std::string_view type, std::string_view members = {});

  /// A `__constant__` array of the source. It is the directive `constant`, and no parameter of the kernel; a launch
  /// takes a device pointer for it at this place among the arguments, see Instance::launch.
  DescriptionBuilder& constant_array(std::string_view name, std::string_view type, std::string_view length,
                                     std::string_view details = {});

  /// Any other directive, as it stands behind `#pragma tuner`.
  DescriptionBuilder& directive(std::string_view text);

  /// Throws Error{bad_description} that shows the text that is wrong, as the directive that the call stands for.
  Description build() const;

 private:
  DescriptionBuilder& add(std::string text);

  std::string kernel_;
  std::string source_;
  std::vector<Header> headers_;
  std::vector<std::string> directives_;
};

}  // namespace tuner
