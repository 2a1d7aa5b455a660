#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cache/store/store.hpp"

namespace tuner::cli {

/// A decision with the number by which `tuner list` and `tuner show` call it: the oldest is 1, so that a number stays
/// the same while others are added.
struct NumberedDecision {
  std::size_t number = 0;
  cache::Decision decision;
};

/// The newest decision of each key, newest first.
std::vector<NumberedDecision> numbered_decisions(const cache::Store& store);

/// A decision whose texts may stand in lines: `one_line` of each. For what is printed as text; JSON has them as they
/// are.
cache::Decision shown(cache::Decision decision);

/// "NVIDIA H200" from a canonical device identity.
std::string device_name(const std::string& identity);
/// "1.855x (1.850-1.859)", "baseline" where the baseline itself won, "-" where nothing is known.
std::string speedup_cell(const cache::Decision& decision);

/// As documented in docs/json.md.
nlohmann::ordered_json decision_json(const NumberedDecision& numbered);
nlohmann::ordered_json quarantined_json(const cache::Quarantined& quarantined);
nlohmann::ordered_json trial_json(const cache::Trial& trial);
/// Prints one object on stdout as `printable_json`; bytes that are not UTF-8 are replaced.
void print_json(const nlohmann::ordered_json& object);

}  // namespace tuner::cli
