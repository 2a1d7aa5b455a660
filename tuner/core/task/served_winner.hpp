#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/records/binary.hpp"
#include "cache/records/decision.hpp"
#include "cache/records/served.hpp"
#include "tuner/core/task/launch_facts.hpp"

// The rows from which a program starts without parsing its source (cache/records/served.hpp): what their texts say. A
// row is found by the whole text, directives included, so that whatever is edited is a miss; and by the version of the
// program that read it.

namespace tuner {

/// What a request has to know of a source.
struct SourceOutline {
  std::string kernel;                    ///< function name
  std::vector<ProblemProperty> problem;  ///< in declared order
};

/// Of an exact decision, all that serving it takes but the binary.
struct ServedWinner {
  cache::Decision decision;
  LaunchFacts facts;
};

/// Served::source. `kernel` is empty where the text describes one kernel alone.
std::string served_source(std::string_view text, std::string_view kernel, const std::vector<Header>& headers);
/// The same of a task; nothing if its source is not known.
std::optional<std::string> served_source(const Task& task);
/// Served::place: the key of a decision but for the source, and everything of the device that expressions can read.
std::string served_place(std::string_view problem, const DeviceInfo& device, std::string_view mode);

/// The row for a stored decision on this task, whose winner was compiled to this binary. Throws what launch_facts and
/// Space::parse throw.
cache::Served served_row(const Task& task, std::string source, const cache::Decision& decision,
                         const cache::Cubin& cubin);
/// Reads Served::outline. Throws Error{internal} for a text that another build wrote.
SourceOutline outline_of(std::string_view text);
/// Reads Served::launch. Throws likewise.
ServedWinner winner_of(const cache::Served& row);

}  // namespace tuner
