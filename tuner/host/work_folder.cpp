#include "tuner/host/work_folder.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "tuner/error.hpp"
#include "tuner/ground/file_variable.hpp"
#include "tuner/host/shortage.hpp"

namespace tuner::host {
namespace {

constexpr std::size_t kLongestName = 256;  // of a file below the folder, and of what compilers append to it

/// What is set, as std::filesystem::temp_directory_path reads it, and its name.
std::filesystem::path temporary_folder(std::string& variable) {
  for (const char* name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
    const char* const value = file_variable(name);
    if (value == nullptr) continue;
    variable = name;
    return value;
  }
  return "/tmp";
}

[[noreturn]] void refuse(const std::filesystem::path& folder, const std::string& variable, const std::string& why) {
  throw Error(Errc::bad_usage, "The folder for temporary files" +
                                   (variable.empty() ? "" : " that " + variable + " names") + ", '" +
                                   folder.string().substr(0, 200) + "', " + why + ": " + other_folder() + ".");
}

}  // namespace

WorkFolder::WorkFolder() {
  std::string variable;
  const std::filesystem::path named = temporary_folder(variable);
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
  // Line breaks and quotes end a file's name in what compilers hand to assemblers.
  if (std::string shown = named.native(); std::any_of(shown.begin(), shown.end(), is_control)) {
    std::replace_if(shown.begin(), shown.end(), is_control, '?');
    refuse(shown, variable, "has a control character in its name, which compilers do not accept");
  }
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::absolute(named, error);
  if (folder.native().find('"') != std::string::npos)
    refuse(folder, variable, "has a double quote in its name, which compilers do not accept");
  if (error || folder.native().size() + kLongestName > PATH_MAX) {
    refuse(named, variable,
           "has a name of " + std::to_string(std::max(named.native().size(), folder.native().size())) +
               " bytes, which is too long");
  }
  if (struct statvfs system{}; statvfs(folder.c_str(), &system) == 0 && (system.f_flag & ST_NOEXEC) != 0) {
    refuse(named, variable,
           "is on a file system from which programs cannot be run (it is mounted with `noexec`), but the kernel has to "
           "run");
  }
  std::string pattern = (folder / "tuner-check-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    refuse(named, variable, std::string("cannot be used (") + std::strerror(errno) + ")");
  path_ = pattern;
  if (mkdir(temporary().c_str(), 0700) != 0) {
    const int reason = errno;
    rmdir(path_.c_str());
    refuse(named, variable, std::string("cannot be used (") + std::strerror(reason) + ")");
  }
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void cannot_write(const std::filesystem::path& file, int reason) {
  throw Error(Errc::bad_usage, "The file " + file.string() + " cannot be written (" +
                                   (reason == 0 ? "reason unknown" : std::strerror(reason)) + "): " + other_folder() +
                                   ".");
}

void write_file(const std::filesystem::path& file, std::string_view text) {
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  errno = 0;
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  if (!stream.flush()) cannot_write(file, error ? error.value() : errno);
}

std::string read_file(const std::filesystem::path& file, std::size_t most) {
  std::ifstream stream(file, std::ios::binary);
  std::string text(most, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  return text;
}

}  // namespace tuner::host
