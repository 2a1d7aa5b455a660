#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tuner/core/description/description.hpp"
#include "tuner/runtime.hpp"
#include "tuner/runtime/instance_state.hpp"
#include "tuner/runtime/instance_table.hpp"

namespace tuner::detail {

class RuntimeState;

/// One kernel of a Runtime and every instance of it. All but `requested` is guarded by the Runtime's lock.
class KernelState {
 public:
  KernelState(RuntimeState& its_runtime, std::shared_ptr<const KernelDescription> its_description,
              KernelOptions its_options)
      : runtime(its_runtime),
        shared_description(std::move(its_description)),
        description(*shared_description),
        options(std::move(its_options)) {}

  RuntimeState& runtime;
  const std::shared_ptr<const KernelDescription> shared_description;  ///< with the text of its headers
  const KernelDescription& description;
  const KernelOptions options;

  InstanceTable requested;  ///< look-ups are free for all

  /// Context and canonical problem.
  using Key = std::pair<std::uint64_t, std::string>;
  struct Made {
    std::unique_ptr<InstanceState> instance;
    /// It may have got a lower rung than it could have now (a database was locked, a compile took too long, a graph was
    /// being captured): requests look again after this. Nothing: it stays what it is.
    std::optional<std::chrono::steady_clock::time_point> look_again;
    std::chrono::milliseconds pause{1000};  ///< until then; longer each time
  };
  std::map<Key, Made> instances;
  std::set<Key> being_made;
  /// What is handed out where no instance is made or kept, by reason.
  std::map<std::string, std::unique_ptr<InstanceState>> refusals;
};

}  // namespace tuner::detail
