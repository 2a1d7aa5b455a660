#include <fmt/format.h>

#include <algorithm>

#include "search/expression/expression.hpp"
#include "search/expression/messages.hpp"

namespace tuner::search {
namespace {

constexpr std::size_t kLongestName = 200;  // distances take quadratic time; nothing longer is a misspelt name

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// How many insertions, deletions, replacements and exchanges of neighbours lead from `a` to `b`, where no letter is
/// touched twice ("optimal string alignment"; F. J. Damerau, CACM 7(3), 1964, and R. A. Wagner and M. J. Fischer,
/// JACM 21(1), 1974, for the table).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// One mistake for every three letters, at most four; names of one letter are never alike.
std::size_t most_mistakes(std::size_t length) {
  if (length < 2) return 0;
  return std::clamp<std::size_t>(length / 3, 1, 4);
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.empty() || name.size() > kLongestName) return {};
  const std::string wanted = lower(name);  // `blockdimx` is near BLOCKDIMX
  const std::string* best = nullptr;
  std::size_t least = most_mistakes(name.size()) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate == name) return candidate;
    const std::size_t difference = std::max(candidate.size(), name.size()) - std::min(candidate.size(), name.size());
    if (difference >= least) continue;
    const std::size_t distance = edit_distance(wanted, lower(candidate));
    if (distance >= least) continue;
    least = distance;
    best = &candidate;
  }
  return best != nullptr ? *best : std::string();
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t kReadable = 24;
  const std::string near = nearest_name(name, known);
  if (!near.empty()) return fmt::format(" (did you mean `{}`?)", near);
  if (known.empty() || known.size() > kReadable) return {};
  return fmt::format(" (known: {})", fmt::join(known, ", "));
}

}  // namespace tuner::search
