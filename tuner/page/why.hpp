#pragma once

#include <span>

#include "cache/records/decision_text.hpp"
#include "tuner/core/report/record_json.hpp"

namespace tuner::page {

/// What `tuner explain` found, as far as the page shows it; null where nothing is stored that can be read. Whatever the
/// stored text is, the page can show the result.
OrderedJson why_json(std::span<const cache::DecisionText> texts);

}  // namespace tuner::page
