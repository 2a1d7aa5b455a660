#include "tuner/sources/recorded/compiler_words.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "tuner/sources/recorded/nvcc_options.hpp"

namespace tuner::sources {
namespace {

namespace fs = std::filesystem;

// Lists of names, with a blank before and behind each.
bool is_in(std::string_view list, std::string_view name) {
  return list.find(" " + std::string(name) + " ") != std::string_view::npos;
}

// Options of clang, and of nvc++, which has most of GCC's, whose value may be the next word; without their dashes.
constexpr std::string_view kOtherValues =
    " B D F I L MF MQ MT T U Xarch_device Xarch_host Xassembler Xclang Xcuda-fatbinary Xcuda-ptxas Xlinker"
    " Xpreprocessor arch dependency-file e framework idirafter imacros include iprefix iquote isysroot isystem"
    " iwithprefix l mllvm o param resource-dir target u x z ";
// Options with which nothing is made that is of use here.
constexpr std::string_view kNvccPrints =
    " E M MM V arch-ls clean clean-targets code-ls dryrun fdevice-syntax-only generate-dependencies"
    " generate-nonsystem-dependencies h help list-gpu-arch list-gpu-code preprocess version ";
constexpr std::string_view kOtherPrints = " ### E M MM V dryrun dumpmachine dumpversion fsyntax-only help version ";
// Options that say where nvcc stops. Without one it links.
constexpr std::string_view kPhases =
    " S c compile cubin cuda dc device-c device-w dw emit-llvm fatbin ltoir optix-ir ptx ";

// What device code is linked from.
constexpr std::string_view kObjects = " .a .cubin .fatbin .lo .ltoir .o .obj .ptx ";

/// A word that begins with a dash.
struct OptionWord {
  std::string name;  ///< without dashes
  std::string value;
  bool takes_next = false;  ///< the value is the next word
};

OptionWord read_option(std::string_view word, bool is_nvcc) {
  const std::size_t dashes = std::min(word.find_first_not_of('-'), word.size());
  word.remove_prefix(dashes);
  const std::size_t equals = word.find('=');
  const std::string name(word.substr(0, equals));
  if (is_nvcc ? nvcc_takes_value(name) : is_in(kOtherValues, name)) {
    if (equals == std::string_view::npos) return {.name = name, .takes_next = true};
    return {.name = name, .value = std::string(word.substr(equals + 1))};
  }
  // -xcuda, which nvcc does not take.
  if (!is_nvcc && dashes == 1 && (word.starts_with('o') || word.starts_with('x')))
    return {.name = std::string(word.substr(0, 1)), .value = std::string(word.substr(1))};
  return {.name = name};
}

/// What the readers need of a command.
struct ReadWords {
  std::vector<fs::path> sources;
  std::vector<fs::path> objects;
  bool only_prints = false;
  bool takes_all_for_cuda = false;  ///< nvc++ -cuda
  std::string output, folder, phase;
};

bool is_cuda(const std::string& input, std::string_view language) {
  return language == "cu" || language == "cuda" || (language.empty() && fs::path(input).extension() == ".cu");
}

ReadWords read_words(const CompilerCommand& command) {
  const std::optional<CompilerKind> kind = compiler_kind(command.program);
  const bool is_nvcc = kind == CompilerKind::nvcc;
  const fs::path folder = command.folder;
  ReadWords read{.folder = command.folder};
  struct Input {
    std::string name, language;
  };
  std::vector<Input> inputs;
  std::string language;
  const std::vector<std::string>& words = command.arguments;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!words[i].starts_with('-')) {
      inputs.push_back({words[i], language});
      continue;
    }
    OptionWord option = read_option(words[i], is_nvcc);
    if (option.takes_next && i + 1 < words.size()) option.value = words[++i];
    if (option.name == "o" || option.name == "output-file") read.output = (folder / option.value).lexically_normal();
    if (option.name == "odir" || option.name == "output-directory") read.folder = folder / option.value;
    if (option.name == "x") language = option.value == "none" ? "" : option.value;
    read.takes_all_for_cuda = read.takes_all_for_cuda || (kind == CompilerKind::nvcxx && option.name == "cuda");
    if (is_in(kPhases, option.name)) read.phase = option.name;
    read.only_prints = read.only_prints || is_in(is_nvcc ? kNvccPrints : kOtherPrints, option.name) ||
                       option.name.starts_with("print-");
  }
  for (const Input& input : inputs) {
    // nvcc's options may stand in any order; elsewhere this one is for what comes behind it.
    const bool is_source = is_cuda(input.name, is_nvcc ? language : input.language) ||
                           (read.takes_all_for_cuda && !is_in(kObjects, fs::path(input.name).extension().native()));
    if (is_source) {
      read.sources.push_back((folder / input.name).lexically_normal());
    } else {
      if (is_in(kObjects, fs::path(input.name).extension().native()))
        read.objects.push_back((folder / input.name).lexically_normal());
    }
  }
  return read;
}

}  // namespace

