#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace tuner {

/// `text` with directives above each of its kernels, or above `kernel` if that is not empty: proposals from the
/// kernel's signature, constants and launches. What only its author knows is guessed, and asked in a line `// ? …`.
/// Constants that become parameters are put within `#ifndef`. `file` is for messages. Throws Error{bad_description} if
/// there is no kernel, none of that name, none that can be described, or if the file has directives already.
/// `elsewhere` is the text of other files with host code that launches the kernels. `complaint_about` says what is
/// wrong with such a text, or nothing: directives of kernels that it complains about are made comments, with that
/// sentence.
std::string skeleton(std::string_view text, const std::filesystem::path& file, std::string_view kernel = {},
                     std::string_view elsewhere = {},
                     const std::function<std::string(const std::string&)>& complaint_about = {});

}  // namespace tuner
