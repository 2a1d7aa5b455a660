#pragma once

#include <string>
#include <string_view>

// Programs have their kernels and what runs on the host in one file, and NVRTC compiles no function of the host.

namespace tuner {

/// Whether the source has a `main`, or a function that launches kernels with <<<>>>, in no condition by which NVRTC
/// might skip it. Such a source cannot be compiled as it is: whatever is made of it changes nothing for any other.
bool has_host_code(std::string_view source);

/// The source with its functions of the host blank: `main`, those that launch, and all others that neither are declared
/// __device__, __global__ or constexpr, themselves, elsewhere in the source or with their class, nor bear a name in
/// capitals, which may be a macro for that, nor specialise a template; with their declarations. Lines stay where they
/// are, as do conditions and macros of the preprocessor.
std::string blank_host_code(std::string_view source);

/// The same for hashing, where what stands in those functions must not count, nor how many lines: without them.
std::string without_host_code(std::string_view source);

}  // namespace tuner
