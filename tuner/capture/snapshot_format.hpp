#pragma once

#include <cstdint>

// How the injected library writes down a launch: three files in memory, whose descriptors come with a message
// (MessageKind::stored). The first is a list of records. The others are the bytes of memory, before the launch and
// after it, in one order: FactsOfMemory says where each piece lies. Both sides are of one build and one machine, so
// structures travel as they are; the reader checks everything all the same.

namespace tuner::capture {

/// Each record is a RecordHead, then `size` bytes: the structure named here, then what its comment says.
enum class RecordKind : std::uint32_t {
  launch = 1,     ///< FactsOfLaunch, then the kernel's mangled name; the first record, and the only one of its kind
  parameter = 2,  ///< FactsOfParameter, then its bytes; in the order of their offsets
  attribute = 3,  ///< NumberedFact: a CUfunction_attribute of the kernel
  limit = 4,      ///< NumberedFact: a CUlimit of the context
  launch_attribute = 5,  ///< NumberedFact: a CUlaunchAttributeID, the first 8 bytes of its value
  allocation = 6,        ///< FactsOfMemory
  variable = 7,          ///< FactsOfMemory, then its mangled name: of the kernel's module
  image = 8,             ///< the module, a cubin
  frame = 9,             ///< FactsOfFrame, then the path of the executable or library; the innermost first
  device = 10,           ///< FactsOfDevice, then the GPU's name; once
  unstored = 11,         ///< FactsOfMemory, then what it is, in words: memory of the program that lies in no file
};

struct RecordHead {
  RecordKind kind = RecordKind::launch;
  std::uint32_t unused = 0;
  std::uint64_t size = 0;
};

struct FactsOfLaunch {
  std::uint64_t ordinal = 0;  ///< among all launches of this kernel in the process, from 1
  std::uint64_t held_ns = 0;  ///< for which storing it held up the program, but for what the GPU did anyway
  std::uint32_t grid[3] = {}, block[3] = {}, cluster[3] = {};
  std::uint32_t dynamic_shared = 0;  ///< bytes a block
  std::uint32_t cooperative = 0;     ///< 1: launched so
  std::int32_t process = 0;
};

struct FactsOfParameter {
  std::uint64_t offset = 0;  ///< in what the kernel gets
};

struct NumberedFact {
  std::int32_t number = 0;
  std::uint32_t unused = 0;
  std::int64_t value = 0;
};

struct FactsOfMemory {
  std::uint64_t address = 0;  ///< in the program
  std::uint64_t size = 0;
  std::uint64_t offset = 0;  ///< in both files of memory; 0 if it lies in neither
};

struct FactsOfFrame {
  std::uint64_t offset = 0;  ///< of the return address in the file, as tools that read it count
};

struct FactsOfDevice {
  std::uint8_t uuid[16] = {};
  std::int32_t compute_capability = 0;  ///< 90: 9.0
  std::int32_t driver = 0;              ///< as cuDriverGetVersion says
};

}  // namespace tuner::capture
