#pragma once

#include <string>
#include <vector>

#include "tuner/explain/facts.hpp"

namespace tuner::explain {

/// A fact of two configurations side by side.
struct FactRow {
  std::string name, first, second;
};

/// Time, launch, what the compiler reports, what is resident and what the machine code does; what is known of neither
/// is left out.
std::vector<FactRow> fact_rows(const ConfigurationFacts& first, const ConfigurationFacts& second);

/// Text that stands in a line of Markdown or a cell of a table, and not in a span of code.
std::string for_markdown(std::string text);
std::string markdown_table(const std::string& first, const std::string& second, const std::vector<FactRow>& rows);

}  // namespace tuner::explain
