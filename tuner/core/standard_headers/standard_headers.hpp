#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tuner/header.hpp"

namespace tuner {

/// The text of a header that NVRTC is given in memory, by the name in `#include <name>`; nothing for any other.
/// Those of C++ and of CUDA's runtime that kernels use are small ones for device code (device/), because NVRTC has none
/// and the toolkit's cuda::std takes seconds. What only the host uses is empty.
std::optional<std::string_view> standard_header(std::string_view name);

/// Whether it is one of these, and not a user's of the same name.
bool is_standard(const Header& header);

/// The text of those that hold nothing.
std::string_view empty_header();
/// Whether it is one of those, or stands empty for one of the others.
bool is_for_host_only(const Header& header);

/// Those of C++ and of the system, with what they include: headers of the toolkit's include them as if they were there.
/// Made at the first call.
const std::vector<Header>& headers_of_language();

/// <cuda_runtime.h> and the two that NVRTC finds in the toolkit, too: kernels could always include them.
bool is_of_runtime(std::string_view name);

/// Those that the toolkit's headers include in place of the toolkit's own, so that int64_t is what nvcc makes of it.
bool is_in_place_of_toolkits(std::string_view name);

/// What stands before those that are no part of a kernel's identity.
Header mark_of_uncounted();
/// Whether headers from this one on are no part of a kernel's identity.
bool begins_uncounted(const Header& header);

/// Whether a header of that name is one of these, or of the toolkit's: no kernel of a user's is in it.
bool is_library_header(std::string_view name);

/// The others of these headers.
std::vector<Header> without_standard(const std::vector<Header>& headers);

}  // namespace tuner
