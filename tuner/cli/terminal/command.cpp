#include "tuner/cli/terminal/command.hpp"

#include <array>
#include <filesystem>
#include <system_error>

namespace tuner::cli {

std::span<const Option> global_options() {
  static const std::array<Option, 4> options{{
      {"db", Option::Kind::value, "PATH",
       "folder that holds the databases, or path to a decision database; default: $TUNER_DB, else "
       "$XDG_DATA_HOME/tuner, else ~/.local/share/tuner"},
      {"json", Option::Kind::flag, "", "print one JSON object instead of text"},
      {"help", Option::Kind::flag, "", "print this help and exit"},
      {"version", Option::Kind::flag, "", "print the version and exit"},
  }};
  return options;
}

std::string with_shipped_kernels(std::string text) {
  constexpr std::string_view kInClone = "kernel_sources/";
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path shipped =
      (program.parent_path() / "../share/tuner/kernel_sources").lexically_normal() / "";
  if (error || !std::filesystem::is_directory(shipped, error)) return text;
  for (std::size_t at = text.find(kInClone); at != std::string::npos; at = text.find(kInClone, at)) {
    text.replace(at, kInClone.size(), shipped.string());
    at += shipped.string().size();
  }
  return text;
}

}  // namespace tuner::cli
