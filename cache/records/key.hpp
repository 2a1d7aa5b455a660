#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cache/file/hash.hpp"
#include "cache/records/described.hpp"

namespace tuner::cache {

/// What a decision answers: which kernel, on which problem, on which device, timed how. Every part is canonical text;
/// two keys are the same when all parts are. `text()` joins them with tagged delimiters and `hash()` is XXH3-128 of
/// that; both are stored and the text is compared on every hit, so a hash collision is a miss.
struct DecisionKey {
  std::string kernel_name;      ///< as users say it: "prefetch"
  std::string kernel_identity;  ///< name and hashes of the source text and of its own headers
  std::string problem;          ///< "row_length=65536,rows=528,…", sorted by name
  std::string device;           ///< canonical device identity
  std::string mode;             ///< timing mode: "cold" or "warm"
  std::string objective = "time";

  std::string text() const;
  Hash hash() const;
  friend bool operator==(const DecisionKey&, const DecisionKey&) = default;
};

/// Table `task`, behind the key's hash and text.
template <class Fields, MaybeConst<DecisionKey> Key>
void describe(Fields& fields, Key& key) {
  fields("kernel_name", key.kernel_name);
  fields("kernel_identity", key.kernel_identity);
  fields("problem", key.problem);
  fields("device", key.device);
  fields("mode", key.mode);
  fields("objective", key.objective);
}

/// The reverse of DecisionKey::text(); nothing if the text is not one of its results.
std::optional<DecisionKey> key_from_text(std::string_view text);

}  // namespace tuner::cache
