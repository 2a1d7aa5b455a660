// Reads what the tuner wants to know from a cubin, an ELF file for the GPU: the kernel's parameter table and its
// register count, both in NVIDIA's attribute sections ".nv.info.<kernel>" and ".nv.info":
//   attribute  = format:u8 kind:u8 (size:u16 payload[size] | value:u16)     the former when format is 4
//   kind 0x17  = parameter: index:u32 ordinal:u16 offset:u16 (size in bits 18..31):u32
//   kind 0x45  = parameter of a kernel with more than 4 KB of them: index:u32 ordinal:u16 offset:u16 size:u32
//   kind 0x2f  = registers of a kernel: symbol:u32 count:u32
// And who calls whom, in a section of its own: (caller:u32 callee:u32)*, symbols. Where either is none, a mark stands.
#include "tuner/core/binary/cubin.hpp"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <set>

namespace tuner {
namespace {

constexpr std::uint16_t kCudaMachine = 190;
constexpr std::uint8_t kSizedFormat = 4;
constexpr std::uint8_t kParameterKind = 0x17;
constexpr std::uint8_t kLargeParameterKind = 0x45;
constexpr std::uint8_t kRegistersKind = 0x2f;
constexpr std::uint32_t kCallGraphSection = 0x70000001;
constexpr std::string_view kCodeOf = ".text.";

using Bytes = std::span<const std::byte>;

// The object at `offset`, copied because the file promises no alignment.
template <typename Type>
std::optional<Type> read(Bytes bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Type)) return std::nullopt;
  Type value;
  std::memcpy(&value, bytes.data() + offset, sizeof(Type));
  return value;
}

Bytes part(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return {};
  return bytes.subspan(offset, size);
}

std::string_view text_at(Bytes strings, std::uint64_t offset) {
  if (offset >= strings.size()) return {};
  const auto* begin = reinterpret_cast<const char*>(strings.data() + offset);
  const void* end = std::memchr(begin, '\0', strings.size() - offset);
  return end == nullptr ? std::string_view{} : std::string_view(begin, static_cast<const char*>(end) - begin);
}

struct Section {
  std::string_view name;
  Elf64_Shdr header;
  Bytes bytes;
};

std::vector<Section> sections(Bytes file) {
  const auto header = read<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_machine != kCudaMachine || header->e_shentsize != sizeof(Elf64_Shdr))
    return {};
  std::vector<Section> result;
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto section = read<Elf64_Shdr>(file, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return {};
    const Bytes bytes = section->sh_type == SHT_NOBITS ? Bytes{} : part(file, section->sh_offset, section->sh_size);
    result.push_back({{}, *section, bytes});
  }
  if (header->e_shstrndx >= result.size()) return {};
  const Bytes names = result[header->e_shstrndx].bytes;
  for (Section& section : result) section.name = text_at(names, section.header.sh_name);
  return result;
}

template <typename Visit>
void for_each_attribute(Bytes bytes, Visit visit) {
  std::uint64_t at = 0;
  while (at + 4 <= bytes.size()) {
    const auto format = static_cast<std::uint8_t>(bytes[at]);
    const auto kind = static_cast<std::uint8_t>(bytes[at + 1]);
    const std::uint64_t size = format == kSizedFormat ? *read<std::uint16_t>(bytes, at + 2) : 0;
    visit(kind, part(bytes, at + 4, size));
    at += 4 + size;
  }
}

std::optional<std::uint32_t> symbol_index(const std::vector<Section>& all, std::string_view name) {
  for (const Section& section : all) {
    if (section.header.sh_type != SHT_SYMTAB || section.header.sh_link >= all.size()) continue;
    const Bytes names = all[section.header.sh_link].bytes;
    for (std::uint32_t i = 0; const auto symbol = read<Elf64_Sym>(section.bytes, i * sizeof(Elf64_Sym)); ++i) {
      if (text_at(names, symbol->st_name) == name && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC) return i;
    }
  }
  return std::nullopt;
}

std::vector<KernelParameter> parameters(Bytes info) {
  std::map<std::uint16_t, KernelParameter> by_ordinal;
  for_each_attribute(info, [&](std::uint8_t kind, Bytes payload) {
    if ((kind != kParameterKind && kind != kLargeParameterKind) || payload.size() < 12) return;
    const auto ordinal = *read<std::uint16_t>(payload, 4);
    const auto offset = *read<std::uint16_t>(payload, 6);
    const auto flags = *read<std::uint32_t>(payload, 8);
    by_ordinal[ordinal] = {offset, kind == kParameterKind ? flags >> 18 : flags};
  });
  std::vector<KernelParameter> result;
  for (const auto& [ordinal, parameter] : by_ordinal) {
    if (ordinal != result.size()) return {};  // a gap: not a table to rely on
    result.push_back(parameter);
  }
  return result;
}

