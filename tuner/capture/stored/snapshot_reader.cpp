#include "tuner/capture/stored/snapshot_reader.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

namespace tuner::capture {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t kLongestText = 32 * 1024;  // of a name or a path

template <typename T>
bool take(Bytes& rest, T& value) {
  if (rest.size() < sizeof value) return false;
  std::memcpy(&value, rest.data(), sizeof value);
  rest = rest.subspan(sizeof value);
  return true;
}

bool take_text(Bytes rest, std::string& text) {
  if (rest.size() > kLongestText) return false;
  text.assign(reinterpret_cast<const char*>(rest.data()), rest.size());
  return text.find('\0') == std::string::npos;
}

bool take_fact(Bytes body, std::vector<NumberedFact>& facts) {
  NumberedFact fact;
  if (!take(body, fact) || !body.empty() || facts.size() == kMostFacts) return false;
  facts.push_back(fact);
  return true;
}

bool take_memory(Bytes body, std::vector<Memory>& memories, bool has_name) {
  FactsOfMemory facts;
  Memory memory;
  if (!take(body, facts) || !take_text(body, memory.name) || memory.name.empty() == has_name) return false;
  if (memories.size() == kMostMemories) return false;
  memory.address = facts.address;
  memory.size = facts.size;
  memory.offset = facts.offset;
  memories.push_back(std::move(memory));
  return true;
}

/// Adds what records say to a snapshot.
class SnapshotReader {
 public:
  bool add(RecordKind kind, Bytes body) {
    if ((kind == RecordKind::launch) != is_first_) return false;
    is_first_ = false;
    switch (kind) {
      case RecordKind::launch:
        return take(body, snapshot_.launch) && take_text(body, snapshot_.kernel);
      case RecordKind::parameter: {
        FactsOfParameter facts;
        if (!take(body, facts) || body.empty()) return false;
        snapshot_.parameters.push_back({facts.offset, {body.begin(), body.end()}});
        return true;
      }
      case RecordKind::attribute:
        return take_fact(body, snapshot_.attributes);
      case RecordKind::limit:
        return take_fact(body, snapshot_.limits);
      case RecordKind::launch_attribute:
        return take_fact(body, snapshot_.launch_attributes);
      case RecordKind::allocation:
        return take_memory(body, snapshot_.allocations, false);
      case RecordKind::variable:
        return take_memory(body, snapshot_.variables, true);
      case RecordKind::unstored:
        return take_memory(body, snapshot_.unstored, true);
      case RecordKind::image:
        if (body.empty() || !snapshot_.image.empty()) return false;
        snapshot_.image.assign(body.begin(), body.end());
        return true;
      case RecordKind::frame: {
        FactsOfFrame facts;
        Frame frame;
        if (!take(body, facts) || !take_text(body, frame.file) || snapshot_.frames.size() == kMostFrames) return false;
        frame.offset = facts.offset;
        snapshot_.frames.push_back(std::move(frame));
        return true;
      }
      case RecordKind::device:
        if (has_device_) return false;
        has_device_ = true;
        return take(body, snapshot_.device) && take_text(body, snapshot_.gpu);
    }
    return false;
  }

  std::optional<Snapshot> finish(std::uint64_t memory_size) && {
    if (!has_device_ || !is_possible(snapshot_)) return std::nullopt;
    std::vector<Range> in_file, in_program;
    for (const auto* memories : {&snapshot_.allocations, &snapshot_.variables}) {
      for (const Memory& memory : *memories) {
        in_file.push_back({memory.offset, memory.size});
        in_program.push_back({memory.address, memory.size});
      }
    }
    if (!are_apart(std::move(in_file), memory_size)) return std::nullopt;
    if (!are_apart(std::move(in_program), std::numeric_limits<std::uint64_t>::max())) return std::nullopt;
    // The library found them in any order.
    for (auto* memories : {&snapshot_.allocations, &snapshot_.unstored})
      std::ranges::sort(*memories, {}, &Memory::address);
    return std::move(snapshot_);
  }

 private:
  Snapshot snapshot_;
  bool is_first_ = true, has_device_ = false;
};

}  // namespace

std::optional<Snapshot> read_snapshot(Bytes records, std::uint64_t memory_size) {
  SnapshotReader reader;
  for (Bytes rest = records; !rest.empty();) {
    RecordHead head;
    if (!take(rest, head) || head.size > rest.size() || !reader.add(head.kind, rest.first(head.size)))
      return std::nullopt;
    rest = rest.subspan(head.size);
  }
  return std::move(reader).finish(memory_size);
}

}  // namespace tuner::capture
