#pragma once

#include <cstddef>
#include <string>

#include "tuner/core/report/report.hpp"

namespace tuner {

/// The sections of a report's text that compare the winner with others: what is tied with it, and the finalists. The
/// first twenty of each.
std::string rivals_text(const TuneReport& report, std::size_t width);

}  // namespace tuner
