#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tuner {

/// A CUDA source with kernels that it includes in their place, so that directives can stand above them.
struct ProgramText {
  std::string text;
  /// The files whose text is in place of the line that includes them, as that line calls them.
  std::vector<std::string> included;
  /// The text of the files beside it that launch kernels of `text` which it does not launch itself.
  std::string elsewhere;
};

/// Reads what `text`, the content of `file`, includes with quotes and what stands beside it. Files that cannot be read
/// are left alone. `folders` are searched for headers after the folder of the file that includes them. Where the text
/// has no kernel `kernel` (without its namespaces; empty: any does) then, reads what is included with angle brackets as
/// well, from those of `folders` that are not the toolkit's.
ProgramText program_text(std::string_view text, const std::filesystem::path& file,
                         const std::vector<std::filesystem::path>& folders, std::string_view kernel = {});

}  // namespace tuner
