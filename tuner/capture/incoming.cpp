#include "tuner/capture/incoming.hpp"

#include <cstdint>
#include <cstring>

namespace tuner::capture {
namespace {

/// Takes values from the beginning of a packet.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> rest) : rest_(rest) {}

  template <typename T>
  bool take(T& value) {
    if (rest_.size() < sizeof value) return false;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_ = rest_.subspan(sizeof value);
    return true;
  }
  std::string text() const { return {reinterpret_cast<const char*>(rest_.data()), rest_.size()}; }
  bool is_empty() const { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
};

/// A thousand years, in nanoseconds.
constexpr double kLongestTime = 3.2e19;
/// More than can have happened since the last message.
constexpr std::uint64_t kMostLaunches = 1000000000000;

bool is_possible(const LaunchSums& sums) {
  const auto in = [](double low, double value, double high) { return low <= value && value <= high; };  // no NaN is
  return sums.launches > 0 && sums.launches <= kMostLaunches && in(0, sums.shortest, sums.longest) &&
         in(sums.longest, sums.total, kLongestTime) && in(0, sums.squares, kLongestTime * kLongestTime);
}

}  // namespace

std::optional<Incoming> read_message(std::span<const std::byte> packet) {
  Reader reader(packet);
  MessageHead head;
  if (!reader.take(head) || head.version != kMessageVersion) return std::nullopt;
  Incoming message{.kind = head.kind, .process = head.process};
  switch (head.kind) {
    case MessageKind::hello:
    case MessageKind::bye:
    case MessageKind::done:
      return reader.is_empty() ? std::optional(message) : std::nullopt;
    case MessageKind::launches:
      if (!reader.take(message.shape) || !reader.take(message.sums) || !is_possible(message.sums)) return std::nullopt;
      if (reader.text().size() > kLongestKernelName) return std::nullopt;
      break;
    case MessageKind::stored:
      return reader.take(message.wanted) && reader.is_empty() ? std::optional(message) : std::nullopt;
    case MessageKind::trouble:
      break;
    default:
      return std::nullopt;
  }
  message.text = reader.text();
  return reader.is_empty() ? std::nullopt : std::optional(message);
}

}  // namespace tuner::capture
