#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cache/store/database.hpp"

namespace tuner::cli {

/// A decision with the number by which `tuner list` and `tuner show` call it: the oldest is 1, so that a number stays
/// the same while others are added.
struct NumberedDecision {
  std::size_t number = 0;
  cache::Decision decision;
};

/// The number that `text` is; nothing for anything else.
std::optional<std::size_t> number_in(const std::string& text);

/// The newest decision of each key, newest first.
std::vector<NumberedDecision> numbered_decisions(const cache::Database& store);

/// What `name` calls among `all` that `store` has: the decision of that number, or every decision of that kernel,
/// newest first. If there is none, says so; `elsewhere` is where to look besides, `path` that of the database.
std::vector<NumberedDecision> called(const std::string& name, const std::vector<NumberedDecision>& all,
                                     const cache::Database& store, const std::string& path,
                                     const std::string& elsewhere);

/// The trials that the decision rests on, in the order recorded. A session that went on where another one ended
/// recorded none of those it took over: they are found by what made them fit to be taken over.
std::vector<cache::Trial> trials_behind(const cache::Decision& decision, const cache::Database& store);

/// A decision whose texts may stand in lines: `one_line` of each. For what is printed as text; JSON has them as they
/// are.
cache::Decision shown(cache::Decision decision);

/// As documented in docs/json.md.
nlohmann::ordered_json decision_json(const NumberedDecision& numbered);
nlohmann::ordered_json quarantined_json(const cache::Quarantined& quarantined);
nlohmann::ordered_json trial_json(const cache::Trial& trial);
/// Prints one object on stdout as `printable_json`; bytes that are not UTF-8 are replaced.
void print_json(const nlohmann::ordered_json& object);

}  // namespace tuner::cli
