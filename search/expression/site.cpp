#include "search/expression/site.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "search/expression/quoting.hpp"

namespace tuner::search {
namespace {

/// At most about 100 bytes of `text` around `offset`, on one line.
std::string excerpt(std::string_view text, std::size_t offset) {
  constexpr std::size_t kReach = 50;
  const std::size_t begin = text.size() <= 2 * kReach || offset <= kReach ? 0 : offset - kReach;
  const std::size_t end = std::min(text.size(), std::max(begin + 2 * kReach, offset));
  std::string result(text.substr(begin, end - begin));
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return (begin > 0 ? "..." : "") + result + (end < text.size() ? "..." : "");
}

}  // namespace

void ExpressionSite::fail(std::string_view complaint) const {
  throw ExpressionError(fmt::format("In `{}`: {}.", excerpt(text, offset), with_short_quotations(complaint)), offset);
}

}  // namespace tuner::search
