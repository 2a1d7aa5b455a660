#include "tuner/cli/stored/known_sizes.hpp"

#include <fmt/format.h>

#include <set>
#include <tuple>

#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

std::vector<cache::DecisionKey> whatever_problem(const std::vector<cache::DecisionKey>& keys) {
  std::set<std::tuple<std::string, std::string, std::string, std::string>> seen;
  std::vector<cache::DecisionKey> first;
  for (const cache::DecisionKey& key : keys) {
    if (seen.emplace(key.kernel_identity, key.device, key.mode, key.objective).second) first.push_back(key);
  }
  return first;
}

std::vector<KernelSizes> known_sizes(const cache::Database& store, const Selection& selection) {
  std::vector<cache::DecisionKey> keys = store.list_keys({.kernel_name = selection.kernel()});
  std::erase_if(keys, [&](const cache::DecisionKey& key) { return !selection.includes(key); });
  std::vector<KernelSizes> known;
  for (const cache::DecisionKey& key : whatever_problem(keys)) {
    if (const auto text = store.find_sizes(key, cache::kAllSizes)) known.push_back(sizes_from_json(*text));
  }
  return known;
}

std::string sizes_line(const cache::Database& store, const cache::DecisionKey& key) try {
  const auto text = store.find_sizes(key, cache::kAllSizes);
  if (!text) return {};
  const KernelSizes sizes = sizes_from_json(*text);
  const std::size_t members = sizes.portfolio.members.size();
  return one_line(fmt::format("{} {} all {} within {}{}: `tuner sizes {}`", counted(members, "configuration"),
                              members == 1 ? "serves" : "serve", counted(sizes.problems.size(), "problem"),
                              percent(sizes.within), sizes.rule.nodes.empty() ? "" : ", and a rule other sizes",
                              key.kernel_name));
} catch (const Error& error) {
  return error.what();
}

std::string no_sizes(const std::string& kernel) {
  return fmt::format(
      "Nothing is known{} over several sizes: tune some with one command, for example `tuner tune FILE "
      "--problem n=1000,10000,100000`.",
      kernel.empty() ? "" : " of `" + kernel + "`");
}

}  // namespace tuner::cli
