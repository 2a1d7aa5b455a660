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

using BuildSources = std::vector<sources::SourceOfBuild>;

bool is_same_file(const fs::path& one, const fs::path& other) {
  std::error_code none;
  return one == other || fs::equivalent(one, other, none);
}

/// The source of the build that a kernel file is, or was made from.
const sources::SourceOfBuild& source_of(const BuildSources& all, const fs::path& file, const fs::path& build_file) {
  std::set<std::string> sources, alike;
  for (const sources::SourceOfBuild& one : all) {
    if (is_same_file(one.source, file)) return one;
    sources.insert(one.source);
    if (fs::path(one.source).filename() == file.filename()) alike.insert(one.source);
  }
  for (const std::set<std::string>& some : {alike, sources})
    if (some.size() == 1) return *std::ranges::find(all, *some.begin(), &sources::SourceOfBuild::source);
  std::set<std::string> names;
  for (const std::string& source : alike.empty() ? sources : alike) names.insert(one_line(source));
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
  if (build.distrust) throw Error(Errc::bad_usage, fmt::format("{}. Record the build yourself.", *build.distrust));
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
          "with --build: which source of the program the kernel file was made from, or what the build makes of that "
          "source where it compiles it several times; default: the file itself, else the only one with its name, else "
          "the only one"};
}

Option compiler_option() {
  return {"compiler", Option::Kind::value, "auto|nvrtc|nvcc", "with --build: which compiler is used; default auto"};
}

engine::CompilerChoice compiler_choice(const Arguments& arguments) {
  const std::string text = arguments.value("compiler").value_or("auto");
  for (const auto& [name, choice] :
       {std::pair("auto", CompilerChoice::automatic), std::pair("nvrtc", CompilerChoice::nvrtc),
        std::pair("nvcc", CompilerChoice::nvcc)})
    if (text == name) return choice;
  throw Error(Errc::bad_usage, fmt::format("--compiler is auto, nvrtc or nvcc, not `{}`.", text));
}

std::optional<engine::RecordedSource> recorded_source(const Arguments& arguments, const fs::path& file) {
  const CompilerChoice wanted = compiler_choice(arguments);
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
  const std::vector<sources::CompilerCommand> build = read_build(build_file).commands;
  const BuildSources all = sources::sources_of_build(build);
  const auto recorded = [&](const sources::SourceOfBuild& one) {
    return engine::RecordedSource{{one.command, one.source, sources::linked_with(build, one)}, wanted};
  };
  const std::optional<std::string> named = arguments.value("source");
  if (!named) return recorded(source_of(all, fs::absolute(file), build_file));
  const fs::path source = fs::absolute(*named).lexically_normal();
  const auto found = std::ranges::find_if(
      all, [&](const auto& one) { return is_same_file(one.source, source) || sources::object_of(one) == source; });
  if (found != all.end()) return recorded(*found);
  throw Error(Errc::bad_usage, fmt::format("{} does not compile {}: name another source, or record the build again.",
                                           build_file.string(), source.string()));
}

std::chrono::milliseconds compile_timeout(const std::optional<engine::RecordedSource>& recorded) {
  constexpr std::chrono::minutes kWithNvcc{2};
  return recorded ? kWithNvcc : engine::CompilePoolOptions().timeout;
}

void add_header_folders(const std::optional<engine::RecordedSource>& recorded, std::vector<fs::path>& folders) {
  if (!recorded) return;
  folders.push_back(fs::path(recorded->of.source).parent_path());
  for (fs::path& folder : sources::include_folders_of(recorded->of.command)) folders.push_back(std::move(folder));
}

}  // namespace tuner::cli
