#include "tuner/engine/replay/replayer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/text.hpp"

namespace tuner::engine {

using capture::StoredLaunch;

ReplayVerdict verdict_of(const ReplayedMemory& memory, bool is_real) {
  if (memory.is_missing) return ReplayVerdict::not_repeatable;
  if (memory.different == 0) return ReplayVerdict::exact;
  if (is_real && memory.is_within_tolerance) return ReplayVerdict::close;
  return memory.permuted > 1 ? ReplayVerdict::same_set : ReplayVerdict::not_repeatable;
}

Replayer::Replayer(ReplayWorkers& workers, const StoredLaunch& launch, ReplayLaunch request)
    : workers_(workers), launch_(launch), map_(launch), request_(std::move(request)) {
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

ReplayedLaunch Replayer::run() {
  if (!repeat()) return std::move(result_);
  if (const std::string missing = missing_memory(); !missing.empty()) {
    result_.reason = fmt::format("The driver does not give the addresses of {}.", missing);
    return std::move(result_);
  }
  may_be_lost_ = losses_allowed();
  find_written();
  compare_written();
  most_lost_ = result_.workers_lost + may_be_lost_;
  for (const bool is_known : {true, false})
    for (const std::uint64_t memory : written_)
      if (result_.memories[memory].is_certain == is_known) look_at_written(memory);
  const auto is_written = [](const MemoryFacts& facts) {
    return facts.use == MemoryUse::out || facts.use == MemoryUse::inout;
  };
  if (result_.verdict != ReplayVerdict::exact) {
    result_.reason = why_not_exact();
  } else if (std::ranges::none_of(result_.memories, is_written)) {
    result_.reason = "It writes nothing that was stored, so there was nothing to compare.";
  }
  return std::move(result_);
}

DeviceReply Replayer::ask(const ReplayLaunch& request) {
  std::optional<DeviceReply> reply = workers_.ask(request);
  if (!reply) throw Stopped{};
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

bool Replayer::is_real(std::size_t memory) const {
  return request_.elements[memory] && tuner::is_real(*request_.elements[memory]);
}

void Replayer::judge(const ReplayResult& replayed) {
  result_.verdict = ReplayVerdict::exact;
  for (std::size_t memory = 0; memory < map_.size(); ++memory) {
    result_.memories[memory].replayed = replayed.memories[memory];
    result_.verdict = std::max(result_.verdict, verdict_of(replayed.memories[memory], is_real(memory)));
  }
}

std::vector<std::uint64_t> Replayer::missing_addresses(const DeviceReply& reply) const {
  std::vector<std::uint64_t> addresses;
  if (!reply.ok()) return addresses;
  const std::vector<ReplayedMemory>& memories = reply.result_of<ReplayLaunch>().memories;
  for (std::size_t memory = 0; memory < memories.size(); ++memory)
    if (memories[memory].is_missing) addresses.push_back(map_[memory].address);
  return addresses;
}

DeviceReply Replayer::ask_where_addresses_are() {
  constexpr std::size_t kMostPaddings = 3;
  DeviceReply reply = ask(request_);
  if (missing_addresses(reply).empty()) return reply;
  const std::uint64_t unpadded = reply.result_of<ReplayLaunch>().first_address + workers_.padding();
  const std::vector<std::uint64_t> paddings = possible_paddings(unpadded, missing_addresses(reply));
  for (std::size_t i = 0; i < std::min(paddings.size(), kMostPaddings) && !missing_addresses(reply).empty(); ++i) {
    workers_.pad_addresses(paddings[i]);
    reply = ask(request_);
  }
  return reply;
}

bool Replayer::lacks_changed() const {
  for (std::size_t memory = 0; memory < map_.size(); ++memory)
    if (!result_.memories[memory].replayed.is_reached && map_[memory].before != map_[memory].after) return true;
  return false;
}

bool Replayer::repeat() {
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

int Replayer::losses_allowed() const {
  std::uint64_t bytes = 1;
  for (std::size_t memory = 0; memory < map_.size(); ++memory) {
    if (!result_.memories[memory].replayed.is_reached) continue;
    bytes += map_[memory].before.size + (map_[memory].before == map_[memory].after ? 0 : map_[memory].after.size);
  }
  return static_cast<int>(std::clamp<std::uint64_t>(kMostLoadedAgain / bytes, kFewestLost, kMostLost));
}

std::string Replayer::name_of(std::uint64_t memory) const {
  return map_.is_variable(memory) ? fmt::format("variable {}", memory - launch_.allocations.size() + 1)
                                  : fmt::format("allocation {}", memory + 1);
}

std::string Replayer::missing_memory() {
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

std::string Replayer::why_not_exact() {
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
  const std::string unsteady = why_unsteady(request_.folder, launch_);
  if (!unsteady.empty() && (varies || unsteady.find("clock") != std::string::npos))
    return fmt::format("{}; {}.", differ, unsteady);
  if (varies) return fmt::format("{}; launches differ among themselves, as where threads race.", differ);
  return fmt::format("{}; launches agree among themselves, so it may depend on something that was not captured.",
                     differ);
}

}  // namespace tuner::engine
