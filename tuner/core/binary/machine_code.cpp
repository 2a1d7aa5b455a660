#include "tuner/core/binary/machine_code.hpp"

#include <algorithm>
#include <deque>
#include <vector>

#include "tuner/core/binary/cubin.hpp"
#include "tuner/core/binary/loops.hpp"

namespace tuner {
namespace {

constexpr std::array<int, 4> kBits{16, 32, 64, 128};

using Code = std::span<const Instruction>;

Code part_of(Code code, const CodeLoop& loop) {
  return code.subspan(loop.first, loop.last - loop.first + 1);
}

GlobalLoads loads_in(Code code) {
  GlobalLoads loads;
  for (const Instruction& one : code) {
    if (one.is_load()) ++loads.to_registers[one.width()];
    if (one.is_copy()) ++loads.to_shared[one.width()];
  }
  return loads;
}

int waits_in(Code body) {
  // The second turn is one like all others: it meets what the turn before has left under way.
  unsigned fresh = 0;  // counters of loads asked for since the latest wait
  int waits = 0;
  for (int turn = 0; turn < 2; ++turn) {
    waits = 0;
    for (const Instruction& one : body) {
      if ((one.awaited() & fresh) != 0) {
        ++waits;
        fresh = 0;
      }
      if (one.is_load() && one.counter() != Instruction::kNoCounter) fresh |= 1u << one.counter();
    }
  }
  return waits;
}

/// Follows loads from where they are asked for to where they are awaited.
class Flight {
 public:
  void meet(const Instruction& one) {
    for (std::size_t counter = 0; counter < by_counter_.size(); ++counter) {
      if ((one.awaited() >> counter & 1) != 0) by_counter_[counter] = {};
    }
    const int bytes = kBits[one.width()] / 8;
    if (one.is_load() && one.counter() < static_cast<int>(by_counter_.size())) add(by_counter_[one.counter()], bytes);
    if (one.is_copy()) add(open_group_, bytes);
    if (one.ends_copy_group()) {
      groups_.push_back(open_group_);
      open_group_ = {};
    }
    while (one.awaits_copy_groups() && static_cast<int>(groups_.size()) > one.groups_left()) groups_.pop_front();
    UnderWay now = open_group_;
    for (const UnderWay& some : by_counter_) join(now, some);
    for (const UnderWay& some : groups_) join(now, some);
    if (now.bytes > most_.bytes) most_ = now;
  }
  UnderWay most() const { return most_; }

 private:
  static void add(UnderWay& sum, int bytes) {
    ++sum.loads;
    sum.bytes += bytes;
  }
  static void join(UnderWay& sum, const UnderWay& more) {
    sum.loads += more.loads;
    sum.bytes += more.bytes;
  }

  std::array<UnderWay, 6> by_counter_{};
  UnderWay open_group_, most_;
  std::deque<UnderWay> groups_;
};

/// While a loop is turning. Loads of one turn may be awaited in the next, copies as many turns later as there can be
/// groups.
UnderWay under_way_in(Code body) {
  const bool copies = std::any_of(body.begin(), body.end(), [](const Instruction& one) { return one.is_copy(); });
  const bool awaits =
      std::any_of(body.begin(), body.end(), [](const Instruction& one) { return one.awaits_copy_groups(); });
  const int turns = !copies ? 2 : awaits ? 64 : 1;
  Flight flight;
  for (int turn = 0; turn < turns; ++turn) {
    for (const Instruction& one : body) flight.meet(one);
  }
  UnderWay most = flight.most();
  most.in_loop = true;
  return most;
}

/// Which loop does the work is not in the code. One with the widest loads does: what comes before it fills tables, and
/// a loop with narrower ones than the code around it treats what is left after the wide ones.
/// `widest`: bits of the widest load of all.
UnderWay most_under_way(Code code, const std::optional<std::vector<CodeLoop>>& loops, int widest) {
  UnderWay in_widest, most;
  const auto keep_more = [](UnderWay& kept, const UnderWay& other) {
    if (other.bytes > kept.bytes) kept = other;
  };
  for (const CodeLoop& loop : loops.value_or(std::vector<CodeLoop>())) {
    const Code body = part_of(code, loop);
    const UnderWay here = under_way_in(body);
    keep_more(most, here);
    if (loads_in(body).widest_bits() == widest) keep_more(in_widest, here);
  }
  if (in_widest.loads > 0) return in_widest;
  Flight flight;
  for (const Instruction& one : code) flight.meet(one);
  keep_more(most, flight.most());
  return most;
}

CodeCounts counts_of(Code code) {
  CodeCounts counts;
  for (const Instruction& one : code) {
    if (one.is_padding()) continue;
    ++counts.instructions;
    ++counts.by_work[static_cast<std::size_t>(one.work())];
    if (one.is_local_load()) ++counts.local_loads;
    if (one.is_local_store()) ++counts.local_stores;
    if (one.is_shared_load()) ++counts.shared_loads[one.width()];
    if (one.is_shared_store()) ++counts.shared_stores[one.width()];
    if (one.is_atomic()) ++(one.is_shared_atomic() ? counts.shared_atomics : counts.global_atomics);
    if (one.converts_double()) ++counts.double_conversions;
  }
  return counts;
}

}  // namespace

int GlobalLoads::widest_bits() const {
  for (std::size_t i = kBits.size(); i-- > 0;) {
    if (to_registers[i] + to_shared[i] > 0) return kBits[i];
  }
  return 0;
}

std::optional<MachineCode> machine_code(std::span<const std::byte> cubin, std::string_view lowered_name) {
  const std::vector<Instruction> code = instructions(kernel_code(cubin, lowered_name), cubin_architecture(cubin));
  if (code.empty()) return std::nullopt;
  const std::optional<std::vector<CodeLoop>> loops = innermost_loops(code);
  MachineCode result;
  result.all = counts_of(code);
  result.loads = loads_in(code);
  result.under_way = most_under_way(code, loops, result.loads.widest_bits());
  if (!loops) return result;
  const auto is_load = [](const Instruction& one) { return one.is_load(); };
  if (const auto main = loop_with_most(code, *loops, is_load))
    result.loads.waits_in_loop = waits_in(part_of(code, *main));
  const auto is_work = [](const Instruction& one) { return !one.is_padding(); };
  if (const auto main = loop_with_most(code, *loops, is_work)) result.loop = counts_of(part_of(code, *main));
  return result;
}

std::optional<GlobalLoads> global_loads(std::span<const std::byte> cubin, std::string_view lowered_name) {
  const std::optional<MachineCode> code = machine_code(cubin, lowered_name);
  return code ? std::optional(code->loads) : std::nullopt;
}

}  // namespace tuner
