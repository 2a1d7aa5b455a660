#include "tuner/engine/replay/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "tuner/capture/stored/reach.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/engine/lanes/call.hpp"
#include "tuner/engine/replay/launch_facts.hpp"

namespace tuner::engine {
namespace {

using capture::MemoryMap;
using capture::StoredLaunch;
using Positions = std::vector<std::uint64_t>;

constexpr int kRepeats = 5;
/// Workers that may be lost over finding out which memory is written, and as many again over what is written there.
constexpr int kMostLost = 12;
/// Each request over patterns restores and compares all memory that may be written: so many pieces at most in all of
/// these requests, which takes half a minute. All of 360 pieces are looked at, and 36 of 3,600.
constexpr std::size_t kMostPieces = std::size_t{1} << 17;

struct Interrupted {};

ReplayVerdict verdict_of(const ReplayedMemory& memory, bool is_real) {
  if (memory.is_missing) return ReplayVerdict::not_repeatable;
  if (memory.different == 0) return ReplayVerdict::exact;
  if (is_real && memory.is_within_tolerance) return ReplayVerdict::close;
  return memory.permuted > 1 ? ReplayVerdict::same_set : ReplayVerdict::not_repeatable;
}

}  // namespace

/// One launch.
class Replayer {
 public:
  Replayer(Replays& place, std::size_t position)
      : place_(place), launch_(place.capture_.launches.at(position)), map_(launch_) {
    request_.folder = place.folder_.string();
    request_.launch = position;
    request_.launch_timeout = place.options_.launch_timeout;
    result_.memories.resize(map_.size());
    const auto arrays = arrays_of(launch_, map_);
    request_.elements.resize(map_.size());
    for (std::size_t memory = 0; memory < map_.size(); ++memory) {
      result_.memories[memory].arrays = arrays[memory];
      // Of an allocation that holds several arrays, only one type can be told.
      if (!arrays[memory].empty() && std::ranges::all_of(arrays[memory], [&](const ArrayFact& array) {
            return array.element == arrays[memory].front().element;
          }))
        request_.elements[memory] = arrays[memory].front().element;
    }
  }

  ReplayedLaunch run() {
    if (!repeat()) return std::move(result_);
    if (const std::string missing = missing_memory(); !missing.empty()) {
      result_.reason = fmt::format("The driver does not give the addresses of {}.", missing);
      return std::move(result_);
    }
    find_written();
    compare_written();
    most_lost_ = result_.workers_lost + kMostLost;
    for (const bool is_known : {true, false})
      for (const std::uint64_t memory : written_)
        if (result_.memories[memory].is_certain == is_known) look_at_written(memory);
    if (result_.verdict != ReplayVerdict::exact) result_.reason = why_not_exact();
    return std::move(result_);
  }

 private:
  DeviceReply ask(const ReplayLaunch& request) {
    std::optional<DeviceReply> reply = call(*place_.lane_, request, place_.stop_);
    if (!reply) throw Interrupted{};
    if (reply->outcome == Outcome::illegal_access || reply->outcome == Outcome::run_timeout ||
        reply->outcome == Outcome::worker_lost)
      ++result_.workers_lost;
    if (!reply->ok()) return std::move(*reply);
    const auto refuse = [&](const char* why) { *reply = {.outcome = Outcome::launch_refused, .message = why}; };
    const std::vector<ReplayedMemory>& memories = reply->result_of<ReplayLaunch>().memories;
    // The worker reads the folder by itself, and somebody may have changed it since.
    if (memories.size() != map_.size()) {
      refuse("The capture has changed meanwhile.");
    } else if (request.may_fault && std::ranges::any_of(memories, &ReplayedMemory::is_missing)) {
      // It launched nothing, which would pass for a launch that writes nothing.
      refuse("The driver gives other addresses to another worker.");
    }
    return std::move(*reply);
  }

  bool is_real(std::size_t memory) const {
    return request_.elements[memory] && tuner::is_real(*request_.elements[memory]);
  }

  void judge(const ReplayResult& replayed) {
    result_.verdict = ReplayVerdict::exact;
    for (std::size_t memory = 0; memory < map_.size(); ++memory) {
      result_.memories[memory].replayed = replayed.memories[memory];
      result_.verdict = std::max(result_.verdict, verdict_of(replayed.memories[memory], is_real(memory)));
    }
  }

  std::vector<std::uint64_t> missing_addresses(const DeviceReply& reply) const {
    std::vector<std::uint64_t> addresses;
    if (!reply.ok()) return addresses;
    const std::vector<ReplayedMemory>& memories = reply.result_of<ReplayLaunch>().memories;
    for (std::size_t memory = 0; memory < memories.size(); ++memory)
      if (memories[memory].is_missing) addresses.push_back(map_[memory].address);
    return addresses;
  }

