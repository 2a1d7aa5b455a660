#pragma once

#include <string>
#include <string_view>

namespace tuner {

/// How to keep from the compiler what only the host needs, as the end of a sentence.
inline constexpr std::string_view kForHost = "put it between `#ifndef __CUDACC_RTC__` and `#endif`";

/// What is said, without a full stop, where the source names a member of std that the headers it includes do not have.
std::string unknown_member_of_std(std::string_view member);

}  // namespace tuner
