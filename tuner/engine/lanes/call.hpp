#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <type_traits>
#include <utility>

#include "tuner/engine/lanes/lane.hpp"
#include "tuner/engine/lanes/ticket.hpp"
#include "tuner/engine/lanes/wait.hpp"

namespace tuner::engine {

/// Submits the request and waits for its answer; answers to others that come meanwhile are dropped. Before each wait
/// `pause` says until when to look again at the latest, or, with nothing, that the answer is given up: so does this
/// then, and the request is cancelled.
template <typename Request, typename Reply, typename Pause>
std::optional<Reply> call_until(Lane<Request, Reply>& lane, std::type_identity_t<Request> request, Pause pause) {
  const TicketId ticket = new_ticket();
  lane.submit(ticket, std::move(request));
  for (;;) {
    for (auto& completion : lane.poll()) {
      if (completion.ticket == ticket) return std::move(completion.reply);
    }
    const std::optional<std::chrono::steady_clock::time_point> until = pause();
    if (!until) break;
    wait_for(*until, lane);
  }
  lane.cancel(ticket);
  return std::nullopt;
}

/// The same until `stop` is set, at which it looks ten times a second.
template <typename Request, typename Reply>
std::optional<Reply> call(Lane<Request, Reply>& lane, std::type_identity_t<Request> request,
                          const std::atomic<bool>& stop) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kGlance{100};
  return call_until(lane, std::move(request), [&]() -> std::optional<Clock::time_point> {
    if (stop) return std::nullopt;
    return Clock::now() + kGlance;
  });
}

/// The same for however long it takes.
template <typename Request, typename Reply>
Reply call(Lane<Request, Reply>& lane, std::type_identity_t<Request> request) {
  return *call(lane, std::move(request), std::atomic<bool>(false));
}

}  // namespace tuner::engine
