#include "tuner/sources/device_compile/code_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace tuner::sources {
namespace {

constexpr std::string_view kReal = "sm_";
constexpr std::string_view kVirtual = "compute_";

bool is_real(std::string_view name) {
  return name.starts_with(kReal);
}

std::string virtual_of(const std::string& real) {
  return std::string(kVirtual) + real.substr(kReal.size());
}

/// nvcc of CUDA 13 compiles for 7.5 where nothing is said, and 11 and 12 for 5.2.
int default_architecture(std::string_view version) {
  int major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  return major >= 13 ? 75 : 52;
}

/// "arch=compute_80,code=[sm_80,compute_80]", with or without brackets and quotes.
NamedCode read_generate(std::string value) {
  std::erase_if(value, [](char c) { return std::string_view("[]\"'\\").find(c) != std::string_view::npos; });
  NamedCode named;
  for (const std::string& part : nvcc_list(value)) {
    if (part.starts_with("arch=")) {
      named.virtual_architecture = part.substr(5);
    } else {
      named.codes.push_back(part.starts_with("code=") ? part.substr(5) : part);
    }
  }
  return named;
}

/// -arch, with what -code says.
NamedCode read_architecture(const std::string& name, const std::vector<std::string>& codes, int architecture) {
  if (!codes.empty()) return {name, codes};
  if (is_real(name)) return {virtual_of(name), {name, virtual_of(name)}};
  if (name == "native" || name == "all") return read_architecture(fmt::format("sm_{}", architecture), {}, architecture);
  if (name == "all-major") {
    const int oldest = architecture / 10 == 7 ? 75 : architecture / 10 * 10;
    return read_architecture(fmt::format("sm_{}", oldest), {}, architecture);
  }
  return {name, {name}};
}

}  // namespace

int architecture_number(std::string_view name) {
  for (const std::string_view kind : {kReal, kVirtual}) {
    if (name.starts_with(kind)) name.remove_prefix(kind.size());
  }
  int number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

std::vector<NamedCode> named_codes(std::span<const NvccWord> words, std::string_view version, int architecture) {
  std::vector<NamedCode> named;
  std::string name;
  std::vector<std::string> codes;
  bool only_ptx = false;
  for (const NvccWord& word : words) {
    if (word.option == nullptr) continue;
    if (word.option->use == NvccUse::architecture) name = word.value;
    if (word.option->use == NvccUse::code) codes = nvcc_list(word.value);
    if (word.option->use == NvccUse::generate) named.push_back(read_generate(word.value));
    if (word.option->use == NvccUse::phase_ptx) only_ptx = true;
  }
  if (name.empty() && named.empty()) name = fmt::format("sm_{}", default_architecture(version));
  if (!name.empty()) named.push_back(read_architecture(name, codes, architecture));
  if (only_ptx) {
    for (NamedCode& one : named) one.codes = {one.virtual_architecture};
  }
  return named;
}

std::optional<CodeChoice> choose_code(std::span<const NamedCode> named, int architecture) {
  std::optional<CodeChoice> chosen;
  std::set<int> all;
  for (const NamedCode& one : named) {
    all.insert(architecture_number(one.virtual_architecture));
    for (const std::string& code : one.codes) {
      const bool fits = is_real(code) ? architecture_number(code) == architecture
                                      : code.starts_with(kVirtual) && architecture_number(code) <= architecture;
      if (!fits) continue;
      CodeChoice candidate{one.virtual_architecture, code, !is_real(code)};
      // "sm_90a" is more than "sm_90".
      const bool is_better = !chosen || (candidate.from_ptx != chosen->from_ptx
                                             ? chosen->from_ptx
                                             : std::pair(architecture_number(code), code.size()) >
                                                   std::pair(architecture_number(chosen->code), chosen->code.size()));
      if (is_better) chosen = std::move(candidate);
    }
  }
  if (!chosen) return std::nullopt;
  if (chosen->from_ptx) chosen->code = fmt::format("sm_{}", architecture);
  if (all.size() > 1) {
    std::vector<int> numbers(all.begin(), all.end());
    for (int& number : numbers) number *= 10;
    chosen->architecture_list = fmt::format("{}", fmt::join(numbers, ","));
  }
  return chosen;
}

}  // namespace tuner::sources