  /// Asks, and where addresses are missing asks workers in which the driver may give them.
  DeviceReply ask_where_addresses_are() {
    constexpr std::size_t kMostPaddings = 3;
    DeviceReply reply = ask(request_);
    if (missing_addresses(reply).empty()) return reply;
    const std::uint64_t unpadded = reply.result_of<ReplayLaunch>().first_address + place_.padding_;
    const std::vector<std::uint64_t> paddings = possible_paddings(unpadded, missing_addresses(reply));
    for (std::size_t i = 0; i < std::min(paddings.size(), kMostPaddings) && !missing_addresses(reply).empty(); ++i) {
      place_.pad_addresses(paddings[i]);
      reply = ask(request_);
    }
    return reply;
  }

  /// Whether the program's launch changed memory to which no address leads, perhaps over a pointer in another form. A
  /// launch without it may find something else at that address.
  bool lacks_changed() const {
    for (std::size_t memory = 0; memory < map_.size(); ++memory)
      if (!result_.memories[memory].replayed.is_reached && map_[memory].before != map_[memory].after) return true;
    return false;
  }

  /// As captured: where there is room at first, and where everything lay if that does something else, or less.
  bool repeat() {
    request_.times = kRepeats;
    DeviceReply reply = ask_where_addresses_are();
    if (reply.ok()) judge(reply.result_of<ReplayLaunch>());
    const bool is_less = reply.ok() && lacks_changed();
    if (!reply.ok() || result_.verdict == ReplayVerdict::not_repeatable || is_less) {
      request_.at_own_addresses = true;
      DeviceReply own = ask_where_addresses_are();
      const ReplayedLaunch elsewhere = result_;
      if (own.ok()) judge(own.result_of<ReplayLaunch>());
      const bool is_better = own.ok() && (!reply.ok() || result_.verdict < elsewhere.verdict ||
                                          (is_less && result_.verdict == elsewhere.verdict));
      if (is_better) {
        reply = std::move(own);
      } else {
        request_.at_own_addresses = false;
        result_ = elsewhere;
      }
    }
    result_.at_own_addresses = request_.at_own_addresses;
    if (!reply.ok()) result_.reason = reply.message;
    request_.times = 1;
    return reply.ok();
  }

  std::string name_of(std::uint64_t memory) const {
    return map_.is_variable(memory) ? fmt::format("variable {}", memory - launch_.allocations.size() + 1)
                                    : fmt::format("allocation {}", memory + 1);
  }

  /// What could not be placed, so that nothing was launched. The uses of all are what the program's launch shows.
  std::string missing_memory() {
    std::string missing;
    for (std::size_t memory = 0; memory < map_.size(); ++memory)
      if (result_.memories[memory].replayed.is_missing)
        missing += fmt::format("{}{}", missing.empty() ? "" : ", ", name_of(memory));
    if (missing.empty()) return missing;
    for (std::size_t memory = 0; memory < map_.size(); ++memory) {
      MemoryFacts& facts = result_.memories[memory];
      if (!facts.replayed.is_reached) continue;
      facts.use = map_[memory].before == map_[memory].after ? MemoryUse::in : MemoryUse::inout;
      facts.is_certain = false;
    }
    return missing;
  }

  // ---- What it writes ----

