#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/skeleton/kernel_skeleton.hpp"

namespace tuner {

/// A kernel of a plain source of which more is known than its source says.
struct KnownKernel {
  std::string name;            ///< with its namespaces, those without a name left out
  std::size_t parameters = 0;  ///< that it takes
  bool is_proved = false;      ///< the source makes it, whether its text shows that or not
  /// What the build has for macros where the source ends, if that is known: a constant that it does not have, or that
  /// is no number, stays as it is.
  std::optional<std::map<std::string, std::string>> macros = {};
  std::set<std::string> fixed = {};  ///< constants that stay as they are
};

/// `text` with the lines above that kernel which `write` makes of what the source shows of it: directives without
/// `#pragma tuner`, and comments that begin with `//`. Grid, block and what they need are proposed where `with_launch`
/// is true, and empty otherwise. `file` is for messages; `elsewhere` as for `skeleton`. Throws Error{bad_description}
/// if there is no such kernel, if it cannot be described, or if the file has directives already.
std::string described_kernel(std::string_view text, const std::filesystem::path& file, std::string_view elsewhere,
                             const KnownKernel& known, bool with_launch,
                             const std::function<std::vector<std::string>(const KernelSkeleton&)>& write);

}  // namespace tuner
