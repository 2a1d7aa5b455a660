#pragma once

#include <cstdint>
#include <string>

#include "cache/records/binary.hpp"
#include "cache/records/decision.hpp"

namespace tuner::cache {

/// The winner of a decision as a program launches it that does not parse its source. Derived from the decision, and
/// made again where it is missing (ServedStore). It is code.
struct Served {
  std::string source;    ///< canonical text: the annotated source, its headers and what reads them
  std::string outline;   ///< what a request has to know of the source: its reader's own text
  std::string place;     ///< canonical text: the problem, everything of the device that expressions read, the mode
  std::string file;      ///< which decisions.db it is derived from; empty: whichever is beside it
  std::string decision;  ///< served_mark of it; empty in the row of a source
  std::string launch;    ///< what a launch has to know: its reader's own text
  Cubin cubin;           ///< what is launched
};

void describe(auto& fields, Served& served) {
  auto& [source, outline, place, file, decision, launch, cubin] = served;
  fields("source", source)("outline", outline)("place", place)("file", file)("decision", decision);
  fields("launch", launch)("cubin", cubin);
}

/// What tells a stored decision from every other one, in whatever file: its row, time and session.
inline std::string served_mark(const Decision& decision) {
  return std::to_string(decision.row) + ' ' + std::to_string(decision.created_unix_ms) + ' ' + decision.session;
}

}  // namespace tuner::cache
