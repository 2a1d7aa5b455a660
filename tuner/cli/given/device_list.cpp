#include "tuner/cli/given/device_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>

#include "tuner/core/base/printable.hpp"
#include "tuner/engine/workplace/find_devices.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

constexpr int kGreatest = 1023;

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number >= 0 && number <= kGreatest ? std::optional(number) : std::nullopt;
}

}  // namespace

std::vector<int> read_device_list(const std::string& text) {
  std::set<int> numbers;
  if (text == "all") {
    for (const DeviceInfo& device : engine::find_devices()) numbers.insert(device.ordinal);
    return {numbers.begin(), numbers.end()};
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view entry = std::string_view(text).substr(begin, end - begin);
    const std::size_t dash = entry.find('-');
    const auto first = number_of(entry.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number_of(entry.substr(dash + 1));
    if (!first || !last || *last < *first) {
      throw Error(Errc::bad_usage,
                  fmt::format("--devices {} does not say which GPUs: give all, numbers such as 0,2, or a range such as "
                              "0-3. `tuner devices` lists them.",
                              one_line(text)));
    }
    for (int number = *first; number <= *last; ++number) numbers.insert(number);
    begin = end + 1;
  }
  return {numbers.begin(), numbers.end()};
}

}  // namespace tuner::cli
