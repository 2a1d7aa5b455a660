#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "tuner/core/description/code_text.hpp"
#include "tuner/header.hpp"

// The compiler gets headers by name, whatever includes them. Two files of one name are told apart here.

namespace tuner {

/// A header that a source includes, or one of its headers.
struct FoundHeader {
  Header header;
  std::filesystem::path file;    ///< in canonical form; empty if its text was given
  std::filesystem::path folder;  ///< where what it includes with quotes is looked for first
};

/// The file that an include means in a file of `folder`; empty if it is none of the user's.
using IncludedFile =
    std::function<std::filesystem::path(const CodeText::Include& include, const std::filesystem::path& folder)>;

/// Gives each file a name of its own, and writes it where `headers` include the file. The names that the source says
/// stay as they are. Throws Error{bad_description} if it says one name of two files. No name depends on where the files
/// are. Does nothing where no name has two files.
void tell_apart(std::string_view source, const std::filesystem::path& folder, std::vector<FoundHeader>& headers,
                const IncludedFile& file_of);

}  // namespace tuner
