#include "tuner/cli/stored/newest_winners.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/timing_text.hpp"

namespace tuner::cli {

namespace {

bool is_cold(const cache::Decision& decision) {
  return timing_from_string(decision.key.mode) == Timing::cold;
}

std::vector<cache::Decision> newest_winners(const std::vector<NumberedDecision>& all, const Selection& selection) {
  std::map<std::string, std::string> identities;
  std::map<std::string, cache::Decision> chosen;
  std::set<std::string> older;
  for (const NumberedDecision& numbered : all) {
    const cache::Decision& decision = numbered.decision;
    const cache::DecisionKey& key = decision.key;
    if (!selection.includes(key)) continue;
    const std::string& identity = identities.emplace(key.kernel_name, key.kernel_identity).first->second;
    if (identity != key.kernel_identity) {
      older.insert(key.kernel_name);
      continue;
    }
    cache::DecisionKey place = key;
    place.mode.clear();
    const auto [found, is_new] = chosen.emplace(place.text(), decision);
    if (!is_new && !is_cold(found->second) && is_cold(decision)) found->second = decision;
  }
  for (const std::string& kernel : older) {
    warn(fmt::format("Winners of an earlier source of `{}` are left out.", one_line(kernel)));
  }
  std::vector<cache::Decision> decisions;
  for (auto& [place, decision] : chosen) decisions.push_back(std::move(decision));
  return decisions;
}

}  // namespace

std::vector<cache::Decision> winners_to_export(const cache::Database* store, const cache::Location& from,
                                               const Selection& selection) {
  if (store == nullptr) {
    say(fmt::format("Nothing is stored in {} yet, so there is nothing to export.", from.decisions.string()));
    return {};
  }
  std::vector<cache::Decision> decisions = newest_winners(numbered_decisions(*store), selection);
  if (decisions.empty()) {
    say(fmt::format("Nothing was exported: {} has no winner that matches.{} `tuner list` shows what is stored.",
                    from.decisions.string(), nearest_kernel(selection.kernel(), store->list_keys({}))));
  }
  return decisions;
}

}  // namespace tuner::cli
