// What the lane does to find out which fence was met.
#include <fmt/format.h>

#include <utility>

#include "tuner/engine/device/lane/lane.hpp"

namespace tuner::engine {
namespace {

/// Of requests that verify one candidate on the inputs of the search; null for others.
const Candidate* verified_candidate(const DeviceRequest& request) {
  if (const auto* reference = std::get_if<RunReference>(&request)) return &reference->candidate;
  if (const auto* screen = std::get_if<ScreenCandidate>(&request)) return &screen->candidate;
  return nullptr;
}

}  // namespace

/// False if there is nothing to be found out, or enough was.
bool DeviceProcessLane::begin_search(Pending& pending, const DeviceReply& reply) {
  const Candidate* candidate = verified_candidate(pending.request);
  if (!candidate || reply.fence_fault.empty() || !problem_ || searches_left_ == 0) return false;
  DeviceReply known = settled(pending, reply);
  --searches_left_;
  search_.emplace(
      Search{pending.ticket, std::move(known), *candidate, OverreadSearch(problem_->arguments, *candidate)});
  ask_probes();
  return true;
}

void DeviceProcessLane::ask_probes() {
  waiting_.push_front(
      {search_->ticket, ProbeFences{search_->candidate, search_->edges.probes()}, search_->reply, false});
}

/// Goes on with the search, or answers the request. What is neither a launch nor a fault leaves the request with what
/// is known without it.
void DeviceProcessLane::take_probes(const DeviceReply& reply) {
  const bool is_fault = reply.outcome == Outcome::illegal_access;
  const auto& [passed, misaligned] = reply.result_of<ProbeFences>();
  DeviceReply& known = search_->reply;
  known.launches += static_cast<int>(passed) + (is_fault ? 1 : 0);
  known.load_ms += reply.load_ms;
  known.verify_ms += reply.verify_ms;
  if (reply.ok() || is_fault) {
    search_->edges.take(passed, !is_fault ? ProbeEnd::normal : misaligned ? ProbeEnd::misaligned : ProbeEnd::fault);
    if (!search_->edges.probes().empty()) return ask_probes();
    if (const std::string found = search_->edges.found(); !found.empty()) {
      known.message = fmt::format(
          "{}: without fences it completes and changes nothing outside its outputs, with fences it ended the GPU's "
          "context: {}. {}",
          found, known.fence_fault, search_->edges.way_out());
    }
  }
  Search done = std::move(*search_);
  search_.reset();
  answer(done.ticket, std::move(done.reply));
}

/// What a worker that has the problem lacks.
void DeviceProcessLane::restore_all() {
  if (reference_) repeat_.push_back(*reference_);
  if (finalists_) repeat_.push_back(*finalists_);
}

}  // namespace tuner::engine
