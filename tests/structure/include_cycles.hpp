#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tuner::test {

/// By unit (a header and its source, "search/space/space"): the units that it includes with quotes.
using Includes = std::map<std::string, std::set<std::string>>;

/// The includes among the C++ files below `folders`. Public headers stand for "tuner/…" as they are included.
Includes read_includes(const std::filesystem::path& root, const std::vector<std::string>& folders);

/// A cycle, first unit repeated at its end; empty if there is none.
std::vector<std::string> find_cycle(const Includes& includes);

}  // namespace tuner::test
