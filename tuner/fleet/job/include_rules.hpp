#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::fleet {

/// Why `name`, as it stands in an include or names a file of data, may lead out of what a job carries: it is absolute,
/// leaves its folder by `..`, or holds what no name of a file should. Half a sentence; nothing if it may not.
std::optional<std::string> why_escapes(std::string_view name);

/// Why a compiler that reads `text` could be made to open a file of the machine that it runs on. Half a sentence;
/// nothing if it could not. Read with suspicion: whatever the text around it, comment or string, what looks like an
/// include is one, since what a scanner takes for a comment may be none to the compiler. So it may refuse an include
/// that stands in a comment, and passes none that the compiler would see.
std::optional<std::string> why_includes_escape(std::string_view text);

/// Why macros could paste `__has_include` together, which a compiler answers wherever it stands: the texts, all that it
/// reads of a job, have the words for it. Half a sentence; nothing if they have not. How macros paste does not matter,
/// nor whose they are; parts that only the toolkit has are not seen.
std::optional<std::string> why_pasting_escapes(const std::vector<std::string>& texts);

}  // namespace tuner::fleet
