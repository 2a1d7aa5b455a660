// What a Runtime launches, for others to launch the same.
#include <fmt/format.h>

#include <utility>

#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/task/binary_key.hpp"
#include "tuner/core/task/served_winner.hpp"
#include "tuner/runtime/runtime_state.hpp"
#include "tuner/runtime/time_limits.hpp"

namespace tuner::detail {

std::vector<std::byte> RuntimeState::frozen(FrozenBinaries binaries) {
  FrozenAnswers answers;
  for (const InUse& used : in_use()) answers.add(freeze(used, binaries));
  return answers.bytes();
}

/// Of every instance that launches a kernel. Plans and kernels live as long as the Runtime.
std::vector<RuntimeState::InUse> RuntimeState::in_use() {
  std::vector<InUse> all;
  const std::lock_guard lock(mutex_);
  for (const KernelState& kernel : kernels_) {
    for (const auto& [key, made] : kernel.instances) {
      if (!made.instance->has_plan()) continue;
      const LaunchPlan& plan = made.instance->plan();
      if (plan.has_kernel()) all.push_back({kernel, key.second, made.device, plan});
    }
  }
  return all;
}

FrozenAnswer RuntimeState::freeze(const InUse& used, FrozenBinaries binaries) {
  const auto task = task_for(used.kernel, used.problem, used.device);
  FrozenAnswer answer{task->key(to_string(timing_)), used.plan.provenance, used.plan.binary, {}, {}};
  // Of a file that others have not got.
  answer.provenance.database.clear();
  answer.provenance.decision_id = 0;
  if (binaries == FrozenBinaries::left_out) return answer;
  std::string key = binary_key(*task, task->space().parse(answer.provenance.configuration));
  if (auto binary = find_binary_of(used, *task, key)) {
    answer.binary_key = std::move(key);
    answer.binary = *std::move(binary);
  }
  return answer;
}

/// From the frozen decisions that are served here, or from the databases, or compiled once more.
std::optional<cache::Cubin> RuntimeState::find_binary_of(const InUse& used, const Task& task, const std::string& key) {
  if (frozen_) {
    const FrozenAnswer* const answer = frozen_->find(task.key(to_string(timing_)));
    if (answer != nullptr && answer->binary_key == key && !answer->binary.bytes.empty()) return answer->binary;
  }
  LookupState lookup;
  auto stored = stores_.binary(key, used.plan.binary, lookup);
  if (stored && stored->hash == used.plan.binary) return stored;
  if (mode_ != Mode::off) {
    const std::string place = served_place(used.problem, task.device(), to_string(timing_));
    auto served = stores_.served(used.kernel.source, place, lookup);
    if (served && cache::content_hash(served->cubin.bytes) == used.plan.binary) return std::move(served->cubin);
  }
  if (stored) return stored;  // by another compiler, of the same source for the same GPU
  const std::string& configuration = used.plan.provenance.configuration;
  const CompileAnswer answer = compile(task, configuration, key);
  if (answer.outcome == Outcome::ok) return answer.cubin;
  report(Notice::Kind::engine,
         fmt::format("The binary of {} of `{}` is left out of the frozen decisions, because none is stored, and it "
                     "cannot be compiled: {}",
                     configuration, used.kernel.outline->kernel, answer.message));
  return std::nullopt;
}

}  // namespace tuner::detail
