#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/sources/recorded/compiler_command.hpp"

// What the words of a command say. All of it is read from the words: no file is looked at.

namespace tuner::sources {

enum class CompilerKind { nvcc, clang, nvcxx };

/// The compiler that a file of this name is, whatever its folder: "nvcc", "clang++-16", "nvc++". Nothing for others.
std::optional<CompilerKind> compiler_kind(const std::filesystem::path& program);

/// What a command is for.
enum class Work {
  nothing,  ///< it prints something, or has no CUDA in it
  compile,  ///< of CUDA sources, whether it links then or not
  link,     ///< of objects, by nvcc, which links their device code if it is relocatable
};
Work work_of(const CompilerCommand& command);

/// The CUDA sources that it compiles, absolute, in the order of its words: `.cu`, and what it is told to take for CUDA
/// (`-x cu`). Empty for a link.
std::vector<std::filesystem::path> sources_of(const CompilerCommand& command);

/// A source of a build, by the command that compiled it.
struct SourceOfBuild {
  CompilerCommand command;
  std::string source;               ///< absolute
  std::vector<std::string> linked;  ///< what linked_with says, where it is wanted
};
/// All of them, the newest first: each by the last command that makes the same file of it, so several times where the
/// build compiles it with other options, too.
std::vector<SourceOfBuild> sources_of_build(const std::vector<CompilerCommand>& build);

/// The object, or the program, that the command makes of the source; absolute.
std::string object_of(const SourceOfBuild& one);

/// The objects and archives, absolute, that the last link by nvcc has beside the object of a source. Libraries that it
/// looks for (-l) are not among them.
std::vector<std::string> linked_with(const std::vector<CompilerCommand>& build, const SourceOfBuild& one);

/// Where nvcc looks for headers beside the source's own folder: its -I, absolute, in their order.
std::vector<std::filesystem::path> include_folders_of(const CompilerCommand& command);

/// What it makes, of what: two commands with the same text write the same file from the same sources. For comparisons
/// only.
std::string product_of(const CompilerCommand& command);

}  // namespace tuner::sources