// Calls `visit` with the section in which an object of the binary lies, its symbol and its name.
template <typename Visit>
void for_each_object(Bytes cubin, Visit visit) {
  const std::vector<Section> all = sections(cubin);
  for (const Section& section : all) {
    if (section.header.sh_type != SHT_SYMTAB || section.header.sh_link >= all.size()) continue;
    const Bytes names = all[section.header.sh_link].bytes;
    for (std::uint64_t at = 0; const auto symbol = read<Elf64_Sym>(section.bytes, at); at += sizeof(Elf64_Sym)) {
      if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_shndx == SHN_UNDEF) continue;
      const std::string_view place = symbol->st_shndx < all.size() ? all[symbol->st_shndx].name : std::string_view{};
      visit(place, *symbol, text_at(names, symbol->st_name));
    }
  }
}

/// What a name in namespaces is called there: `weights` of _ZN2v27weightsE. Each part has its length in front, and an L
/// before that where it is seen in its file only. Empty for other symbols.
std::string_view last_of_nested(std::string_view symbol) {
  constexpr std::string_view kBegin = "_ZN";
  if (!symbol.starts_with(kBegin)) return {};
  symbol.remove_prefix(kBegin.size());
  std::string_view last;
  while (symbol != "E") {
    if (symbol.starts_with('L')) symbol.remove_prefix(1);
    std::size_t length = 0;
    const auto [digits_end, error] = std::from_chars(symbol.data(), symbol.data() + symbol.size(), length);
    if (error != std::errc{}) return {};
    symbol.remove_prefix(static_cast<std::size_t>(digits_end - symbol.data()));
    if (length > symbol.size()) return {};
    last = symbol.substr(0, length);
    symbol.remove_prefix(length);
  }
  return last;
}

}  // namespace

std::optional<CubinFacts> facts_from_cubin(Bytes cubin, std::string_view lowered_name) {
  const std::vector<Section> all = sections(cubin);
  const std::string kernel(lowered_name);
  const auto named = [&](const std::string& name) {
    return std::find_if(all.begin(), all.end(), [&](const Section& section) { return section.name == name; });
  };
  if (named(".text." + kernel) == all.end()) return std::nullopt;
  CubinFacts facts;
  if (const auto info = named(".nv.info." + kernel); info != all.end()) facts.parameters = parameters(info->bytes);
  const std::optional<std::uint32_t> symbol = symbol_index(all, lowered_name);
  if (const auto info = named(".nv.info"); info != all.end() && symbol) {
    for_each_attribute(info->bytes, [&](std::uint8_t kind, Bytes payload) {
      if (kind != kRegistersKind || payload.size() < 8 || *read<std::uint32_t>(payload, 0) != *symbol) return;
      facts.registers = static_cast<int>(*read<std::uint32_t>(payload, 4));
    });
  }
  return facts;
}

Bytes kernel_code(Bytes cubin, std::string_view lowered_name) {
  const std::string name = ".text." + std::string(lowered_name);
  for (const Section& section : sections(cubin)) {
    if (section.name == name) return section.bytes;
  }
  return {};
}

std::optional<CubinFunction> function_in_cubin(Bytes cubin, std::string_view lowered_name) {
  const std::vector<Section> all = sections(cubin);
  const auto find = [&](std::string_view kind) {
    return std::find_if(all.begin(), all.end(), [&](const Section& section) {
      return section.name.size() == kind.size() + lowered_name.size() && section.name.starts_with(kind) &&
             section.name.ends_with(lowered_name);
    });
  };
  const auto code = find(kCodeOf);
  if (code == all.end()) return std::nullopt;
  CubinFunction function{.code = code->bytes};
  if (const auto literals = find(".nv.constant2."); literals != all.end()) function.literals = literals->bytes;
  if (const auto shared = find(".nv.shared."); shared != all.end()) function.shared_bytes = shared->header.sh_size;
  for (const std::string_view kind : {".rela.text.", ".rel.text."}) {
    const auto table = find(kind);
    if (table == all.end()) continue;
    const std::uint64_t step = kind == ".rela.text." ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (std::uint64_t at = 0; const auto entry = read<Elf64_Rel>(table->bytes, at); at += step)
      function.relocated.push_back(entry->r_offset);
  }
  return function;
}

