#pragma once

#include <string>
#include <vector>

#include "cache/records/key.hpp"
#include "tuner/core/task/task.hpp"

namespace tuner::cli {

class Arguments;

/// Which keys a command is meant for: of one kernel, with these problem values, on GPUs of this name.
class Selection {
 public:
  /// From --problem, --device and `kernel`, each of which may be missing. Throws Error{bad_usage, bad_problem}.
  Selection(const Arguments& arguments, std::string kernel);

  bool restricts() const { return !kernel_.empty() || !values_.empty() || !devices_.empty(); }
  bool includes(const cache::DecisionKey& key) const;
  const std::string& kernel() const { return kernel_; }

 private:
  std::string kernel_;
  std::vector<ProblemValues> values_;  ///< each of them must be the problem's
  std::vector<std::string> devices_;   ///< parts of the GPU's name, in lower case, of which one must occur
};

/// " Did you mean `prefetch`?" where `kernel` is none of the keys'; else nothing.
std::string nearest_kernel(const std::string& kernel, const std::vector<cache::DecisionKey>& keys);

}  // namespace tuner::cli
