#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/engine/candidates/session_observer.hpp"

namespace tuner::cli {

/// Configurations finished in a second, over the last few seconds: what the ETA rests on.
class Rate {
 public:
  void add(double elapsed_s, std::uint64_t finished);
  /// 0 while it is not known.
  double per_second() const;

 private:
  std::deque<std::pair<double, std::uint64_t>> seen_;
};

/// One line without colour, cut to `width` columns: phase, count, rate, best so far, failures, ETA.
std::string progress_text(const engine::Observer::Progress& progress, double per_second, std::size_t width);

/// Draws a session's progress as one line that is redrawn, on a terminal only, and its warnings on standard error at
/// once.
class ProgressLine final : public engine::Observer {
 public:
  ProgressLine();
  ~ProgressLine() override;

  void progress(const Progress& progress) override;
  /// Progress of what has no session: seconds count from the construction.
  void count(std::string_view phase, std::size_t done, std::size_t all);
  /// What calls count() with this phase, for as long as this lives.
  std::function<void(std::size_t done, std::size_t all)> counting(std::string phase);
  void warning(const std::string& sentence) override;
  /// The warnings since the last call, each once.
  std::vector<std::string> take_warnings();
  /// Removes the line; the next progress draws it again.
  void erase();

 private:
  bool terminal_;
  std::chrono::steady_clock::time_point constructed_ = std::chrono::steady_clock::now();
  bool drawn_ = false;
  double drawn_at_s_ = -1;
  std::string drawn_phase_;
  Rate rate_;
  std::vector<std::string> warnings_;
};

}  // namespace tuner::cli
