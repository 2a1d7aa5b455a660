#pragma once

#include <atomic>

#include "tuner/engine/lanes/lane.hpp"

namespace tuner::engine {

/// Unique in the process, because lanes outlive sessions and must never see a ticket twice. Any thread.
inline TicketId new_ticket() {
  static std::atomic<TicketId> last{0};
  return ++last;
}

}  // namespace tuner::engine
