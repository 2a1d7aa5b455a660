#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace tuner::cli {

/// Prints "tuner: SENTENCE" on standard error as `printable`; further lines of it are indented.
void say(std::string_view sentence);
/// Prints "tuner: warning: SENTENCE" on standard error.
void warn(const std::string& sentence);
/// Prints text as `printable` on standard output. Names, values and paths of others stand in it as `one_line`.
void print(std::string_view text);

/// What stands for standard output in the place of a file's name.
inline constexpr std::string_view kStandardOutput = "-";
/// Prints the text of a file on standard output, byte for byte unless a terminal shows it.
void print_file(std::string_view text);

/// How wide lines on standard output may be: kReportWidth, or what its terminal has if that is less. kUnwrapped where
/// it is no terminal, so that a program or `grep` finds every sentence on one line. Standard error is never wrapped.
std::size_t output_width();
/// tuner::labelled for standard output.
std::string labelled(std::string_view label, std::string_view text);

/// "2 binaries": no word that `counted` could put into the plural.
std::string count_binaries(std::uint64_t number);

/// `path` as a word of a command that a sentence shows, in quotes where a shell needs them.
std::string in_command(const std::filesystem::path& path);

}  // namespace tuner::cli
