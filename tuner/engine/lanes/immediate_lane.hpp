#pragma once

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "tuner/engine/lanes/lane.hpp"

namespace tuner::engine {

/// A lane that has the answer when it is asked, without work elsewhere: a recording, a fake. `Base`: a Lane, or an
/// interface derived from one.
template <typename Base>
class ImmediateLane : public Base {
 public:
  using typename Base::Completion;
  using Time = std::chrono::steady_clock::time_point;

  /// `room`: how many requests are taken before the next poll.
  explicit ImmediateLane(std::size_t room) : room_(room) {}

  std::vector<Completion> poll() override { return std::exchange(answered_, {}); }
  void cancel(TicketId) override {}
  std::size_t room() const override { return room_ - std::min(room_, answered_.size()); }
  std::vector<int> wait_fds() const override { return {}; }
  Time next_deadline() const override { return answered_.empty() ? Time::max() : Time::min(); }

 protected:
  std::vector<Completion> answered_;  ///< since the last poll

 private:
  std::size_t room_;
};

}  // namespace tuner::engine
