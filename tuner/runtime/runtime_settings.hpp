#pragma once

#include <string_view>

#include "tuner/runtime.hpp"

namespace tuner::detail {

/// How a Runtime works, by its options and by the environment, and whom it tells of trouble. Nothing in it changes, so
/// all of it may be used from several threads.
class RuntimeSettings {
 public:
  /// What makes no sense becomes the nearest that does. `serves_frozen`: what others found is served
  /// (Runtime::from_frozen).
  RuntimeSettings(RuntimeOptions its_options, bool serves_frozen);

  /// Tells the observer, as one line.
  void report(Notice::Kind kind, std::string_view sentence) const noexcept;

  Mode mode() const noexcept { return mode_; }  ///< TUNER_MODE and `never_tune` considered
  bool tunes() const noexcept { return mode_ == Mode::background || mode_ == Mode::tune; }
  bool lists_misses() const noexcept { return lists_misses_; }

  const RuntimeOptions options;

 private:
  Mode mode_;
  bool lists_misses_;
};

}  // namespace tuner::detail
