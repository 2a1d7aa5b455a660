#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cache/store/store.hpp"

namespace tuner::engine {

/// Hears how a session goes. Called from the session's thread, must not throw and should return at once.
class Observer {
 public:
  virtual ~Observer() = default;
  struct Progress {
    std::uint64_t asked = 0, compiled = 0, deduplicated = 0, finished = 0, failed = 0;
    std::uint64_t total = 0;  ///< configurations that will be asked for, as far as known
    std::optional<double> best_ns;
    std::string best_configuration;
    double elapsed_s = 0;
    std::string phase;  ///< "searching", "racing", "storing", "done"
  };
  virtual void progress(const Progress&) {}
  virtual void trial(const cache::Trial&) {}
  virtual void warning(const std::string& /*sentence*/) {}
};

}  // namespace tuner::engine
