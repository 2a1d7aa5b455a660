#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tuner::test {

/// What a binary is to say about itself.
struct CubinText {
  std::string kernel;
  std::vector<std::uint32_t> parameter_sizes;  ///< in bytes, in signature order
  std::string instructions;                    ///< to the fake driver: see fake_modules.cpp
  /// Names and bytes of those in constant memory.
  std::vector<std::pair<std::string, std::uint64_t>> arrays;
  std::vector<std::pair<std::string, std::uint64_t>> globals = {};  ///< the same of those in global memory
};

/// A binary for a GPU as the compiler would lay it out, without any code in it: sections, symbols, the table of
/// parameters, and instructions for the fake driver.
std::vector<std::byte> make_cubin(const CubinText& text);

}  // namespace tuner::test
