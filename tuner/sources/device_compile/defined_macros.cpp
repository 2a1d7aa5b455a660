#include "tuner/sources/device_compile/defined_macros.hpp"

#include <algorithm>
#include <fstream>
#include <string_view>
#include <vector>

#include "tuner/error.hpp"
#include "tuner/sources/device_compile/compiler_folder.hpp"
#include "tuner/sources/device_compile/compiler_version.hpp"
#include "tuner/sources/device_compile/device_command.hpp"

namespace tuner::sources {

std::optional<std::map<std::string, std::string>> defined_macros(const SourceOfBuild& source, int architecture,
                                                                 const RunLimits& limits) try {
  const std::string version = nvcc_version(source.command, limits).number;
  CompilerCommand command =
      device_command(source.command, {.source = source.source, .architecture = architecture, .version = version})
          .command;
  const PrivateFolder folder = compiler_folder("macros");
  const std::string list = folder.path() / "macros";
  std::vector<std::string>& words = command.arguments;
  std::erase(words, "-cubin");
  words.insert(words.begin() + 1, {"-E", "-Xcompiler", "-dM", "-o", list});
  if (run_limited(command, folder.path(), limits).outcome != Outcome::ok) return std::nullopt;
  std::map<std::string, std::string> macros;
  std::ifstream stream(list, std::ios::binary);
  constexpr std::string_view kDefine = "#define ";
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(kDefine)) continue;
    const std::size_t end = std::min(line.find_first_of(" (", kDefine.size()), line.size());
    if (end < line.size() && line[end] == '(') continue;
    macros[line.substr(kDefine.size(), end - kDefine.size())] = line.substr(std::min(end + 1, line.size()));
  }
  return macros;
} catch (const Error& error) {
  if (error.code() != Errc::bad_usage) throw;
  return std::nullopt;
}

}  // namespace tuner::sources
