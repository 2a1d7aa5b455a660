#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/core/task/task.hpp"
#include "tuner/runtime.hpp"
#include "tuner/runtime/description_content.hpp"
#include "tuner/runtime/instance_state.hpp"
#include "tuner/runtime/instance_table.hpp"
#include "tuner/runtime/layered_stores.hpp"

namespace tuner::detail {

class RuntimeState;

/// One kernel of a Runtime and every instance of it. All but `requested` is guarded by the Runtime's lock.
class KernelState {
 public:
  KernelState(RuntimeState& its_runtime, std::shared_ptr<const Description::Content> content, std::string its_source,
              std::shared_ptr<const KernelDescription> its_outline, KernelOptions its_options)
      : runtime(its_runtime),
        options(std::move(its_options)),
        source(std::move(its_source)),
        outline(std::move(its_outline)),
        content_(std::move(content)) {}

  RuntimeState& runtime;
  const KernelOptions options;
  const std::string source;                                ///< see cache::Served
  const std::shared_ptr<const KernelDescription> outline;  ///< name and problem properties, if not all of it

  /// All of it, with the text of its headers. Parses the source if that was not done yet.
  std::shared_ptr<const KernelDescription> description() const { return {content_, &content_->parsed()}; }

  /// Throws Error if there is no such problem. Parses the source likewise.
  std::shared_ptr<const Task> task(const ProblemValues& problem, const DeviceInfo& device) const {
    return std::make_shared<const Task>(description(), problem, device, std::vector<std::string>{},
                                        std::vector<std::filesystem::path>{}, search::Listing::when_needed);
  }

  InstanceTable requested;  ///< look-ups are free for all

  /// Context and canonical problem.
  using Key = std::pair<std::uint64_t, std::string>;
  struct Made {
    std::unique_ptr<InstanceState> instance;
    ProblemValues problem;
    int device = 0;  ///< position among the GPUs that the driver shows
    /// It may have got a lower rung than it could have now (a database was locked, a compile took too long, a graph was
    /// being captured): requests look again after this. Nothing: it stays what it is.
    std::optional<std::chrono::steady_clock::time_point> look_again;
    std::chrono::milliseconds pause{1000};  ///< until then; longer each time
  };
  std::map<Key, Made> instances;
  std::set<Key> being_made;
  /// What is handed out where no instance is made or kept, by reason.
  std::map<std::string, std::unique_ptr<InstanceState>> refusals;

 private:
  const std::shared_ptr<const Description::Content> content_;
};

}  // namespace tuner::detail
