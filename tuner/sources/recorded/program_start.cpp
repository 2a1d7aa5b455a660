#include "tuner/sources/recorded/program_start.hpp"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "tuner/process/fd.hpp"
#include "tuner/sources/recorded/bounded_file.hpp"

namespace tuner::sources {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestWords = std::size_t{64} << 20;  // more than Linux passes to a program

fs::path proc(pid_t pid, const char* name) {
  return fs::path("/proc") / std::to_string(pid) / name;
}

/// The name that execve was given, as the kernel leaves it to the program; empty if that cannot be read.
std::string name_given(pid_t pid) {
  const std::string entries = read_bounded(proc(pid, "auxv"), 1 << 16).value_or("");
  unsigned long address = 0;
  for (std::size_t at = 0; at + 2 * sizeof address <= entries.size(); at += 2 * sizeof address) {
    std::array<unsigned long, 2> entry{};
    std::memcpy(entry.data(), entries.data() + at, sizeof entry);
    if (entry[0] == AT_EXECFN) address = entry[1];
  }
  const UniqueFd memory(open(proc(pid, "mem").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, PATH_MAX> name{};
  // It stands at the end of the stack, so there may be less than that.
  if (address == 0 || !memory || pread(memory.get(), name.data(), name.size() - 1, static_cast<off_t>(address)) <= 0)
    return {};
  return name.data();
}

std::optional<std::vector<std::string>> texts_in(const fs::path& file) {
  const std::optional<std::string> all = read_bounded(file, kLongestWords);
  if (!all) return std::nullopt;
  std::vector<std::string> texts;
  for (std::size_t begin = 0; begin < all->size();) {
    const std::size_t end = std::min(all->find('\0', begin), all->size());
    texts.push_back(all->substr(begin, end - begin));
    begin = end + 1;
  }
  return texts;
}

/// The name of a script follows its interpreter, with or without an option between them.
void drop_interpreter(std::vector<std::string>& words, const fs::path& script, const fs::path& folder) {
  for (std::size_t i = 1; i < std::min<std::size_t>(words.size(), 3); ++i) {
    if ((folder / words[i]).lexically_normal() != script.lexically_normal()) continue;
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

}  // namespace

std::optional<StartedFile> started_file(pid_t pid) {
  std::error_code error;
  StartedFile file{.named = name_given(pid), .program = fs::read_symlink(proc(pid, "exe"), error)};
  if (error) return std::nullopt;
  if (file.named.is_relative()) {
    const fs::path folder = fs::read_symlink(proc(pid, "cwd"), error);
    if (error) return std::nullopt;
    file.named = file.named.empty() ? file.program : (folder / file.named).lexically_normal();
  }
  return file;
}

std::optional<ProgramStart> read_start(pid_t pid, const StartedFile& file) {
  std::error_code error;
  ProgramStart start{.file = file.named, .program = file.program, .folder = fs::read_symlink(proc(pid, "cwd"), error)};
  std::optional<std::vector<std::string>> words = texts_in(proc(pid, "cmdline"));
  const std::optional<std::vector<std::string>> variables = texts_in(proc(pid, "environ"));
  if (error || !words || words->empty() || !variables) return std::nullopt;
  if (const bool is_script = !fs::equivalent(file.named, file.program, error); is_script && !error)
    drop_interpreter(*words, file.named, start.folder);
  start.words = std::move(*words);
  for (const std::string& variable : *variables) {
    const std::size_t equals = variable.find('=');
    if (equals != std::string::npos && equals > 0)
      start.environment.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
  }
  return start;
}

}  // namespace tuner::sources
