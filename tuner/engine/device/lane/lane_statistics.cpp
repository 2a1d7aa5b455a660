#include "tuner/engine/device/lane/lane_statistics.hpp"

namespace tuner::engine {

std::string_view to_string(LossCause cause) {
  switch (cause) {
    case LossCause::fault:
      return "fault";
    case LossCause::hang:
      return "hang";
    case LossCause::ended:
      return "ended";
    case LossCause::mute:
      return "mute";
  }
  return "unknown";
}

void StateClock::set(State state) {
  const auto now = Clock::now();
  passed_[static_cast<int>(state_)] += now - since_;
  since_ = now;
  state_ = state;
}

void StateClock::add_to(DeviceLaneStatistics& statistics) const {
  StateClock until_now = *this;
  until_now.set(state_);
  const auto seconds = [&](State state) {
    return std::chrono::duration<double>(until_now.passed_[static_cast<int>(state)]).count();
  };
  statistics.busy_s += seconds(State::busy);
  statistics.recovering_s += seconds(State::recovering);
  statistics.idle_s += seconds(State::idle);
}

}  // namespace tuner::engine
