#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cache/records/key.hpp"
#include "tuner/header.hpp"

namespace tuner::cache {

/// What a kernel is tuned from where its files are not at hand.
struct WantedSource {
  std::string file;  ///< its name, without folders
  std::string text;
  std::vector<Header> headers;  ///< the user's own, in the order in which they are included first
};

/// A problem for which programs found no decision.
struct Wanted {
  DecisionKey key;
  Hash source;                    ///< names its WantedSource; empty: that was not kept
  std::string rung;               ///< what served it instead, in words: "near size"
  std::string configuration;      ///< that was launched; empty: none
  std::optional<double> time_ns;  ///< that this was expected to take, if anything was known: of another size or GPU
  std::int64_t requested = 0;     ///< first requests, at most one a program and GPU context
  std::int64_t launched = 0;
  std::int64_t first_unix_ms = 0, last_unix_ms = 0;
  std::string trouble;  ///< why it could not be tuned; empty: that was not tried
};

}  // namespace tuner::cache
