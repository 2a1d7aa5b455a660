#include "tuner/engine/compile/shared_binaries.hpp"

#include <iterator>
#include <string>
#include <utility>

namespace tuner::engine {

namespace {

/// Of everything that the answer depends on.
cache::Hash program_of(const CompileRequest& request) {
  std::string lists = request.front_end_only ? "front end" : request.keeps_ptx ? "all and PTX" : "all";
  const auto add = [&](const std::string& text) { lists += cache::content_hash(text).text; };
  for (const std::string& option : request.options) add(option);
  lists += '|';
  for (const Header& header : request.headers) {
    add(header.name);
    add(header.text);
  }
  return cache::content_hash({request.source, request.file_name, request.name_expression, request.architecture, lists});
}

bool is_certain(const CompileReply& reply) {
  return reply.outcome == Outcome::ok || reply.outcome == Outcome::compile_error;
}

}  // namespace

void SharedBinaries::submit(TicketId ticket, CompileRequest request) {
  const cache::Hash program = program_of(request);
  const auto found = known_.find(program);
  if (found != known_.end()) {
    ++answered_at_once_;
    ready_.push_back({ticket, found->second});
    return;
  }
  const auto [waiting, is_new] = waiting_.try_emplace(program);
  if (!is_new) {
    waiting->second.push_back({ticket, std::move(request)});
    return;
  }
  under_way_.emplace(ticket, program);
  lane_.submit(ticket, std::move(request));
}

void SharedBinaries::cancel(TicketId ticket) {
  for (auto& [program, all] : waiting_) {
    for (Waiting& one : all) one.cancelled = one.cancelled || one.ticket == ticket;
  }
  lane_.cancel(ticket);
}

std::vector<CompileLane::Completion> SharedBinaries::poll() {
  std::vector<Completion> compiled = lane_.poll();
  for (const auto& [ticket, reply] : compiled) {
    const auto asked = under_way_.extract(ticket);
    if (!asked) continue;
    remember(asked.mapped(), reply);
    answer_waiting(asked.mapped(), reply);
  }
  std::vector<Completion> completions = std::exchange(ready_, {});
  std::move(compiled.begin(), compiled.end(), std::back_inserter(completions));
  return completions;
}

void SharedBinaries::remember(const cache::Hash& program, const CompileReply& reply) {
  if (!is_certain(reply)) return;
  const auto [kept, is_new] = known_.emplace(program, reply);
  if (!is_new) return;
  kept->second.milliseconds = 0;  // nobody works on it again
  oldest_first_.push_back(program);
  bytes_ += reply.cubin.bytes.size();
  while (bytes_ > most_bytes_ && oldest_first_.size() > 1) {
    const auto oldest = known_.extract(oldest_first_.front());
    bytes_ -= oldest.mapped().cubin.bytes.size();
    oldest_first_.pop_front();
  }
}

/// What is certain is remembered, and so answered at once. After what may have been a fluke they are compiled after
/// all, again by one for all.
void SharedBinaries::answer_waiting(const cache::Hash& program, const CompileReply& reply) {
  const auto waiting = waiting_.extract(program);
  for (Waiting& one : waiting.mapped()) {
    if (one.cancelled && !is_certain(reply)) {
      ready_.push_back({one.ticket, reply});
    } else {
      submit(one.ticket, std::move(one.request));
    }
  }
}

std::chrono::steady_clock::time_point SharedBinaries::next_deadline() const {
  return ready_.empty() ? lane_.next_deadline() : std::chrono::steady_clock::now();
}

}  // namespace tuner::engine
