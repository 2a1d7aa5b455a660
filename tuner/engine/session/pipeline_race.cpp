// What the race needs of a pipeline whose search is over.
#include <fmt/format.h>

#include <algorithm>

#include "tuner/engine/lanes/wait.hpp"
#include "tuner/engine/session/candidate_request.hpp"
#include "tuner/engine/session/pipeline.hpp"

namespace tuner::engine {

DeviceReply Pipeline::call(DeviceRequest request) {
  const TicketId ticket = new_ticket();
  parts_.device.submit(ticket, std::move(request));
  for (;;) {
    for (auto& completion : parts_.device.poll()) {
      if (completion.ticket == ticket) return std::move(completion.reply);
    }
    log_.flush_if_due();
    // Not for the compile lane: nobody polls it now, and what it has to say can wait.
    wait_for(std::min(log_.next_deadline(), Clock::now() + kHeartbeat), parts_.device);
  }
}

DeviceReply Pipeline::prepare_for(const Task& other) {
  elsewhere_ = true;
  const DeviceReply reply = call(problem_of(other));
  if (reply.outcome == Outcome::ok) note_neighbours(reply);
  return reply;
}

void Pipeline::return_to_task() {
  if (!elsewhere_) return;
  DeviceReply reply = prepare_for(task_);
  if (reply.outcome == Outcome::ok) {
    reply = call(RunReference{*reference(), reference_policy()});
  }
  if (reply.outcome != Outcome::ok) {
    throw Error(Errc::device_lost, fmt::format("The problem {} cannot be set up on {} again: {} Trials are stored.",
                                               problem_text(task_.problem()), task_.device().name, reply.message));
  }
  elsewhere_ = false;
}

std::vector<CompileReply> Pipeline::compile(std::vector<CompileRequest> requests) {
  std::vector<CompileReply> replies(requests.size());
  std::map<TicketId, std::size_t> waiting;
  std::size_t next = 0;
  while ((next < requests.size() || !waiting.empty()) && !parts_.stop) {
    for (; next < requests.size() && parts_.compile.room() > 0; ++next) {
      const TicketId ticket = new_ticket();
      waiting[ticket] = next;
      parts_.compile.submit(ticket, std::move(requests[next]));
    }
    for (auto& completion : parts_.compile.poll()) {
      const auto found = waiting.find(completion.ticket);
      if (found == waiting.end()) continue;
      replies[found->second] = std::move(completion.reply);
      waiting.erase(found);
    }
    log_.flush_if_due();
    if (!waiting.empty()) wait_for(std::min(log_.next_deadline(), Clock::now() + kHeartbeat), parts_.compile);
  }
  for (const auto& [ticket, position] : waiting) {
    given_up_.insert(ticket);
    parts_.compile.cancel(ticket);
  }
  return replies;
}

bool Pipeline::bring_binaries(const std::vector<std::size_t>& entries) {
  return_to_task();
  std::vector<std::size_t> missing;
  std::vector<CompileRequest> requests;
  for (const std::size_t entry : entries) {
    const std::size_t original = candidates_.original(entry);
    if (candidates_.has_binary(original) || std::count(missing.begin(), missing.end(), original) > 0) continue;
    missing.push_back(original);
    requests.push_back(candidates_.request(original));
  }
  std::vector<CompileReply> replies = compile(std::move(requests));
  if (parts_.stop) return true;
  bool all_there = true;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    CompileReply& reply = replies[i];
    if (candidates_.restore_binary(missing[i], reply)) continue;
    all_there = false;
    const std::vector<std::size_t> reopened = candidates_.reopen(missing[i]);
    for (const std::size_t entry : reopened) {
      std::erase_if(contenders_, [&](const auto& contender) { return contender.second == entry; });
    }
    for (const std::size_t entry : reopened) {
      if (entry == missing[i]) {
        take_binary(entry, std::move(reply));
      } else {
        submit_compile(entry, candidates_.request(entry));
      }
    }
  }
  if (all_there) return true;
  run_until_finished();
  return false;
}

void Pipeline::record_late_failure(std::size_t entry, const DeviceReply& reply) {
  quarantine_if_confirmed(entry, reply);
  // What its binary did, all did that share it. It is one failure, whoever of them spoke for the others.
  for (const std::size_t twin : candidates_.twins(entry)) {
    if (!candidates_[twin].finished) continue;
    cache::Trial trial = candidates_[twin].trial;
    trial.outcome = reply.outcome;
    trial.message = "after it had been timed: " + reply.message;
    trial.time_ns.reset();
    trial.samples_ns.clear();
    log_.add(trial);
    parts_.observer.trial(trial);
    note_failure(trial);
  }
}

std::optional<std::size_t> Pipeline::raceable(std::optional<std::size_t> entry) const {
  if (!entry || !candidates_[*entry].finished || candidates_[*entry].trial.outcome != Outcome::ok) return std::nullopt;
  return candidates_.original(*entry);
}

std::optional<Candidate> Pipeline::reference() const {
  if (!baseline_ || replay_) return std::nullopt;
  if (!reference_kernel_) return candidates_.candidate(*baseline_);
  return reference_candidate(task_, candidates_[*baseline_].configuration, *reference_kernel_);
}

}  // namespace tuner::engine
