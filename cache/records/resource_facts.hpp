#pragma once

#include <optional>
#include <string>

#include "cache/file/hash.hpp"
#include "cache/records/described.hpp"

namespace tuner::cache {

/// Facts about one compiled binary on one device. Missing where compiling did not get that far.
struct ResourceFacts {
  std::optional<int> registers;
  std::optional<int> stack_bytes;
  std::optional<int> spill_store_bytes;
  std::optional<int> spill_load_bytes;
  std::optional<int> static_shared_bytes;
  std::optional<int> dynamic_shared_bytes;
  std::optional<double> occupancy;  ///< resident warps / maximum, 0..1
  std::string occupancy_limiter;    ///< "registers", "shared", "warps", "blocks"; empty if unknown
  Hash binary_hash;                 ///< of the cubin
};

template <class Fields, MaybeConst<ResourceFacts> Facts>
void describe(Fields& fields, Facts& facts) {
  fields("registers", facts.registers);
  fields("stack_bytes", facts.stack_bytes);
  fields("spill_store_bytes", facts.spill_store_bytes);
  fields("spill_load_bytes", facts.spill_load_bytes);
  fields("static_shared_bytes", facts.static_shared_bytes);
  fields("dynamic_shared_bytes", facts.dynamic_shared_bytes);
  fields("occupancy", facts.occupancy);
  fields("occupancy_limiter", facts.occupancy_limiter);
  fields("binary_hash", facts.binary_hash);
}

}  // namespace tuner::cache
