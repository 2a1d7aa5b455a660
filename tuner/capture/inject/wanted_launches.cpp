#include "tuner/capture/inject/wanted_launches.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace tuner::capture {
namespace {

bool is_alike(const LaunchShape& a, const LaunchShape& b) {
  return std::equal(std::begin(a.grid), std::end(a.grid), b.grid) &&
         std::equal(std::begin(a.block), std::end(a.block), b.block) && a.dynamic_shared == b.dynamic_shared;
}

/// "ORDINAL", or "ORDINAL GRID GRID GRID BLOCK BLOCK BLOCK SHARED".
std::optional<OpenRequest> read_wanted(const char* line) {
  unsigned long long ordinal = 0;
  LaunchShape shape;
  const int numbers =
      std::sscanf(line, "%llu %u %u %u %u %u %u %u", &ordinal, &shape.grid[0], &shape.grid[1], &shape.grid[2],
                  &shape.block[0], &shape.block[1], &shape.block[2], &shape.dynamic_shared);
  if (numbers == 1) return OpenRequest{.ordinal = ordinal};
  return numbers == 8 ? std::optional(OpenRequest{.ordinal = ordinal, .shape = shape}) : std::nullopt;
}

/// Takes the first line from `text`.
std::string next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string line(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

std::optional<WantedLaunches> WantedLaunches::from_environment() {
  const char* const variable = std::getenv(kWantedVariable);
  if (variable == nullptr) return std::nullopt;
  std::string_view text = variable;
  WantedLaunches wanted;
  wanted.kernel_ = next_line(text);
  unsigned long long limit = 0, longest = 0;
  if (std::sscanf(next_line(text).c_str(), "%llu %llu", &limit, &longest) != 2) return std::nullopt;
  wanted.limit_ = limit;
  wanted.longest_ = longest;
  while (!text.empty()) {
    if (const std::optional<OpenRequest> launch = read_wanted(next_line(text).c_str()))
      wanted.launches_.push_back(*launch);
  }
  return wanted.launches_.empty() ? std::nullopt : std::optional(wanted);
}

std::optional<std::size_t> WantedLaunches::take(const LaunchShape& shape) {
  ++seen_;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    OpenRequest& launch = launches_[i];
    if (launch.shape && !is_alike(*launch.shape, shape)) continue;
    ++launch.seen;
    if (!found && !launch.done && launch.seen >= launch.ordinal) found = i;
  }
  return found;
}

bool WantedLaunches::all_done() const {
  return std::ranges::all_of(launches_, &OpenRequest::done);
}

}  // namespace tuner::capture
