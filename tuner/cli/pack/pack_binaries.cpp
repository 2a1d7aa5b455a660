#include "tuner/cli/pack/pack_binaries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <string>

#include "cache/store/binary_store.hpp"
#include "tuner/cli/given/stores.hpp"
#include "tuner/cli/terminal/progress_line.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/workplace/compile_batch.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

std::string name_in_sentence(const engine::PackedDecision& packed) {
  return fmt::format("`{}` for {}", one_line(packed.decision.key.kernel_name), one_line(packed.decision.key.problem));
}

std::string named(const std::vector<const engine::PackedDecision*>& missing) {
  return fmt::format("{} {} not stored: that of {}{}", counted(missing.size(), "compiled member"),
                     missing.size() == 1 ? "is" : "are", name_in_sentence(*missing.front()),
                     missing.size() == 1 ? "" : fmt::format(", and {} more", missing.size() - 1));
}

/// By the key that programs look for; of a kernel whose source is not known, by what its decision says.
std::vector<cache::Binary> stored_builds(cache::BinaryStore& store, const engine::PackedDecision& packed) {
  if (packed.key) {
    auto build = store.find_compiled(*packed.key, packed.decision.binary_hash);
    return build ? std::vector{*std::move(build)} : std::vector<cache::Binary>();
  }
  return packed.decision.binary_hash.empty() ? std::vector<cache::Binary>()
                                             : store.find_builds(packed.decision.binary_hash);
}

void require_compilable(const std::vector<const engine::PackedDecision*>& missing) {
  std::vector<const engine::PackedDecision*> lost;
  std::copy_if(missing.begin(), missing.end(), std::back_inserter(lost),
               [](const engine::PackedDecision* packed) { return !packed->key; });
  if (lost.empty()) return;
  const engine::PackedDecision& first = *lost.front();
  const std::string why = first.task ? "its source no longer allows its configuration" : first.why_no_task;
  throw Error(Errc::store_unavailable,
              fmt::format("{}, and cannot be compiled here ({}). Pack on the machine that it was tuned on, tune it "
                          "again, or name other kernels.",
                          named(lost), one_line(why.ends_with('.') ? why.substr(0, why.size() - 1) : why)));
}

bool compile_missing(const std::vector<const engine::PackedDecision*>& missing, const std::atomic<bool>& stop,
                     PackBinaries& binaries) try {
  ProgressLine line;
  engine::CompileBatch batch({.niceness = 0}, stop, line.counting("compiling"));
  std::vector<engine::CompileRequest> requests;
  for (const engine::PackedDecision* packed : missing) {
    const Task& task = *packed->task;
    requests.push_back(engine::compile_request(task, task.space().parse(packed->decision.configuration)));
  }
  const auto replies = batch.compile(std::move(requests));
  line.erase();
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (!replies[i]) return false;
    if (replies[i]->outcome != Outcome::ok) {
      throw Error(Errc::bad_description, fmt::format("{} does not compile here, so that nothing was packed: {}",
                                                     name_in_sentence(*missing[i]), replies[i]->message));
    }
    binaries.builds.push_back(
        engine::binary_to_keep(*replies[i], missing[i]->task->device().architecture(), *missing[i]->key));
  }
  binaries.compiled = missing.size();
  return true;
} catch (const Error& error) {
  if (error.code() != Errc::no_toolkit && error.code() != Errc::no_worker && error.code() != Errc::shortage) throw;
  throw Error(error.code(), fmt::format("{}, and nothing compiles it here: {}", named(missing), error.what()));
}

}  // namespace

std::optional<PackBinaries> binaries_for_pack(const std::vector<engine::PackGroup>& groups,
                                              const std::filesystem::path& stored, const std::atomic<bool>& stop) {
  std::unique_ptr<cache::BinaryStore> store;
  if (!is_not_there_yet(stored)) store = cache::BinaryStore::open({.path = stored, .access = cache::Access::read_only});
  if (store && store->distrust())
    throw Error(Errc::store_unavailable, fmt::format("Binaries cannot be packed. {}", *store->distrust()));
  PackBinaries binaries;
  std::vector<const engine::PackedDecision*> missing;
  std::set<std::string> known;
  for (const engine::PackGroup& group : groups) {
    for (const engine::PackedDecision& packed : group.decisions) {
      if (!known.insert(packed.binary).second) continue;
      std::vector<cache::Binary> builds = store ? stored_builds(*store, packed) : std::vector<cache::Binary>();
      if (builds.empty()) missing.push_back(&packed);
      std::move(builds.begin(), builds.end(), std::back_inserter(binaries.builds));
    }
  }
  if (missing.empty()) return binaries;
  require_compilable(missing);
  if (!compile_missing(missing, stop, binaries)) return std::nullopt;
  return binaries;
}

}  // namespace tuner::cli
