#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/description/code_text.hpp"

// Programs have their kernels and what runs on the host in one file, and NVRTC compiles no function of the host.

namespace tuner {

/// Whether the source has a `main`, or a function that launches kernels with <<<>>>, in no condition by which NVRTC
/// might skip it. Such a source cannot be compiled as it is: whatever is made of it changes nothing for any other.
bool has_host_code(std::string_view source);

/// The source with its functions of the host blank, and with their declarations; docs/sources.md says which these are.
/// Lines stay where they are, as do conditions and macros of the preprocessor. Linear in the length of the source.
/// `further` are macros of other files, as far as they may mark a function.
std::string blank_host_code(std::string_view source, const std::vector<CodeText::Macro>& further = {});

/// The same for hashing, where what stands in those functions must not count, nor how many lines: without them.
std::string without_host_code(std::string_view source);

/// The name of the function that a place of the source stands in or is declared at, if nothing in the source marks it
/// as the device's; empty otherwise.
std::string unmarked_function_at(std::string_view source, std::size_t place);

}  // namespace tuner
