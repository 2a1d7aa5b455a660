#include "tuner/cli/given/compiler_option.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "tuner/core/base/printable.hpp"
#include "tuner/engine/compile/pool.hpp"
#include "tuner/error.hpp"
#include "tuner/sources/recorded/build_file.hpp"
#include "tuner/sources/recorded/compile_commands.hpp"
#include "tuner/sources/recorded/compiler_words.hpp"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;
using engine::CompilerChoice;

CompilerChoice choice_of(const Arguments& arguments) {
  const std::string text = arguments.value("compiler").value_or("auto");
  for (const auto& [name, choice] :
       {std::pair("auto", CompilerChoice::automatic), std::pair("nvrtc", CompilerChoice::nvrtc),
        std::pair("nvcc", CompilerChoice::nvcc)})
    if (text == name) return choice;
  throw Error(Errc::bad_usage, fmt::format("--compiler is auto, nvrtc or nvcc, not `{}`.", text));
}

/// The source of the build that a kernel file is, or was made from.
fs::path source_of(const sources::RecordedBuild& build, const fs::path& file, const fs::path& build_file) {
  std::set<fs::path> all, alike;
  for (const sources::CompilerCommand& command : build.commands) {
    for (const fs::path& source : sources::sources_of(command)) {
      all.insert(source);
      std::error_code none;
      if (fs::equivalent(source, file, none)) return source;
      if (source.filename() == file.filename()) alike.insert(source);
    }
  }
  if (alike.size() == 1) return *alike.begin();
  if (all.size() == 1) return *all.begin();
  std::vector<std::string> names;
  for (const fs::path& source : alike.empty() ? all : alike) names.push_back(one_line(source.string()));
  throw Error(Errc::bad_usage,
              fmt::format("{} does not say which source {} was made from: name it with --source. It compiles {}.",
                          build_file.string(), file.string(),
                          names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

}  // namespace

sources::RecordedBuild read_build(const fs::path& file) {
  sources::RecordedBuild build = file.filename() == "compile_commands.json" ? sources::read_compile_commands(file)
                                                                            : sources::read_build_file(file);
  // It says which programs to start.
  if (build.distrust) throw Error(Errc::bad_usage, fmt::format("{} Record the build yourself.", *build.distrust));
  return build;
}

Option build_option(const std::string& prefix) {
  return {"build", Option::Kind::value, "FILE",
          prefix +
              "how the program is built: what `tuner capture --build` wrote, or a compile_commands.json. A kernel that "
              "NVRTC does not compile, or compiles to other machine code, is compiled by the nvcc that is named there, "
              "with its options"};
}

Option source_option() {
  return {"source", Option::Kind::value, "FILE",
          "with --build: which source of the program the kernel file was made from; default: the file itself, else the "
          "only one with its name, else the only one"};
}

Option compiler_option() {
  return {"compiler", Option::Kind::value, "auto|nvrtc|nvcc", "with --build: which compiler is used; default auto"};
}

std::optional<engine::RecordedSource> recorded_source(const Arguments& arguments, const fs::path& file) {
  const CompilerChoice wanted = choice_of(arguments);
  if (!arguments.has("build")) {
    if (wanted == CompilerChoice::nvcc || arguments.has("source"))
      throw Error(
          Errc::bad_usage,
          fmt::format("{} needs --build FILE, which says how the program is compiled: `tuner capture --build -- "
                      "make` records that.",
                      wanted == CompilerChoice::nvcc ? "--compiler nvcc" : "--source"));
    return std::nullopt;
  }
  const fs::path build_file = *arguments.value("build");
  const sources::RecordedBuild build = read_build(build_file);
  const std::optional<std::string> named = arguments.value("source");
  const fs::path source =
      named ? fs::absolute(*named).lexically_normal() : source_of(build, fs::absolute(file), build_file);
  // Of several the last one: what was compiled again took its place.
  for (auto command = build.commands.rbegin(); command != build.commands.rend(); ++command) {
    const std::vector<fs::path> of_command = sources::sources_of(*command);
    const auto is_it = [&](const fs::path& one) {
      std::error_code none;
      return one == source || fs::equivalent(one, source, none);
    };
    const auto found = std::ranges::find_if(of_command, is_it);
    if (found != of_command.end()) return engine::RecordedSource{*command, found->string(), wanted};
  }
  throw Error(Errc::bad_usage, fmt::format("{} does not compile {}: name another source, or record the build again.",
                                           build_file.string(), source.string()));
}

std::chrono::milliseconds compile_timeout(const std::optional<engine::RecordedSource>& recorded) {
  constexpr std::chrono::minutes kWithNvcc{2};
  return recorded ? kWithNvcc : engine::CompilePoolOptions().timeout;
}

std::vector<fs::path> header_folders(const engine::RecordedSource& recorded) {
  std::vector<fs::path> folders = sources::include_folders_of(recorded.command);
  folders.insert(folders.begin(), fs::path(recorded.source).parent_path());
  return folders;
}

}  // namespace tuner::cli
