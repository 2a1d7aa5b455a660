#include "tuner/sources/device_compile/device_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "tuner/core/base/printable.hpp"
#include "tuner/error.hpp"
#include "tuner/sources/device_compile/code_choice.hpp"
#include "tuner/sources/recorded/compiler_words.hpp"

namespace tuner::sources {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(Errc::bad_usage, sentence);
}

void check_compiler(const CompilerCommand& recorded) {
  if (compiler_kind(recorded.program) == CompilerKind::nvcc) return;
  refuse(
      fmt::format("The build compiles with {}, and only commands of nvcc can be run again for the device: build with "
                  "nvcc, or write the kernel's description by hand.",
                  one_line(recorded.program)));
}

std::vector<std::string> flags_of(const CompilerCommand& recorded, std::string_view variable) {
  for (const auto& [name, value] : recorded.environment)
    if (name == variable) return nvcc_flags(value);
  return {};
}

std::vector<std::string> all_arguments(const CompilerCommand& recorded) {
  std::vector<std::string> words = flags_of(recorded, "NVCC_PREPEND_FLAGS");
  if (!recorded.arguments.empty()) words.insert(words.end(), recorded.arguments.begin() + 1, recorded.arguments.end());
  const std::vector<std::string> last = flags_of(recorded, "NVCC_APPEND_FLAGS");
  words.insert(words.end(), last.begin(), last.end());
  return words;
}

bool is_same_file(const CompilerCommand& recorded, const std::string& a, const std::string& b) {
  const fs::path folder = recorded.folder;
  return (folder / a).lexically_normal() == (folder / b).lexically_normal();
}

/// The source as the command names it: names in anonymous namespaces, __FILE__ and messages depend on that.
std::string find_source(const CompilerCommand& recorded, const std::vector<NvccWord>& words,
                        const std::string& source) {
  std::vector<std::string> inputs;
  for (const NvccWord& word : words) {
    if (!word.is_input()) continue;
    if (is_same_file(recorded, word.value, source)) return word.value;
    inputs.push_back(one_line(word.value));
  }
  refuse(fmt::format("The recorded command does not compile {}, but {}: name one of those.", one_line(source),
                     inputs.empty() ? "nothing" : fmt::format("{}", fmt::join(inputs, ", "))));
}

/// What the host's compiler is told, without that it writes files of dependencies or temporary ones.
class HostOptions {
 public:
  std::vector<std::string> kept(const NvccWord& word) {
    std::string list;
    for (const std::string& part : nvcc_list(word.value)) {
      if (std::exchange(value_follows_, false)) continue;
      value_follows_ = part == "-MF" || part == "-MT" || part == "-MQ" || part == "-o";
      if (value_follows_ || part.starts_with("-M") || part.starts_with("-save-temps")) continue;
      if (!list.empty()) list += ',';
      for (const char c : part) (c == ',' ? list += '\\' : list) += c;
    }
    if (list.empty()) return {};
    return {"-Xcompiler", list};
  }

 private:
  bool value_follows_ = false;  // of -Xcompiler -MF -Xcompiler FILE
};

/// The words that stay, in their order.
std::vector<std::string> kept_words(const std::vector<NvccWord>& words, bool from_ptx) {
  std::vector<std::string> kept;
  HostOptions host;
  const auto keep = [&](const std::vector<std::string>& some) { kept.insert(kept.end(), some.begin(), some.end()); };
  for (const NvccWord& word : words) {
    if (word.is_input()) continue;
    const NvccUse use = word.option == nullptr ? NvccUse::keep : word.option->use;
    if (use == NvccUse::file)
      refuse(fmt::format("The recorded command reads options from {}, which was not there to be read: build again.",
                         one_line(word.value)));
    if (use == NvccUse::link_time)
      refuse(fmt::format("The recorded command has {}, which leaves the code to the linker: build without it.",
                         word.words.front()));
    if (use == NvccUse::keep || (use == NvccUse::assembler && !from_ptx)) keep(word.words);
    if (use == NvccUse::host) keep(host.kept(word));
    if (use == NvccUse::relocatable) keep({"-rdc=true"});
    if (use == NvccUse::whole) keep({"-rdc=false"});
  }
  return kept;
}