std::optional<CompilerKind> compiler_kind(const fs::path& program) {
  std::string name = program.filename();
  // clang++-16
  if (const std::size_t dash = name.rfind('-');
      dash != std::string::npos && name.find_first_not_of("0123456789.", dash + 1) == std::string::npos)
    name.resize(dash);
  if (name == "nvcc") return CompilerKind::nvcc;
  if (name == "nvc++") return CompilerKind::nvcxx;
  // aarch64-linux-gnu-clang++
  const std::string last = name.substr(name.rfind('-') + 1);
  if (last == "clang" || last == "clang++") return CompilerKind::clang;
  return std::nullopt;
}

Work work_of(const CompilerCommand& command) {
  const ReadWords words = read_words(command);
  if (words.only_prints) return Work::nothing;
  if (!words.sources.empty()) return Work::compile;
  const bool links = !words.objects.empty() && words.phase.empty();
  return links && compiler_kind(command.program) == CompilerKind::nvcc ? Work::link : Work::nothing;
}

std::vector<fs::path> sources_of(const CompilerCommand& command) {
  return read_words(command).sources;
}

std::vector<SourceOfBuild> sources_of_build(const std::vector<CompilerCommand>& build) {
  std::vector<SourceOfBuild> all;
  std::set<std::pair<fs::path, std::string>> known;
  for (auto command = build.rbegin(); command != build.rend(); ++command) {
    for (const fs::path& source : sources_of(*command)) {
      SourceOfBuild one{*command, source.string(), {}};
      if (known.emplace(source, object_of(one)).second) all.push_back(std::move(one));
    }
  }
  return all;
}

std::string object_of(const SourceOfBuild& one) {
  const ReadWords words = read_words(one.command);
  if (words.sources.size() == 1 && !words.output.empty()) return words.output;
  const fs::path object = fs::path(words.folder) / fs::path(one.source).filename().replace_extension(".o");
  return object.lexically_normal();
}

std::vector<std::string> linked_with(const std::vector<CompilerCommand>& build, const SourceOfBuild& one) {
  const auto names = [](const std::vector<fs::path>& files) {
    std::vector<std::string> all;
    for (const fs::path& file : files) all.push_back(file.string());
    return all;
  };
  const ReadWords words = read_words(one.command);
  if (words.phase.empty()) return names(words.objects);  // it links, too
  const fs::path object = object_of(one);
  for (auto link = build.rbegin(); link != build.rend(); ++link) {
    if (work_of(*link) != Work::link) continue;
    std::vector<fs::path> objects = read_words(*link).objects;
    if (std::erase(objects, object) > 0) return names(objects);
  }
  return {};
}

std::vector<fs::path> include_folders_of(const CompilerCommand& command) {
  std::vector<fs::path> folders;
  if (command.arguments.empty()) return folders;
  for (const NvccWord& word : read_nvcc_words(std::span(command.arguments).subspan(1))) {
    if (word.option == nullptr || word.option->long_name != "include-path") continue;
    for (const std::string& folder : nvcc_list(word.value))
      folders.push_back((fs::path(command.folder) / folder).lexically_normal());
  }
  return folders;
}

std::string product_of(const CompilerCommand& command) {
  const ReadWords words = read_words(command);
  std::string text = words.output.empty() ? words.folder + '\0' + words.phase : words.output;
  for (const fs::path& source : words.sources) text += '\0' + source.string();
  return text;
}

}  // namespace tuner::sources
