#include "tuner/runtime/freezing.hpp"

#include <fmt/format.h>

#include <utility>

#include "cache/file/hash.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/task/binary_key.hpp"
#include "tuner/core/task/served_winner.hpp"

namespace tuner::detail {

FrozenAnswer Freezing::freeze(const InUse& used, const DeviceInfo& device, FrozenBinaries binaries) {
  const auto task = used.kernel.task(used.problem, device);
  FrozenAnswer answer{task->key(to_string(settings_.options.timing)), used.plan.provenance, used.plan.binary, {}, {}};
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
std::optional<cache::Cubin> Freezing::find_binary_of(const InUse& used, const Task& task, const std::string& key) {
  if (frozen_) {
    const FrozenAnswer* const answer = frozen_->find(task.key(to_string(settings_.options.timing)));
    if (answer != nullptr && answer->binary_key == key && !answer->binary.bytes.empty()) return answer->binary;
  }
  LookupState lookup;
  auto stored = stores_.binary(key, used.plan.binary, lookup);
  if (stored && stored->hash == used.plan.binary) return stored;
  if (settings_.mode() != Mode::off) {
    const std::string place =
        served_place(problem_text(used.problem), task.device(), to_string(settings_.options.timing));
    auto served = stores_.served(used.kernel.source, place, lookup);
    if (served && cache::content_hash(served->cubin.bytes) == used.plan.binary) return std::move(served->cubin);
  }
  if (stored) return stored;  // by another compiler, of the same source for the same GPU
  const std::string& configuration = used.plan.provenance.configuration;
  const CompileAnswer answer = engine_.compile(task, configuration, key);
  if (answer.outcome == Outcome::ok) return answer.cubin;
  settings_.report(
      Notice::Kind::engine,
      fmt::format("The binary of {} of `{}` is left out of the frozen decisions, because none is stored, and it "
                  "cannot be compiled: {}",
                  configuration, used.kernel.outline->kernel, answer.message));
  return std::nullopt;
}

}  // namespace tuner::detail
