#pragma once

#include <string>

#include "tuner/explain/explanation.hpp"

namespace tuner::bench {

/// What was found, as a part of a page in docs/kernels: verdict, findings, path, machine code of both, and the counters
/// that bear on it. Wrapped at 100 columns but for tables. `conditions`: driver, toolkit, date and commit.
std::string page_of(const explain::Explanation& explanation, const std::string& conditions);

}  // namespace tuner::bench
