#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::test {

/// The names of ours in a file, as its text shows them: nothing is compiled.
struct OwnNames {
  std::set<std::string> files;     ///< of ours that it includes, by their path from the root
  std::set<std::string> words;     ///< all, with the macros that it defines
  std::set<std::string> declared;  ///< in a namespace: types, functions, constants, macros
  std::set<std::string> used;      ///< those that it does not declare itself, in whatever scope
};

OwnNames own_names(std::string_view source);

/// By path from the root: the C++ files below `folders`.
std::map<std::string, OwnNames> read_own_names(const std::filesystem::path& root,
                                               const std::vector<std::string>& folders);

/// A line for each name of a header of ours that a file uses, though no file of ours that it reaches mentions it. A
/// batch of files, compiled as one, hides that.
std::vector<std::string> find_missing(const std::map<std::string, OwnNames>& files);

}  // namespace tuner::test