std::vector<std::string> functions_in_cubin(Bytes cubin) {
  std::vector<std::string> names;
  for (const Section& section : sections(cubin)) {
    if (section.name.starts_with(kCodeOf)) names.emplace_back(section.name.substr(kCodeOf.size()));
  }
  return names;
}

std::optional<CubinArray> array_in_cubin(Bytes cubin, std::string_view name) {
  std::optional<CubinArray> exact;
  std::vector<CubinArray> nested;
  for_each_object(cubin, [&](std::string_view, const Elf64_Sym& symbol, std::string_view text) {
    const CubinArray array{std::string(text), symbol.st_size};
    if (text == name && !exact) exact = array;
    if (last_of_nested(text) == name) nested.push_back(array);
  });
  if (exact) return exact;
  if (nested.size() != 1) return std::nullopt;
  return nested.front();
}

std::vector<CubinArray> globals_in_cubin(Bytes cubin) {
  std::vector<CubinArray> globals;
  for_each_object(cubin, [&](std::string_view section, const Elf64_Sym& symbol, std::string_view name) {
    // ".nv.global" and ".nv.global.init". What printf and assert print lies there too, as $str and __unnamed_1.
    const bool is_text = name.starts_with('$') || name.starts_with("__unnamed_");
    if (!section.starts_with(".nv.global") || is_text || symbol.st_size == 0) return;
    globals.push_back({std::string(name), symbol.st_size});
  });
  return globals;
}

std::vector<CubinArray> variables_in_cubin(Bytes cubin) {
  std::vector<CubinArray> variables;
  for_each_object(cubin, [&](std::string_view section, const Elf64_Sym& symbol, std::string_view name) {
    // Constants of the source lie in bank 3; what the compiler puts into others has no name.
    if (!section.starts_with(".nv.global") && section != ".nv.constant3") return;
    if (symbol.st_size > 0) variables.push_back({std::string(name), symbol.st_size});
  });
  return variables;
}

std::vector<std::string> functions_called(Bytes cubin, std::string_view lowered_name) {
  const std::vector<Section> all = sections(cubin);
  const std::optional<std::uint32_t> kernel = symbol_index(all, lowered_name);
  if (!kernel) return {};
  std::multimap<std::uint32_t, std::uint32_t> calls;
  Bytes symbols, names;
  for (const Section& section : all) {
    if (section.header.sh_type == SHT_SYMTAB && section.header.sh_link < all.size() && symbols.empty()) {
      symbols = section.bytes;
      names = all[section.header.sh_link].bytes;
    }
    if (section.header.sh_type != kCallGraphSection) continue;
    for (std::uint64_t at = 0; const auto callee = read<std::uint32_t>(section.bytes, at + 4); at += 8)
      calls.emplace(*read<std::uint32_t>(section.bytes, at), *callee);
  }
  std::set<std::uint32_t> reached{0, *kernel};  // 0 is no symbol
  std::vector<std::string> found;
  for (std::vector<std::uint32_t> next{*kernel}; !next.empty();) {
    const auto [begin, end] = calls.equal_range(next.back());
    next.pop_back();
    for (auto call = begin; call != end; ++call) {
      const auto symbol = read<Elf64_Sym>(symbols, std::uint64_t{call->second} * sizeof(Elf64_Sym));
      if (!symbol || !reached.insert(call->second).second) continue;
      found.emplace_back(text_at(names, symbol->st_name));
      next.push_back(call->second);
    }
  }
  return found;
}

int cubin_architecture(Bytes cubin) {
  const auto header = read<Elf64_Ehdr>(cubin, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_machine != kCudaMachine) return 0;
  // It moved to the second byte with version 8 of the format, that of CUDA 13.
  constexpr unsigned char kSecondByte = 8;
  return static_cast<int>((header->e_flags >> (header->e_ident[EI_ABIVERSION] >= kSecondByte ? 8 : 0)) & 0xff);
}

std::string compiler_version(Bytes cubin) {
  // "Cuda compilation tools, release 13.0, V13.0.88"
  constexpr std::string_view kMark = "Cuda compilation tools, release ";
  const std::string_view text(reinterpret_cast<const char*>(cubin.data()), cubin.size());
  const std::size_t mark = text.find(kMark);
  if (mark == std::string_view::npos) return {};
  const std::string_view line = text.substr(mark, text.find('\0', mark) - mark);
  const std::size_t begin = line.find(", V", kMark.size());
  if (begin == std::string_view::npos) return {};
  const std::string_view version = line.substr(begin + 3);
  return std::string(version.substr(0, version.find_first_not_of("0123456789.")));
}

}  // namespace tuner
