#include "tuner/capture/incoming.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <string>

using namespace tuner::capture;

namespace {

template <typename T>
void append(std::string& packet, const T& value) {
  packet.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string packet(MessageKind kind, const std::string& body = {}) {
  std::string bytes;
  append(bytes, MessageHead{.kind = kind, .process = 17});
  return bytes + body;
}

std::string launches(const LaunchSums& sums, const std::string& name = "kernel") {
  std::string body;
  append(body, LaunchShape{.grid = {4, 1, 1}, .block = {32, 1, 1}});
  append(body, sums);
  return packet(MessageKind::launches, body + name);
}

constexpr LaunchSums kTwo{.launches = 2, .total = 30, .squares = 500, .shortest = 10, .longest = 20};

std::optional<Incoming> read(const std::string& bytes) {
  return read_message(std::as_bytes(std::span(bytes)));
}

}  // namespace

TEST_CASE("a message is read as it was sent") {
  const std::optional<Incoming> message = read(launches(kTwo));
  REQUIRE(message);
  CHECK(message->process == 17);
  CHECK(message->text == "kernel");
  CHECK(message->shape.grid[0] == 4);
  CHECK(message->sums.total == 30);
  CHECK(read(packet(MessageKind::trouble, "No."))->text == "No.");
  CHECK(read(packet(MessageKind::hello)));
}

TEST_CASE("a message that ends anywhere before its text is refused") {
  const std::string whole = launches(kTwo, "k");
  for (std::size_t size = 0; size < whole.size(); ++size) CHECK(!read(whole.substr(0, size)));
  CHECK(read(whole));
}

TEST_CASE("messages of another version or kind, with more than they have, or with a name without end are refused") {
  std::string other_version = packet(MessageKind::hello);
  other_version[0] = static_cast<char>(other_version[0] + 1);
  CHECK(!read(other_version));
  CHECK(!read(packet(static_cast<MessageKind>(99), "text")));
  CHECK(!read(packet(MessageKind::hello, "more")));
  CHECK(!read(launches(kTwo, std::string(kLongestKernelName + 1, 'x'))));
}

TEST_CASE("times that no launches have are refused") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kEndless = std::numeric_limits<double>::infinity();
  for (double LaunchSums::*const member :
       {&LaunchSums::total, &LaunchSums::squares, &LaunchSums::shortest, &LaunchSums::longest}) {
    for (const double value : {kNan, kEndless, -1.0}) {
      LaunchSums sums = kTwo;
      sums.*member = value;
      CHECK(!read(launches(sums)));
    }
  }
  for (const std::uint64_t launches_said : {std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()}) {
    LaunchSums sums = kTwo;
    sums.launches = launches_said;
    CHECK(!read(launches(sums)));
  }
}
