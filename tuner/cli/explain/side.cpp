#include "tuner/cli/explain/side.hpp"

#include <fmt/format.h>

#include <system_error>

#include "tuner/cli/given/decisions.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

Side parse_side(const std::string& written, const Side* first) {
  // Paths may have an @, too: a file of the whole name is that file, and no configuration has a /.
  std::size_t at = written.rfind('@');
  std::error_code ignored;
  const bool is_path = at != std::string::npos && written.find('/', at) != std::string::npos;
  if (is_path || std::filesystem::exists(written, ignored)) at = std::string::npos;
  Side side{.written = written, .number = {}, .decision = {}, .file = written.substr(0, at), .configuration = {}};
  side.number = number_in(side.file.string());
  if (side.number) side.file.clear();
  if (at != std::string::npos) side.configuration = written.substr(at + 1);
  if (at != std::string::npos && side.configuration.empty()) {
    throw Error(Errc::bad_usage, fmt::format("`{}` names no configuration after the @. Write @baseline, @winner or "
                                             "assignments such as @BLOCK=128,UNROLL=4.",
                                             written));
  }
  if (side.number || !side.file.empty()) return side;
  if (first == nullptr) {
    throw Error(Errc::bad_usage,
                fmt::format("`{}` names no file, and there is none before it: write FILE{}.", written, written));
  }
  side.number = first->number;
  side.file = first->file;
  return side;
}

std::optional<cache::Decision> stored_winner(const Task& task, Timing mode, const cache::Database* store) {
  if (store == nullptr) return std::nullopt;
  return store->find_decision(task.key(to_string(mode)));
}

search::Configuration configuration_of(const Side& side, const Task& task, Timing mode, const cache::Database* store) {
  std::string named = side.configuration;
  if (named == "winner") {
    const auto decision = side.decision ? side.decision : stored_winner(task, mode, store);
    if (!decision) {
      throw Error(Errc::not_stored,
                  fmt::format("No winner is stored for {} with {} on {}. Tune it first, or name a configuration.",
                              task.description().kernel, problem_text(task.problem()), task.device().name));
    }
    named = decision->configuration;
  }
  const bool is_baseline = named.empty() || named == "baseline";
  const search::Configuration configuration = is_baseline ? task.space().defaults() : task.space().parse(named);
  if (task.accepts(configuration)) return configuration;
  throw Error(Errc::bad_usage,
              fmt::format("{} is no valid configuration: {}", task.space().text(configuration),
                          task.space().why_invalid(configuration).value_or("the device's limits exclude it.")));
}

}  // namespace tuner::cli
