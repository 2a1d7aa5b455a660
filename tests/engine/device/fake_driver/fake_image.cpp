#include "tests/engine/device/fake_driver/fake_image.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace fake {
namespace {

// The driver is given no length: the file ends where the last of its parts does.
std::size_t length_of_elf(const char* bytes) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes, sizeof header);
  std::size_t end = std::max(header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize,
                             header.e_phoff + std::size_t{header.e_phnum} * header.e_phentsize);
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, bytes + header.e_shoff + i * header.e_shentsize, sizeof section);
    if (section.sh_type != SHT_NOBITS) end = std::max<std::size_t>(end, section.sh_offset + section.sh_size);
  }
  return end;
}

// As a whole entry of a table of names.
bool holds_name(std::string_view bytes, const std::string& name) {
  using namespace std::string_literals;
  return bytes.find("\0"s + name + "\0"s) != std::string_view::npos;
}

}  // namespace

bool Image::has_kernel(const std::string& name) const {
  if (symbols.empty()) return support || name == "kernel";
  return holds_name(symbols, name);
}

std::optional<Image> read_image(const void* image) {
  const char* bytes = static_cast<const char*>(image);
  Image result;
  if (std::strncmp(bytes, ELFMAG, SELFMAG) != 0) {
    result.instructions = bytes;
    result.support = result.instructions == "support";
    if (result.instructions == "not_a_binary") return std::nullopt;
    return result;
  }
  result.symbols.assign(bytes, length_of_elf(bytes));
  // A kernel of each of its parts.
  for (const char* const kernel : {"tuner_fill", "tuner_checksum", "tuner_compare", "tuner_widen_spread"})
    result.support = result.support || holds_name(result.symbols, kernel);
  if (result.support) return result;
  constexpr std::string_view kMarker = "FAKE:";
  const std::size_t at = result.symbols.find(kMarker);
  if (at == std::string::npos) return std::nullopt;
  result.instructions = result.symbols.c_str() + at + kMarker.size();
  return result;
}

}  // namespace fake
