#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tuner {

/// What a kernel's description may say to the run-time compiler. A description may come from another person, and NVRTC
/// has options that write files (`--time=`, `--create-pch=`), load them or hand words on to other programs. So there
/// is a list: options that choose the language or the machine code, and `-I`, which says no more than an #include.
/// An option is one word, as in `-DN=4` or `--fmad=false`; as in shells, its value may also be the next one.

/// Why `option` is not passed on, as the rest of a sentence that begins with a place; nothing if it is. Of an option
/// whose value is the next word both must be joined first.
std::optional<std::string> why_refused(std::string_view option);

/// Whether the value of `option` is the next word: `-I`, `--define-macro`, `-Xptxas`.
bool value_follows(std::string_view option);
/// The folder that an option adds to where headers are looked for; nothing for any other option.
std::optional<std::string_view> include_folder(std::string_view option);
/// The two as one word.
std::string joined_option(std::string_view option, std::string_view value);

}  // namespace tuner
