#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cache/records/binary.hpp"
#include "cache/records/key.hpp"
#include "tuner/instance.hpp"

namespace tuner {

/// What a Runtime served for one problem of one kernel on one kind of GPU.
struct FrozenAnswer {
  cache::DecisionKey key;   ///< what was asked for
  Provenance provenance;    ///< of what was launched; names no database, which another machine has not got
  cache::Hash binary_hash;  ///< of what was launched
  std::string binary_key;   ///< what that was compiled from, see binary_key(); empty where `binary` is
  cache::Cubin binary;      ///< without bytes where none came along
};

/// The answers of one Runtime, as bytes for others. A value: nothing in it changes while requests read it.
class FrozenAnswers {
 public:
  /// Keeps one answer a key: an exact one rather than another, else the first.
  void add(FrozenAnswer answer);

  /// Null if this was not asked for.
  const FrozenAnswer* find(const cache::DecisionKey& key) const;
  /// The same on another GPU of the same compute capability, but no baseline. Null if there is none.
  const FrozenAnswer* find_elsewhere(const cache::DecisionKey& key) const;
  /// The names of the kinds of GPU for which the rest of this key was asked for, with commas between; empty for none.
  std::string devices(const cache::DecisionKey& key) const;

  /// The same answers become the same bytes.
  std::vector<std::byte> bytes() const;
  /// Reads bytes(). Throws Error{store_damaged} for damaged ones and for what is something else, and Error{store_newer}
  /// for those of another version of the library.
  static FrozenAnswers from(std::span<const std::byte> bytes);

 private:
  std::map<std::string, FrozenAnswer> answers_;  ///< by the key's text
};

}  // namespace tuner