CodeChoice choose(const std::vector<NvccWord>& words, const DeviceTarget& target) {
  const std::vector<NamedCode> named = named_codes(words, target.version, target.architecture);
  if (std::optional<CodeChoice> chosen = choose_code(named, target.architecture)) return *chosen;
  std::vector<std::string> codes;
  for (const NamedCode& one : named) codes.insert(codes.end(), one.codes.begin(), one.codes.end());
  refuse(
      fmt::format("The recorded command makes code for {}, and the code that ran is for sm_{}: another command made "
                  "that.",
                  one_line(fmt::format("{}", fmt::join(codes, ", "))), target.architecture));
}

bool is_relocatable(const std::vector<NvccWord>& words) {
  bool relocatable = false;
  for (const NvccWord& word : words) {
    if (word.option == nullptr) continue;
    if (word.option->use == NvccUse::relocatable) relocatable = true;
    if (word.option->use == NvccUse::whole) relocatable = false;
    if (word.option->long_name == "relocatable-device-code") relocatable = word.value == "true";
  }
  return relocatable;
}

void check_definition(const std::string& definition) {
  const bool is_name = !definition.empty() && definition.front() != '-' && definition.front() != '=';
  if (is_name && !is_read_by_others(definition)) return;
  refuse(fmt::format("The definition '{}' cannot be given to nvcc, which reads $, `, \", \\ and @ itself: use others.",
                     one_line(definition)));
}

std::string escaped(const std::string& value) {
  std::string text;
  for (const char c : value) (c == ',' ? text += '\\' : text) += c;
  return text;
}

}  // namespace

bool is_read_by_others(const std::string& word) {
  return std::ranges::any_of(word, [](char c) {
    return static_cast<unsigned char>(c) < ' ' || std::string_view("$`\"\\@").find(c) != std::string_view::npos;
  });
}

DeviceCommand device_command(const CompilerCommand& recorded, const DeviceTarget& target) {
  check_compiler(recorded);
  const std::vector<NvccWord> words = read_nvcc_words(all_arguments(recorded));
  std::string source = find_source(recorded, words, target.source);
  if (!target.file.empty()) source = target.file;
  const CodeChoice chosen = choose(words, target);

  DeviceCommand device{recorded, chosen.code, chosen.from_ptx, is_relocatable(words), {}};
  if (device.relocatable) device.linked = target.linked;
  std::erase_if(device.command.environment, [](const auto& variable) {
    return variable.first == "NVCC_PREPEND_FLAGS" || variable.first == "NVCC_APPEND_FLAGS";
  });
  std::vector<std::string>& arguments = device.command.arguments;
  arguments.resize(std::min<std::size_t>(arguments.size(), 1));
  for (std::string& word : kept_words(words, chosen.from_ptx)) arguments.push_back(std::move(word));
  arguments.push_back("-cubin");
  arguments.push_back(fmt::format("-gencode=arch={},code={}", chosen.virtual_architecture, chosen.code));
  // CUB's names of namespaces have it.
  if (!chosen.architecture_list.empty()) {
    arguments.push_back("-U__CUDA_ARCH_LIST__");
    arguments.push_back("-D__CUDA_ARCH_LIST__=" + escaped(chosen.architecture_list));
  }
  for (const std::string& definition : target.definitions) {
    check_definition(definition);
    arguments.push_back("-D" + escaped(definition));
  }
  if (!target.kernel.empty()) arguments.push_back("-Xptxas=--entry=" + target.kernel);
  arguments.push_back(source.starts_with('-') ? "./" + source : source);
  return device;
}

CompilerCommand link_command(const DeviceCommand& compiled, const std::string& cubin) {
  CompilerCommand link = compiled.command;
  link.arguments.resize(std::min<std::size_t>(link.arguments.size(), 1));
  for (const std::string& word : {std::string("-dlink"), std::string("-cubin"), "-arch=" + compiled.code, cubin})
    link.arguments.push_back(word);
  link.arguments.insert(link.arguments.end(), compiled.linked.begin(), compiled.linked.end());
  return link;
}

}  // namespace tuner::sources
