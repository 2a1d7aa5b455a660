#pragma once

#include <string>
#include <vector>

#include "tuner/core/description/description.hpp"
#include "tuner/core/task/bound_argument.hpp"

namespace tuner {

/// "prefetch:<32 hexadecimal digits>": the name, and a hash of the source without its directives and its host code
/// (host_code.hpp), of its headers, as quoted_headers() has them, and of the template arguments, compiler options
/// and fixed defines that make another kernel of the same source. A recorded identity is taken as it is.
std::string kernel_identity(const KernelDescription& description, const std::vector<Header>& headers);

/// Hash of what a trial depends on besides the source, the configuration's text and the launch: signature, generators,
/// the data that files hold, tolerances; named expressions, template arguments and options that are always passed.
/// `arguments` are those of the description, their files looked at.
std::string reuse_hash(const KernelDescription& description, const std::vector<BoundArgument>& arguments);

/// Hash of what a search chooses from: the parameters with their values, and the constraints.
std::string space_hash(const search::Space& space);

}  // namespace tuner
