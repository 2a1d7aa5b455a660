// What a launch writes.
#include <algorithm>
#include <iterator>
#include <set>

#include "tuner/engine/replay/replayer.hpp"

namespace tuner::engine {
namespace {

/// Each request over patterns restores and compares all memory that may be written: so many pieces at most in all of
/// these requests, which takes half a minute. All of 360 pieces are looked at, and 36 of 3,600.
constexpr std::size_t kMostPieces = std::size_t{1} << 17;

}  // namespace

void Replayer::find_written() {
  Positions unchanged;
  const std::set<std::string> constants = constants_of(request_.folder, launch_);
  for (std::size_t memory = 0; memory < map_.size(); ++memory) {
    MemoryFacts& facts = result_.memories[memory];
    if (!facts.replayed.is_reached) continue;
    facts.use = MemoryUse::in;
    if (map_[memory].before != map_[memory].after || facts.replayed.different > 0) {
      written_.push_back(memory);
    } else if (facts.replayed.can_be_read_only) {
      unchanged.push_back(memory);
    } else if (!constants.contains(map_[memory].name)) {
      facts.is_certain = false;
      uncertain_.push_back(memory);
    }
  }
  request_.may_fault = true;
  request_.written = written_;
  // A worker is lost over each that is written, but not over one that shows it by taking another value.
  // Half of those that may be lost are left for what does not.
  std::erase_if(unchanged, [&](std::uint64_t memory) {
    return result_.workers_lost < may_be_lost_ / 2 && may_be_output(memory) && shows_writes(memory);
  });
  request_.written = written_;
  separate(unchanged);
  // What could not be protected may be written, too.
  std::ranges::copy(uncertain_, std::back_inserter(written_));
  std::ranges::sort(written_);
  request_.written = written_;
}

void Replayer::compare_written() {
  Positions left_alone;
  for (const std::uint64_t memory : written_)
    if (map_[memory].before == map_[memory].after && result_.memories[memory].replayed.different == 0)
      left_alone.push_back(memory);
  if (left_alone.empty() || result_.verdict == ReplayVerdict::not_repeatable) return;
  request_.times = kRepeats - 1;
  const DeviceReply reply = ask(request_);
  request_.times = 1;
  if (!reply.ok()) return;
  for (const std::uint64_t memory : left_alone) {
    ReplayedMemory& replayed = result_.memories[memory].replayed;
    replayed = reply.result_of<ReplayLaunch>().memories[memory];
    replayed.varies = replayed.different > 0;
    result_.verdict = std::max(result_.verdict, verdict_of(replayed, is_real(memory)));
  }
}

bool Replayer::may_be_output(std::uint64_t memory) const {
  return std::ranges::any_of(result_.memories[memory].arrays, [](const ArrayFact& array) { return array.is_mutable; });
}

bool Replayer::shows_writes(std::uint64_t memory) {
  const DeviceReply reply = ask_over_patterns(memory);
  const std::optional<PatternResult>& pattern = reply.result_of<ReplayLaunch>().pattern;
  if (!reply.ok() || !pattern || pattern->output + pattern->depends == 0) return false;
  written_.push_back(memory);
  return true;
}

DeviceReply Replayer::ask_over_patterns(std::uint64_t memory) {
  const ReplayedMemory& replayed = result_.memories[memory].replayed;
  request_.patterned = memory;
  request_.records = result_.verdict == ReplayVerdict::same_set && replayed.different > 0 ? replayed.permuted : 0;
  DeviceReply reply = ask(request_);
  request_.patterned.reset();
  return reply;
}

Outcome Replayer::outcome_without(const Positions& memories) {
  request_.read_only = memories;
  const Outcome outcome = ask(request_).outcome;
  request_.read_only.clear();
  return outcome;
}

void Replayer::separate(std::span<const std::uint64_t> memories) {
  if (memories.empty()) return;
  if (result_.workers_lost >= may_be_lost_) {
    for (const std::uint64_t memory : memories) result_.memories[memory].is_certain = false;
    uncertain_.insert(uncertain_.end(), memories.begin(), memories.end());
    return;
  }
  const Outcome outcome = outcome_without({memories.begin(), memories.end()});
  if (outcome == Outcome::ok) return;
  if (memories.size() == 1) {
    // A launch that was too slow, or was none, shows nothing, nor does a worker that ended for another reason.
    const bool is_fault = outcome == Outcome::illegal_access;
    result_.memories[memories.front()].is_certain = is_fault;
    (is_fault ? written_ : uncertain_).push_back(memories.front());
    if (is_fault) proven_.push_back(memories.front());
    return;
  }
  separate(memories.first(memories.size() / 2));
  separate(memories.subspan(memories.size() / 2));
}

bool Replayer::changes_others(std::uint64_t memory, const ReplayResult& patterned) const {
  const auto differs = [&](const ReplayedMemory& replayed, std::uint64_t other) {
    return verdict_of(replayed, is_real(other)) == ReplayVerdict::not_repeatable;
  };
  return std::ranges::any_of(written_, [&](std::uint64_t other) {
    return other != memory && differs(patterned.memories[other], other) &&
           !differs(result_.memories[other].replayed, other);
  });
}

void Replayer::look_at_written(std::uint64_t memory) {
  MemoryFacts& facts = result_.memories[memory];
  const bool is_known = facts.is_certain;
  pieces_ += written_.size();
  if (result_.workers_lost >= most_lost_ || pieces_ > kMostPieces) {
    if (is_known) facts.use = MemoryUse::inout;
    return;
  }
  const DeviceReply reply = ask_over_patterns(memory);
  if (!reply.ok()) {
    // It reads what is there: of what only may be written nothing more is known.
    if (is_known) facts.use = MemoryUse::inout;
    return;
  }
  const ReplayResult& replayed = reply.result_of<ReplayLaunch>();
  const std::optional<PatternResult>& pattern = replayed.pattern;
  if (!pattern) return;
  const bool is_proven = std::ranges::find(proven_, memory) != proven_.end();
  const bool reveals_nothing = pattern->output == 0 && pattern->depends == 0;
  // A kernel may write there what is there, or stop early over what it reads there.
  if (reveals_nothing && !is_proven) return;
  facts.is_certain = true;
  facts.pattern = pattern;
  facts.use =
      reveals_nothing || pattern->depends > 0 || changes_others(memory, replayed) ? MemoryUse::inout : MemoryUse::out;
}

}  // namespace tuner::engine
