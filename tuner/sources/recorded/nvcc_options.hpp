#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::sources {

/// What becomes of an option of nvcc when a command is turned into one for the device alone.
enum class NvccUse {
  keep,          ///< it may change the device's code
  drop,          ///< it says what is made beside that, where it goes, or how it is linked
  phase_ptx,     ///< only PTX is made, which the driver compiles
  architecture,  ///< -arch
  code,          ///< -code
  generate,      ///< -gencode
  relocatable,   ///< -dc
  whole,         ///< -dw
  assembler,     ///< for ptxas, which the driver does not run
  host,          ///< -Xcompiler: it may define macros, and write files
  file,          ///< -optf: options in a file
  link_time      ///< code is made where the program is linked
};

enum class NvccValue { none, one, list };

struct NvccOption {
  std::string_view long_name;   ///< behind "--"
  std::string_view short_name;  ///< behind "-"
  NvccValue value = NvccValue::none;
  NvccUse use = NvccUse::keep;
};

/// An option of a command with its value, or an input file.
struct NvccWord {
  std::vector<std::string> words;      ///< as they stand in the command: one, or two where the value is the next word
  const NvccOption* option = nullptr;  ///< none: an input file, or a flag that changes nothing here
  std::string value;                   ///< of an option that takes one; the file's name
  bool is_input() const { return option == nullptr && !words.front().starts_with('-'); }
};

/// Whether the option of this name, long or short and without dashes, has a value.
bool nvcc_takes_value(std::string_view name);

/// A command's arguments, behind the program's name, as nvcc reads them: `-o FILE`, `-o=FILE`, `--output-file=FILE`,
/// and
/// `-DNAME` for options of one letter. Pure.
std::vector<NvccWord> read_nvcc_words(std::span<const std::string> arguments);

/// The words of NVCC_PREPEND_FLAGS or NVCC_APPEND_FLAGS: nvcc splits these at blanks, and quotes mean nothing there.
std::vector<std::string> nvcc_flags(std::string_view value);

/// The parts of a value with commas; `\,` is a comma within one.
std::vector<std::string> nvcc_list(std::string_view value);

}  // namespace tuner::sources
