#include "tuner/engine/candidates/compile_session.hpp"

#include <utility>

#include "tuner/engine/lanes/ticket.hpp"
#include "tuner/engine/lanes/wait.hpp"

namespace tuner::engine {

void CompileSession::submit(CompileRequest request, Take take) {
  const TicketId ticket = new_ticket();
  waiting_.emplace(ticket, std::move(take));
  lane_.submit(ticket, std::move(request));
}

bool CompileSession::poll() {
  std::vector<CompileLane::Completion> completions = lane_.poll();
  for (auto& [ticket, reply] : completions) {
    const auto asked = waiting_.extract(ticket);
    if (asked.empty()) continue;
    if (!reply.toolkit.empty()) toolkit_ = reply.toolkit;
    asked.mapped()(std::move(reply));
  }
  return !completions.empty();
}

void CompileSession::give_up() {
  for (const auto& [ticket, take] : std::exchange(waiting_, {})) lane_.cancel(ticket);
}

std::vector<CompileReply> CompileSession::compile(std::vector<CompileRequest> requests) {
  std::vector<CompileReply> replies(requests.size());
  std::size_t next = 0;
  while ((next < requests.size() || !idle()) && !stop_) {
    for (; next < requests.size() && room() > 0; ++next) {
      submit(std::move(requests[next]), [&reply = replies[next]](CompileReply answer) { reply = std::move(answer); });
    }
    poll();
    journal_.flush_if_due();
    if (!idle()) wait_for(journal_.wake_at(), lane_);
  }
  give_up();
  return replies;
}

}  // namespace tuner::engine
