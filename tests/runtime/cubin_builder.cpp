#include "tests/runtime/cubin_builder.hpp"

#include <elf.h>

#include <cstring>

namespace tuner::test {
namespace {

using namespace std::string_literals;

struct Section {
  std::string name;
  std::uint32_t type = SHT_PROGBITS;
  std::string bytes;
  std::uint32_t link = 0;
};

template <class... Numbers>
std::string packed(Numbers... numbers) {
  std::string bytes;
  const auto add = [&](auto number) { bytes.append(reinterpret_cast<const char*>(&number), sizeof number); };
  (add(numbers), ...);
  return bytes;
}

// Format 4: a payload of 12 bytes follows. See tuner/core/binary/cubin.cpp for the grammar.
std::string parameter_table(const std::vector<std::uint32_t>& sizes) {
  std::string table;
  std::uint32_t offset = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    offset = (offset + sizes[i] - 1) / sizes[i] * sizes[i];
    table += packed(std::uint8_t{4}, std::uint8_t{0x17}, std::uint16_t{12}, std::uint32_t{0},
                    static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(offset), sizes[i] << 18);
    offset += sizes[i];
  }
  return table;
}

}  // namespace

std::vector<std::byte> make_cubin(const CubinText& text) {
  std::string strings = "\0"s + text.kernel + "\0"s;
  Elf64_Sym nothing{}, function{};
  function.st_name = 1;
  function.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  std::string symbols = packed(nothing, function);
  const auto add_arrays = [&](const auto& arrays, std::uint16_t section) {
    for (const auto& [name, bytes] : arrays) {
      Elf64_Sym array{};
      array.st_name = static_cast<std::uint32_t>(strings.size());
      array.st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT);
      array.st_shndx = section;
      array.st_size = bytes;
      symbols += packed(array);
      strings += name + "\0"s;
    }
  };
  constexpr std::uint16_t kGlobalSection = 7, kConstantSection = 8;  // their places below
  add_arrays(text.arrays, kConstantSection);
  add_arrays(text.globals, kGlobalSection);
  std::vector<Section> sections = {
      {"", SHT_NULL, {}, 0},
      {".shstrtab", SHT_STRTAB, {}, 0},
      {".strtab", SHT_STRTAB, strings, 0},
      {".symtab", SHT_SYMTAB, symbols, 2},
      {".nv.info", SHT_PROGBITS, packed(std::uint8_t{4}, std::uint8_t{0x2f}, std::uint16_t{8}, 1u, 32u), 0},
      {".nv.info." + text.kernel, SHT_PROGBITS, parameter_table(text.parameter_sizes), 0},
      {".text." + text.kernel, SHT_PROGBITS, std::string(128, '\0'), 0},
      {".nv.global.init", SHT_PROGBITS, "FAKE:" + text.instructions + "\0"s, 0},
      {".nv.constant3", SHT_PROGBITS, {}, 0},
  };
  std::string names;
  std::vector<std::uint32_t> name_offsets;
  for (const Section& section : sections) {
    name_offsets.push_back(static_cast<std::uint32_t>(names.size()));
    names += section.name + "\0"s;
  }
  sections[1].bytes = names;

  std::string file(sizeof(Elf64_Ehdr), '\0');
  std::string headers;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    file.resize((file.size() + 7) / 8 * 8);
    Elf64_Shdr header{};
    header.sh_name = name_offsets[i];
    header.sh_type = sections[i].type;
    header.sh_offset = file.size();
    header.sh_size = sections[i].bytes.size();
    header.sh_link = sections[i].link;
    headers += packed(header);
    file += sections[i].bytes;
  }
  file.resize((file.size() + 7) / 8 * 8);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_ABIVERSION] = 8;  // of CUDA 13
  header.e_machine = 190;             // a GPU of NVIDIA's
  header.e_flags = 90 << 8;           // compute capability 9.0
  header.e_shoff = file.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<std::uint16_t>(sections.size());
  header.e_shstrndx = 1;
  file.replace(0, sizeof header, packed(header));
  file += headers;
  std::vector<std::byte> bytes(file.size());
  std::memcpy(bytes.data(), file.data(), file.size());
  return bytes;
}

}  // namespace tuner::test
