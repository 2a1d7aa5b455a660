#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tuner {

/// "NAME=value,NAME=value" → its parts. Commas inside a quoted value do not split.
std::vector<std::string> split_assignments(std::string_view text);
/// The same as parts of `text` itself, for many texts.
std::vector<std::string_view> assignment_parts(std::string_view text);
/// The same text, or words for that of a kernel without parameters: it has one configuration, whose text is empty.
std::string named_assignments(std::string_view text);
/// "NAME=value NAME=value", for people.
std::string spaced_assignments(std::string_view text);
/// The parts of `configuration` that `other` does not have, in order.
std::vector<std::string> differing_assignments(std::string_view configuration, std::string_view other);

}  // namespace tuner
