#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "tuner/core/binary/cubin.hpp"

namespace tuner::test {

/// The machine code of an object that was made with --no-compress, or of a cubin; empty if there is none.
inline std::vector<std::byte> program_code(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  constexpr std::string_view kElf =
      "\x7f"
      "ELF";
  for (std::size_t at = 0; (at = text.find(kElf, at)) != std::string::npos; ++at) {
    const auto bytes = std::as_bytes(std::span(text)).subspan(at);
    if (cubin_architecture(bytes) != 0) return {bytes.begin(), bytes.end()};
  }
  return {};
}

}  // namespace tuner::test
