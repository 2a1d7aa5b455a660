#pragma once

#include <string>
#include <string_view>

#include "tuner/core/description/description.hpp"

namespace tuner {

/// A member with its braces, "{2 * n", and `text` in the place of its expression.
inline std::string member_text(const ValueMember& member, std::string_view text) {
  return std::string(static_cast<std::size_t>(member.opening), '{') + std::string(text) +
         std::string(static_cast<std::size_t>(member.closing), '}');
}
inline std::string member_text(const ValueMember& member) {
  return member_text(member, member.value.text());
}

}  // namespace tuner
