// What is read here of NVIDIA's machine code, which since Volta has 16 bytes an instruction. Bits, from the lowest:
//   0-8      operation, see below
//   9-11     where its operands are: registers, a constant, the instruction itself
//   73-75    width of a load or store: 4, 5, 6 = 32, 64, 128 bits; less than 4: 8 or 16 bits. Of a copy the same before
//            Blackwell, since then bits 74-75: 0, 1, 2
//   110-112  of six counters, the one that counts the instruction as under way until its result is there; 7 = none
//   116-121  the counters that must be zero before the instruction runs
//   34-81    of a branch: how far it goes from the next instruction, in words; before Hopper that is all of it, since
//            then the lowest eight bits stand in 16-23
//   72-79    of 005 and 119 in the forms 805 and 919, and of the uniform 1c3 and 0cb in 9c3 and 8cb: the special
//            register; 50 51 clock  52 53 timer
//   38-43    of 11a: how many groups of copies may still be under way
// Operations, found by compiling kernels that cannot do without them with NVRTC 13.0 for sm_80, sm_90, sm_100, sm_120:
//   float32     008 select  009 minimum  00a 00b compare  020 multiply  021 add  023 fused
//   float64     028 multiply  029 add  02a compare  02b fused
//   half        030 add  031 fused  032 multiply  035 the same before Blackwell, since then an integer addition
//   integer     002 move  005 007 select  00c compare  010 add  011 shift and add  012 logic  013 absolute  016 bytes
//               017 048 minimum  019 shift  01c predicates  024-027 multiply and add  036 add  100 101 109 bits
//   uniform     080-0ff
//   special     108
//   conversion  03e 045 104-107 110-113; 110 is between float and double
//   tensor      037 03c 03f 1f0
//   constant    182 1ac 1b9
//   global      180 load and 185 store by a generic address  181 load  186 store  18f prefetch  1ae copy to shared
//               memory  1ba bulk copy
//   shared      184 load  188 store  03b load of a matrix
//   local       183 load  187 store
//   atomic      global: 18a 18e 1a2 1a3 1a6 1a8 1a9 1aa; shared: 18c 18d
//   exchange    006 vote  189 shuffle  1a1 match  1c4 reduce
//   control     11a 1af wait for copies  11d barrier  141 145 reconverge  144 call  147 149 158 branch  148 14d exit
//               150 return  15c 15d sleep and trap  192 1ab fence
//   other       160-170 textures  198-1a0 surfaces  1b4 load, 1b5 store, 1b6 reduce and 1b8 prefetch by a tensor map
#include "tuner/core/binary/instruction.hpp"

#include <algorithm>
#include <cstring>

namespace tuner {
namespace {

constexpr int kVolta = 70, kBlackwell = 100;
constexpr unsigned kHalfOrInteger = 0x035;

constexpr std::array<Work, 512> table_of_work() {
  std::array<Work, 512> table{};
  table.fill(Work::other);
  const auto set = [&](Work work, std::initializer_list<unsigned> operations) {
    for (const unsigned operation : operations) table[operation] = work;
  };
  for (unsigned operation = 0x080; operation <= 0x0ff; ++operation) table[operation] = Work::uniform;
  set(Work::float32, {0x008, 0x009, 0x00a, 0x00b, 0x020, 0x021, 0x023});
  set(Work::float64, {0x028, 0x029, 0x02a, 0x02b});
  set(Work::half, {0x030, 0x031, 0x032, kHalfOrInteger});
  set(Work::integer, {0x002, 0x005, 0x007, 0x00c, 0x010, 0x011, 0x012, 0x013, 0x016, 0x017, 0x019,
                      0x01c, 0x024, 0x025, 0x026, 0x027, 0x036, 0x048, 0x100, 0x101, 0x109});
  set(Work::special, {0x108});
  set(Work::conversion, {0x03e, 0x045, 0x104, 0x105, 0x106, 0x107, 0x110, 0x111, 0x112, 0x113});
  set(Work::tensor, {0x037, 0x03c, 0x03f, 0x1f0});
  set(Work::constant, {0x182, 0x1ac, 0x1b9});
  set(Work::global, {0x180, 0x181, 0x185, 0x186, 0x18f, 0x1ae, 0x1ba});
  set(Work::shared, {0x184, 0x188, 0x03b});
  set(Work::local, {0x183, 0x187});
  set(Work::atomic, {0x18a, 0x18c, 0x18d, 0x18e, 0x1a2, 0x1a3, 0x1a6, 0x1a8, 0x1a9, 0x1aa});
  set(Work::exchange, {0x006, 0x189, 0x1a1, 0x1c4});
  set(Work::control,
      {0x11a, 0x11d, 0x141, 0x144, 0x145, 0x147, 0x148, 0x149, 0x14d, 0x150, 0x158, 0x15c, 0x15d, 0x192, 0x1ab, 0x1af});
  return table;
}

}  // namespace

std::string_view work_name(Work work) {
  constexpr std::array<std::string_view, kWorkKinds> kNames{
      "float32",  "float64", "half",   "integer", "uniform", "special",  "conversion", "tensor",
      "constant", "global",  "shared", "local",   "atomic",  "exchange", "control",    "other"};
  return kNames[static_cast<std::size_t>(work)];
}

Work Instruction::work() const {
  static constexpr std::array<Work, 512> kTable = table_of_work();
  if (operation() == kHalfOrInteger && architecture >= kBlackwell) return Work::integer;
  return kTable[operation()];
}

bool Instruction::is_atomic() const {
  return work() == Work::atomic;
}

bool Instruction::reads_clock() const {
  const std::uint64_t with_form = low & 0xfff, special_register = (high >> 8) & 0xff;
  const bool reads_special = with_form == 0x805 || with_form == 0x919 || with_form == 0x9c3 || with_form == 0x8cb;
  return reads_special && special_register >= 0x50 && special_register <= 0x53;
}

bool Instruction::takes_tensor_map() const {
  return (operation() >= 0x1b4 && operation() <= 0x1b6) || operation() == 0x1b8;
}

std::size_t Instruction::width() const {
  if (is_copy() && architecture >= kBlackwell) return std::min<std::size_t>((high >> 10) & 3, 2) + 1;
  return std::clamp<std::size_t>((high >> 9) & 7, 3, 6) - 3;
}

std::int64_t Instruction::distance(bool low_bits_apart) const {
  const std::uint64_t field = (low >> 34) | (high & 0x3ffff) << 30;
  std::int64_t words = static_cast<std::int64_t>(field << 16) >> 16;
  if (low_bits_apart) words = words * 256 + static_cast<std::int64_t>((low >> 16) & 0xff);
  return 4 * words;
}

std::vector<Instruction> instructions(std::span<const std::byte> code, int architecture) {
  if (architecture < kVolta) return {};
  std::vector<Instruction> result(code.size() / Instruction::kBytes);
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::memcpy(&result[i].low, code.data() + i * Instruction::kBytes, 8);
    std::memcpy(&result[i].high, code.data() + i * Instruction::kBytes + 8, 8);
    result[i].architecture = architecture;
  }
  return result;
}

}  // namespace tuner
