#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cache/records/decision.hpp"
#include "cache/records/decision_text.hpp"
#include "cache/records/trial.hpp"

namespace tuner::page {

/// One decision and the trials behind it, in the order of the search.
struct Subject {
  std::size_t number = 0;  ///< by which `tuner list` calls it
  cache::Decision decision;
  std::vector<cache::Trial> trials;
  std::vector<cache::DecisionText> texts = {};  ///< of the decision; the race and what was explained are shown
};

/// A page of HTML that shows the decisions to a person: verdict, why the winner wins, the final race, the fastest side
/// by side, every trial, what each parameter does, failures, conditions. It needs no network and nothing beside itself.
/// Texts of kernels, compilers and databases are embedded as data and shown as text, whatever is in them; what steers
/// or hides in them is escaped, see printable.hpp. `subjects` is not empty.
std::string report_page(std::span<const Subject> subjects);

/// The page without its data, which stands in place of the word PAGE_DATA.
std::string_view page_template();

}  // namespace tuner::page
