#pragma once

#include <cstddef>
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

/// How many numbers a value is made of: one a member, or one a byte.
inline std::size_t value_count(const Argument& argument) {
  return argument.bytes.empty() ? argument.members.size() : argument.bytes.size() / 2;
}

}  // namespace tuner
