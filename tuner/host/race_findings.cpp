#include "tuner/host/race_findings.hpp"

#include <fmt/format.h>

namespace tuner::host {
namespace {

std::string memory_of_access(const RaceEvent& event, const std::vector<BoundArgument>& arguments) {
  if (event.memory >= 0) return "`" + arguments[static_cast<std::size_t>(event.memory)].name + "`";
  return event.memory == -1 ? "dynamic shared memory" : "shared memory";
}

}  // namespace

Finding finding_of(const RaceEvent& event, const std::vector<BoundArgument>& arguments, const Addresses& places) {
  Finding finding;
  SourceSpot within, other_within;
  finding.place = places.place(event.stack, within);
  const std::string memory = memory_of_access(event, arguments);
  const std::string does = event.writes ? "writes" : "reads";
  if (event.what == "race") {
    finding.kind = FindingKind::race;
    finding.other = places.place(event.other_stack, other_within);
    finding.sentence = fmt::format("{} byte {} of {}, which another thread {}{}, with no synchronisation between them",
                                   does, event.offset, memory, event.other_writes ? "writes" : "reads",
                                   finding.other.line == 0 ? "" : " at " + finding.other.text());
  } else if (event.what == "input") {
    finding.kind = FindingKind::input_written;
    finding.sentence = fmt::format("writes byte {} of {}, which is an input", event.offset, memory);
  } else if (event.what == "copy") {
    finding.kind = FindingKind::unwaited_copy;
    finding.sentence = fmt::format("{} byte {} of {} before waiting for the asynchronous copy that fills it", does,
                                   event.offset, memory);
  } else {
    finding.kind = FindingKind::uninitialised_read;
    finding.sentence =
        fmt::format("reads byte {} of {}, which was never written, and a result depends on it", event.offset, memory);
  }
  if (within.line != 0) finding.sentence += " (in " + within.text() + ")";
  return finding;
}

}  // namespace tuner::host
