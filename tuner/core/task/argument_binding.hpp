#pragma once

#include <vector>

#include "tuner/core/base/element_type.hpp"
#include "tuner/core/task/bound_argument.hpp"
#include "tuner/error.hpp"

namespace tuner {

/// The arguments of `description` with numbers in place. `scope` knows the problem, the device and the lets, but no
/// tuned parameter; a scratch length that needs one stays 0. Throws Error{bad_description} for a value that cannot be
/// computed and Error{bad_problem} for one that does not fit its type.
std::vector<BoundArgument> bind_arguments(const KernelDescription& description, const search::Scope& scope);

/// The shape of a type as descriptions name it: an element type, or the constant problem property that holds one.
/// `what` begins the message of the Error{bad_description} that is thrown where it is neither.
TypeShape bind_type(const KernelDescription& description, const std::string& what, const std::string& type,
                    const search::Scope& scope);

/// What fills `bound`, whose type and length are known. Throws likewise.
void bind_generators(const KernelDescription& description, const Argument& argument, const search::Scope& scope,
                     BoundArgument& bound);

/// One sentence about all integer inputs for which no generator is given; empty if there is none.
std::string counting_inputs(const KernelDescription& description, const std::vector<BoundArgument>& arguments);

/// Whether `expression` uses a property of the problem, directly or through a let or define.
bool depends_on_problem(const KernelDescription& description, const search::Expression& expression);

/// A buffer's length in elements: not negative, and no more than any memory holds. `what` begins the message.
std::uint64_t buffer_length(const std::string& what, const search::Expression& length, const search::Scope& scope);

/// What `compute` returns. What it throws becomes an Error{bad_description} that says so of `what`.
template <typename Compute>
auto computed(const std::string& what, Compute compute) try {
  return compute();
} catch (const Error& error) {
  throw Error(Errc::bad_description, what + " cannot be computed: " + error.what());
}

/// "prefetch.cu: the length of `values`"
std::string argument_label(const KernelDescription& description, const Argument& argument, std::string_view what);

}  // namespace tuner
