#include "tuner/core/standard_headers/unknown_member.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuner/core/standard_headers/device_headers.hpp"

namespace tuner {
namespace {

/// The header of ours for C++ that declares a member of std; empty if none does.
std::string_view header_that_declares(std::string_view member) {
  constexpr std::array kForms{
      "using ::{};",           "struct {} ", "struct {};", " {}(", "using {} =", "constexpr bool {} =",
      "constexpr size_t {} =", " {};",       " {}{{}};"};
  for (const DeviceHeader& header : device_headers()) {
    if (header.name.find_first_of("./") != std::string_view::npos) continue;
    const auto declares = [&](const char* form) {
      return header.text.find(fmt::format(fmt::runtime(form), member)) != std::string_view::npos;
    };
    if (std::any_of(kForms.begin(), kForms.end(), declares)) return header.name;
  }
  return {};
}

}  // namespace

std::string unknown_member_of_std(std::string_view member) {
  for (const std::string_view known : {"tuple", "optional", "variant", "complex", "span", "bitset", "atomic"}) {
    if (member != known) continue;
    return fmt::format(
        "`std::{0}` is not known in device code: use `cuda::std::{0}` from <cuda/std/{0}>; if only the "
        "host uses it, {1}",
        member, kForHost);
  }
  if (const std::string_view header = header_that_declares(member); !header.empty())
    return fmt::format("`std::{}` is not known here: include <{}>", member, header);
  return fmt::format(
      "`std::{0}` is not known in device code: the tuner's headers do not have it (docs/sources.md), but the toolkit's "
      "may: use `cuda::std::{0}` then; if only the host uses it, {1}",
      member, kForHost);
}

}  // namespace tuner
