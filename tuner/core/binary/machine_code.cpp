// What is read here of NVIDIA's machine code, which since Volta has 16 bytes an instruction. Bits, from the lowest:
//   0-11     operation: 381, 981 = load from global memory; fae = copy from global to shared memory; 947, 547 = branch
//   73-75    width of a load: 4, 5, 6 = 32, 64, 128 bits; less than 4: 8 or 16 bits. Of a copy the same before
//   Blackwell,
//            since then 0, 2, 4
//   110-112  of six counters, the one that counts the instruction as under way until its result is there; 7 = none
//   116-121  the counters that must be zero before the instruction runs
//   34-81    of a branch: how far it goes from the next instruction, in words; before Hopper that is all of it, since
//            then the lowest eight bits stand in 16-23
// Every kernel ends with a branch to itself, which tells the two forms of branches apart.
#include "tuner/core/binary/machine_code.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tuner/core/binary/cubin.hpp"

namespace tuner {
namespace {

constexpr int kInstructionBytes = 16;
constexpr int kNoCounter = 7;
constexpr int kVolta = 70, kBlackwell = 100;

struct Instruction {
  std::uint64_t low = 0, high = 0;

  unsigned operation() const { return low & 0xfff; }
  bool is_load() const { return operation() == 0x381 || operation() == 0x981; }
  bool is_copy() const { return operation() == 0xfae; }
  bool is_branch() const { return operation() == 0x947 || operation() == 0x547; }
  std::size_t width() const { return std::clamp<std::size_t>((high >> 9) & 7, 3, 6) - 3; }
  std::size_t copy_width(int architecture) const {
    return architecture >= kBlackwell ? std::min<std::size_t>((high >> 10) & 3, 2) + 1 : width();
  }
  int counter() const { return static_cast<int>((high >> 46) & 7); }
  unsigned awaited() const { return (high >> 52) & 0x3f; }

  /// Bytes from the next instruction to the target.
  std::int64_t distance(bool low_bits_apart) const {
    const std::uint64_t field = (low >> 34) | (high & 0x3ffff) << 30;
    std::int64_t words = static_cast<std::int64_t>(field << 16) >> 16;
    if (low_bits_apart) words = words * 256 + static_cast<std::int64_t>((low >> 16) & 0xff);
    return 4 * words;
  }
};

std::vector<Instruction> instructions(std::span<const std::byte> code) {
  std::vector<Instruction> result(code.size() / kInstructionBytes);
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::memcpy(&result[i].low, code.data() + i * kInstructionBytes, 8);
    std::memcpy(&result[i].high, code.data() + i * kInstructionBytes + 8, 8);
  }
  return result;
}

/// How branches are written in this code; nothing if that cannot be told.
std::optional<bool> low_bits_apart(const std::vector<Instruction>& code) {
  const auto last = std::find_if(code.rbegin(), code.rend(), [](const Instruction& one) { return one.is_branch(); });
  if (last == code.rend()) return std::nullopt;
  for (const bool apart : {false, true}) {
    if (last->distance(apart) == -kInstructionBytes) return apart;
  }
  return std::nullopt;
}

/// Positions of the first and the last instruction.
struct Loop {
  std::size_t first = 0, last = 0;
};

/// Loops that have no other inside; nothing if a branch goes where no instruction is.
std::optional<std::vector<Loop>> innermost_loops(const std::vector<Instruction>& code) {
  const std::optional<bool> apart = low_bits_apart(code);
  if (!apart) return std::nullopt;
  std::vector<Loop> loops;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code[i].is_branch()) continue;
    const std::int64_t distance = code[i].distance(*apart);
    const std::int64_t target = static_cast<std::int64_t>(i) + 1 + distance / kInstructionBytes;
    if (distance % kInstructionBytes != 0 || target < 0 || target >= static_cast<std::int64_t>(code.size()))
      return std::nullopt;
    const Loop loop{static_cast<std::size_t>(target), i};
    if (loop.first >= loop.last) continue;  // forward, or the branch to itself at the end
    const bool around_another =
        std::any_of(loops.begin(), loops.end(), [&](const Loop& inner) { return inner.first >= loop.first; });
    if (!around_another) loops.push_back(loop);
  }
  return loops;
}

std::optional<int> waits_in_loop(const std::vector<Instruction>& code) {
  const std::optional<std::vector<Loop>> loops = innermost_loops(code);
  if (!loops) return std::nullopt;
  std::optional<Loop> main;
  std::ptrdiff_t most = 0;
  for (const Loop& loop : *loops) {
    const auto begin = code.begin() + static_cast<std::ptrdiff_t>(loop.first);
    const auto end = code.begin() + static_cast<std::ptrdiff_t>(loop.last) + 1;
    const std::ptrdiff_t loads = std::count_if(begin, end, [](const Instruction& one) { return one.is_load(); });
    if (loads <= most) continue;
    most = loads;
    main = loop;
  }
  if (!main) return std::nullopt;
  // The second turn is one like all others: it meets what the turn before has left under way.
  unsigned old = 0, fresh = 0;  // counters of loads asked for before the latest wait, and since
  int waits = 0;
  for (int turn = 0; turn < 2; ++turn) {
    waits = 0;
    for (std::size_t i = main->first; i <= main->last; ++i) {
      const unsigned awaited = code[i].awaited();
      if ((awaited & fresh) != 0) {
        ++waits;
        old |= fresh;
        fresh = 0;
      }
      old &= ~awaited;
      if (code[i].is_load() && code[i].counter() != kNoCounter) fresh |= 1u << code[i].counter();
    }
  }
  return waits;
}

}  // namespace

int GlobalLoads::widest_bits() const {
  constexpr std::array<int, 4> kBits{16, 32, 64, 128};
  for (std::size_t i = kBits.size(); i-- > 0;) {
    if (to_registers[i] + to_shared[i] > 0) return kBits[i];
  }
  return 0;
}

std::optional<GlobalLoads> global_loads(std::span<const std::byte> cubin, std::string_view lowered_name) {
  const int architecture = cubin_architecture(cubin);
  const std::vector<Instruction> code = instructions(kernel_code(cubin, lowered_name));
  if (architecture < kVolta || code.empty()) return std::nullopt;
  GlobalLoads loads;
  for (const Instruction& one : code) {
    if (one.is_load()) ++loads.to_registers[one.width()];
    if (one.is_copy()) ++loads.to_shared[one.copy_width(architecture)];
  }
  loads.waits_in_loop = waits_in_loop(code);
  return loads;
}

}  // namespace tuner
