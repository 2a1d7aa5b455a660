#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cache/store/database.hpp"
#include "tuner/core/task/task.hpp"

namespace tuner::engine {

/// How few binaries a pack is to have.
struct PackLimits {
  double within = 0.02;             ///< what a decision may lose: 0.02 is two per cent
  std::optional<std::size_t> most;  ///< so many binaries for each kernel, GPU kind and mode instead, whatever is lost
};

/// What is known of a configuration's time on a problem.
enum class PackedBy {
  won,      ///< the winner
  raced,    ///< tied with it in the final race
  screened  ///< timed in the search alone
};

/// A decision of a pack.
struct PackedDecision {
  cache::Decision decision;  ///< as it is packed: of the member that serves the problem
  PackedBy by = PackedBy::won;
  double loss = 0;                   ///< how much slower the member is than the winner
  std::string binary;                ///< what the member is compiled to: equal texts, one binary
  std::optional<std::string> key;    ///< under which programs look for it; nothing where the source is not known
  std::shared_ptr<const Task> task;  ///< null where the source is not known
  std::string why_no_task;           ///< why not
};

/// Those of one version of a kernel, on one kind of GPU, timed one way.
struct PackGroup {
  cache::DecisionKey key;  ///< without a problem
  std::vector<PackedDecision> decisions;
  std::set<std::string> winners;      ///< binaries that the winners are compiled to
  std::set<std::string> members;      ///< binaries that serve
  bool exact = true;                  ///< no fewer do, or with as many no less is lost
  std::vector<std::string> left_out;  ///< problems on which none of the most binaries has a time
};

/// A decision's kernel on its problem; or null, and why.
using FindTask = std::function<std::pair<std::shared_ptr<const Task>, std::string>(const cache::Decision&)>;

/// Chooses the binaries that serve the stored decisions of these keys, and how. A binary is what binary_key says, or
/// where that cannot be computed what trials and decisions say of their binaries: a configuration is one binary for
/// many problems wherever its constants allow. Its time on a problem is that of the race where it tied, else that of
/// the search on the scale of the winner's, and never less than the winner's. Throws Error{store_*}.
std::vector<PackGroup> choose_for_pack(const cache::Database& store, const FindTask& task_of,
                                       const std::function<bool(const cache::DecisionKey&)>& wanted,
                                       const PackLimits& limits);

}  // namespace tuner::engine
