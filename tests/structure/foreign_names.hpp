#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tuner/core/description/code_text.hpp"

namespace tuner::test {

/// What a file takes from elsewhere.
struct FileUse {
  std::set<std::string> files;    ///< of ours that it includes, by their path from the root
  std::set<std::string> headers;  ///< of others that it includes, be it with quotes or with angle brackets
  std::set<std::string> names;    ///< of libraries ("std::sort", "fmt::join"), and what may be a macro ("EINTR")
};

/// The paths from the root of the C++ files below `folders`.
std::vector<std::string> cpp_files(const std::filesystem::path& root, const std::vector<std::string>& folders);

/// The files of ours that `file` includes, be it with quotes or with angle brackets; all by their path from the root.
std::set<std::string> files_of_ours(const std::filesystem::path& root, const std::string& file, const CodeText& text);

/// By path from the root: the C++ files below `folders`.
std::map<std::string, FileUse> read_uses(const std::filesystem::path& root, const std::vector<std::string>& folders);

/// The names that a file uses, as `FileUse` has them.
std::set<std::string> foreign_names(std::string_view source);

/// By header: those of `names` that are known once it is included, to a compiler by its command, which reports all
/// errors. A header that this machine lacks makes none known. Compiles each header once, on all cores.
std::map<std::string, std::set<std::string>> known_names(const std::string& compiler,
                                                         const std::set<std::string>& headers,
                                                         const std::set<std::string>& names);

/// A line for each use of a name that no header included by the file, or by what it includes, makes known. Names that
/// no header at all makes known are our own.
std::vector<std::string> find_missing(const std::map<std::string, FileUse>& uses,
                                      const std::map<std::string, std::set<std::string>>& known);

}  // namespace tuner::test
