#include "tuner/sources/recorded/compiler_start.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <system_error>

#include "tuner/sources/recorded/compiler_words.hpp"
#include "tuner/sources/recorded/nvcc_options.hpp"
#include "tuner/sources/recorded/response_file.hpp"

namespace tuner::sources {
namespace {

namespace fs = std::filesystem;
using Variables = std::vector<std::pair<std::string, std::string>>;

// Words and paths that compilers take from the environment (nvcc, the host's GCC or Clang under it, nvc++), how they
// find programs and libraries of their own, and where they write meanwhile. The rest, in which there may be passwords,
// changes nothing that they make and is not stored.
constexpr std::array<std::string_view, 20> kKeptVariables{"CCC_OVERRIDE_OPTIONS",
                                                          "COMPILER_PATH",
                                                          "CPATH",
                                                          "CPLUS_INCLUDE_PATH",
                                                          "CUDA_HOME",
                                                          "CUDA_PATH",
                                                          "CUDA_ROOT",
                                                          "C_INCLUDE_PATH",
                                                          "GCC_EXEC_PREFIX",
                                                          "LD_LIBRARY_PATH",
                                                          "LIBRARY_PATH",
                                                          "NVCC_APPEND_FLAGS",
                                                          "NVCC_CCBIN",
                                                          "NVCC_PREPEND_FLAGS",
                                                          "NVHPC",
                                                          "NVHPC_CUDA_HOME",
                                                          "NVHPC_DEFAULT_CUDA",
                                                          "PATH",
                                                          "SOURCE_DATE_EPOCH",
                                                          "TMPDIR"};

bool is_cache(const fs::path& file) {
  return file.filename() == "ccache" || file.filename() == "sccache";
}

std::string value_of(const Variables& variables, std::string_view name) {
  const auto found = std::ranges::find(variables, name, [](const auto& variable) { return variable.first; });
  return found == variables.end() ? "" : found->second;
}

/// As a shell finds a program in `folder`, but past the links that lead to a cache. Empty if there is none.
fs::path program_of(const std::string& name, const fs::path& folder, const std::string& path_variable) {
  if (name.find('/') != std::string::npos) return (folder / name).lexically_normal();
  for (std::size_t begin = 0; begin <= path_variable.size();) {
    const std::size_t end = std::min(path_variable.find(':', begin), path_variable.size());
    const fs::path file = (folder / path_variable.substr(begin, end - begin) / name).lexically_normal();
    std::error_code error;
    if (access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file, error) && !is_cache(fs::canonical(file, error)))
      return file;
    begin = end + 1;
  }
  return {};
}

/// "sloppiness=time_macros", a setting of ccache before the compiler.
bool is_setting(const std::string& word) {
  const std::size_t equals = word.find('=');
  return equals != std::string::npos && equals > 0 && std::all_of(word.begin(), word.begin() + equals, [](char c) {
           return std::islower(static_cast<unsigned char>(c)) != 0 || c == '_';
         });
}

/// Has the compiler behind a cache stand as what was started. False if there is none.
bool look_behind_cache(ProgramStart& start) {
  std::string name = start.file.filename();
  // A link called nvcc that leads to ccache stands for the next nvcc on the path.
  if (!compiler_kind(name)) {
    const auto compiler = std::find_if_not(start.words.begin() + 1, start.words.end(), is_setting);
    if (compiler == start.words.end() || !compiler_kind(*compiler)) return false;
    start.words.erase(start.words.begin(), compiler);
    name = start.words.front();
  }
  start.file = program_of(name, start.folder, value_of(start.environment, "PATH"));
  return !start.file.empty();
}

/// Puts words that nvcc takes from a variable among the others, where they name a file of options: the build deletes
/// it.
void take_flags(ProgramStart& start, std::string_view variable, std::ptrdiff_t at) {
  const std::vector<std::string> flags = nvcc_flags(value_of(start.environment, variable));
  if (std::ranges::none_of(flags, is_options_file)) return;
  start.words.insert(start.words.begin() + at, flags.begin(), flags.end());
  std::erase_if(start.environment, [&](const auto& one) { return one.first == variable; });
}

}  // namespace

bool may_compile(const StartedFile& file) {
  return compiler_kind(file.named) || compiler_kind(file.program) || is_cache(file.program);
}

ProgramStart start_of(std::vector<std::string> words, const fs::path& folder, const std::string& path) {
  const fs::path named = words.front();
  std::error_code error;
  ProgramStart start{.file = is_cache(named) ? folder / named : program_of(named, folder, path), .folder = folder};
  start.program = fs::weakly_canonical(start.file, error);
  start.words = std::move(words);
  start.environment.emplace_back("PATH", path);
  return start;
}

SeenStart seen_start(ProgramStart start) {
  if (start.words.empty()) return {};
  if (is_cache(start.program) && !look_behind_cache(start)) return {};
  if (!compiler_kind(start.file)) start.file = start.program;
  const auto kind = compiler_kind(start.file);
  if (!kind) return {};
  std::erase_if(start.environment, [](const auto& variable) {
    return std::ranges::find(kKeptVariables, variable.first) == kKeptVariables.end();
  });
  std::ranges::sort(start.environment);
  if (*kind == CompilerKind::nvcc) {
    take_flags(start, "NVCC_PREPEND_FLAGS", 1);
    take_flags(start, "NVCC_APPEND_FLAGS", std::ssize(start.words));
  }
  CompilerCommand command{.program = start.file,
                          .folder = start.folder,
                          .arguments = with_response_files(start.words, *kind, start.folder),
                          .environment = std::move(start.environment)};
  if (work_of(command) == Work::nothing) return {.is_compiler = true};
  return {.is_compiler = true, .command = std::move(command)};
}

}  // namespace tuner::sources
