#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "tuner/engine_protocol/jobs.hpp"

// What a program's side of the engine answers by itself.

namespace tuner::service {

/// An engine may be lost by accident once.
inline constexpr int kEngineAttempts = 2;

/// "`scale` for n=1000"
std::string title(const JobSubject& subject);

inline double seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}
inline CompileAnswer not_compiled(Outcome outcome, std::string sentence) {
  return {.outcome = outcome, .message = std::move(sentence)};
}
inline TuneAnswer not_tuned(std::string sentence) {
  return {.message = std::move(sentence)};
}

}  // namespace tuner::service