  void find_written() {
    Positions unchanged;
    const std::set<std::string> constants = constants_of(place_.folder_, launch_);
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
      return result_.workers_lost < kMostLost / 2 && may_be_output(memory) && shows_writes(memory);
    });
    request_.written = written_;
    separate(unchanged);
    // What could not be protected may be written, too.
    std::ranges::copy(uncertain_, std::back_inserter(written_));
    std::ranges::sort(written_);
    request_.written = written_;
  }

  /// Five launches count, and what the first one left alone was not compared after the others: it is most of the
  /// memory. Now it is known which of it they may change.
  void compare_written() {
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

  /// By the kernel's name, as far as it has types: not through a pointer to const alone.
  bool may_be_output(std::uint64_t memory) const {
    return std::ranges::any_of(result_.memories[memory].arrays,
                               [](const ArrayFact& array) { return array.is_mutable; });
  }

  bool shows_writes(std::uint64_t memory) {
    const DeviceReply reply = ask_over_patterns(memory);
    const std::optional<PatternResult>& pattern = reply.result_of<ReplayLaunch>().pattern;
    if (!reply.ok() || !pattern || pattern->output + pattern->depends == 0) return false;
    written_.push_back(memory);
    return true;
  }

  DeviceReply ask_over_patterns(std::uint64_t memory) {
    const ReplayedMemory& replayed = result_.memories[memory].replayed;
    request_.patterned = memory;
    request_.records = result_.verdict == ReplayVerdict::same_set && replayed.different > 0 ? replayed.permuted : 0;
    DeviceReply reply = ask(request_);
    request_.patterned.reset();
    return reply;
  }

  /// What becomes of a launch while nothing can be written there.
  Outcome outcome_without(const Positions& memories) {
    request_.read_only = memories;
    const Outcome outcome = ask(request_).outcome;
    request_.read_only.clear();
    return outcome;
  }

  void separate(std::span<const std::uint64_t> memories) {
    if (memories.empty()) return;
    if (result_.workers_lost >= kMostLost) {
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

  /// Whether other memory is not what it is without the pattern, which then is read. What differs anyway says nothing.
  bool changes_others(std::uint64_t memory, const ReplayResult& patterned) const {
    const auto differs = [&](const ReplayedMemory& replayed, std::uint64_t other) {
      return verdict_of(replayed, is_real(other)) == ReplayVerdict::not_repeatable;
    };
    return std::ranges::any_of(written_, [&](std::uint64_t other) {
      return other != memory && differs(patterned.memories[other], other) &&
             !differs(result_.memories[other].replayed, other);
    });
  }

  void look_at_written(std::uint64_t memory) {
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

  // ---- Why not exact ----

  std::string why_not_exact() {
    std::string unlike;
    bool varies = false;
    std::string others;
    for (std::size_t memory = 0; memory < map_.size(); ++memory) {
      const ReplayedMemory& replayed = result_.memories[memory].replayed;
      if (replayed.different == 0) continue;
      varies = varies || replayed.varies;
      unlike += fmt::format("{}{} of {} bytes of {}", unlike.empty() ? "" : ", ", grouped(replayed.different),
                            grouped(map_[memory].before.size), name_of(memory));
      // What the program's launch did not change is different only if the kernel writes there.
      const bool may_be_anothers = result_.verdict == ReplayVerdict::not_repeatable && replayed.can_be_read_only &&
                                   map_[memory].before != map_[memory].after && result_.workers_lost < most_lost_;
      if (may_be_anothers && outcome_without({memory}) == Outcome::ok) {
        result_.memories[memory].use = MemoryUse::in;
        result_.memories[memory].pattern.reset();
        others += fmt::format("{}{}", others.empty() ? "" : ", ", name_of(memory));
      }
    }
    const std::string differ = fmt::format("Different: {}", unlike);
    if (result_.verdict == ReplayVerdict::same_set) return fmt::format("{}, in the order of records.", differ);
    if (result_.verdict == ReplayVerdict::close) return fmt::format("{}, each element within its tolerance.", differ);
    if (!others.empty())
      return fmt::format("{}; the kernel writes nothing to {}, so another stream may have.", differ, others);
    const std::string unsteady = why_unsteady(place_.folder_, launch_);
    if (!unsteady.empty() && (varies || unsteady.find("clock") != std::string::npos))
      return fmt::format("{}; {}.", differ, unsteady);
    if (varies) return fmt::format("{}; launches differ among themselves, as where threads race.", differ);
    return fmt::format("{}; launches agree among themselves, so it may depend on something that was not captured.",
                       differ);
  }

  Replays& place_;
  const StoredLaunch& launch_;
  const MemoryMap map_;
  ReplayLaunch request_;
  ReplayedLaunch result_;
  Positions written_, proven_, uncertain_;
  int most_lost_ = 0;       ///< workers, when no more patterns are tried
  std::size_t pieces_ = 0;  ///< of memory in requests over patterns
};

std::string_view to_string(ReplayVerdict verdict) {
  switch (verdict) {
    case ReplayVerdict::exact:
      return "exact";
    case ReplayVerdict::close:
      return "close";
    case ReplayVerdict::same_set:
      return "same set";
    case ReplayVerdict::not_repeatable:
      return "not repeatable";
    case ReplayVerdict::not_run:
      break;
  }
  return "not run";
}

std::string_view to_string(MemoryUse use) {
  switch (use) {
    case MemoryUse::in:
      return "in";
    case MemoryUse::out:
      return "out";
    case MemoryUse::inout:
      return "inout";
    case MemoryUse::unreached:
      break;
  }
  return "not reached";
}

std::vector<std::uint64_t> possible_paddings(std::uint64_t first_address, const std::vector<std::uint64_t>& missing) {
  // Seen on an H200, driver 580: where a program's memory begins differs by multiples of this.
  constexpr std::uint64_t kStep = std::uint64_t{32} << 20, kMost = std::uint64_t{64} << 30,
                          kGranule = std::uint64_t{2} << 20;
  std::vector<std::uint64_t> paddings;
  for (const std::uint64_t address : missing) {
    const std::uint64_t begin = address / kGranule * kGranule, padding = first_address - begin;
    const bool is_possible = begin < first_address && padding <= kMost && padding % kStep == 0;
    if (is_possible && std::ranges::find(paddings, padding) == paddings.end()) paddings.push_back(padding);
  }
  std::ranges::sort(paddings);
  return paddings;
}

Replays::Replays(MakeReplayLane make_lane, std::filesystem::path folder, const capture::Capture& capture,
                 const ReplayOptions& options, const std::atomic<bool>& stop)
    : make_lane_(std::move(make_lane)),
      folder_(std::move(folder)),
      capture_(capture),
      options_(options),
      stop_(stop),
      lane_(make_lane_(0)) {}

void Replays::pad_addresses(std::uint64_t padding) {
  lane_.reset();  // what it has mapped is needed
  padding_ = padding;
  lane_ = make_lane_(padding);
}

std::optional<ReplayedLaunch> Replays::run(std::size_t position) {
  try {
    return Replayer(*this, position).run();
  } catch (const Interrupted&) {
    return std::nullopt;
  }
}

}  // namespace tuner::engine
