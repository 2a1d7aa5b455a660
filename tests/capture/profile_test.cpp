#include "tuner/capture/profile.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace tuner::capture;

namespace {

std::string packet_of(MessageKind kind, const std::string& body, int process = 1) {
  const MessageHead head{.kind = kind, .process = process};
  return std::string(reinterpret_cast<const char*>(&head), sizeof head) + body;
}

void add(ProfileBuilder& builder, MessageKind kind, const std::string& body = {}, int process = 1) {
  const std::string packet = packet_of(kind, body, process);
  builder.add(std::as_bytes(std::span(packet)));
}

std::string launch_packet(const std::string& kernel, double time, std::uint32_t blocks) {
  const LaunchShape shape{.grid = {blocks, 1, 1}, .block = {32, 1, 1}};
  const LaunchSums sums{1, time, time * time, time, time};
  return packet_of(MessageKind::launches, std::string(reinterpret_cast<const char*>(&shape), sizeof shape) +
                                              std::string(reinterpret_cast<const char*>(&sums), sizeof sums) + kernel);
}

void add_launch(ProfileBuilder& builder, const std::string& kernel, double time, std::uint32_t blocks) {
  const std::string packet = launch_packet(kernel, time, blocks);
  builder.add(std::as_bytes(std::span(packet)));
}

}  // namespace

TEST_CASE("launches are added up by kernel and shape, those with most time first") {
  ProfileBuilder builder;
  add_launch(builder, "short", 10, 1);
  add_launch(builder, "long", 100, 1);
  add_launch(builder, "long", 200, 2);
  add_launch(builder, "long", 250, 2);
  const Profile profile = builder.take();
  REQUIRE(profile.kernels.size() == 2);
  CHECK(profile.sums.total == 560);
  CHECK(profile.kernels[0].name == "long");
  CHECK(profile.kernels[0].sums.launches == 3);
  REQUIRE(profile.kernels[0].shapes.size() == 2);
  CHECK(profile.kernels[0].shapes[0].shape.grid[0] == 2);
  CHECK(profile.kernels[0].shapes[0].sums.shortest == 200);
}

TEST_CASE("the spread is the standard deviation relative to the mean") {
  CHECK(relative_spread({.launches = 2, .total = 20, .squares = 208}) == doctest::Approx(0.28284).epsilon(1e-4));
  CHECK(relative_spread({.launches = 1, .total = 20, .squares = 400}) == 0);
  CHECK(relative_spread({.launches = 3, .total = 30, .squares = 299}) == 0);
}

TEST_CASE("a profile is complete when every process has said that it ends") {
  ProfileBuilder builder;
  add(builder, MessageKind::hello, "", 1);
  add(builder, MessageKind::hello, "", 2);
  add(builder, MessageKind::bye, "", 1);
  Profile profile = builder.take();
  CHECK(profile.processes == 2);
  CHECK(!profile.complete);
}

TEST_CASE("a process that begins again without an end has not sent everything") {
  ProfileBuilder builder;
  add(builder, MessageKind::hello);
  add(builder, MessageKind::hello);
  add(builder, MessageKind::bye);
  CHECK(!builder.take().complete);
}

TEST_CASE("shapes of all kernels together could fill the memory") {
  ProfileBuilder builder;
  for (int kernel = 0; kernel < 60; ++kernel) {
    for (std::uint32_t i = 0; i < 1000; ++i) add_launch(builder, "kernel" + std::to_string(kernel), 1, i + 1);
  }
  std::size_t shapes = 0;
  const Profile profile = builder.take();
  for (const KernelProfile& kernel : profile.kernels) shapes += kernel.shapes.size();
  CHECK(profile.kernels.size() == 60);
  CHECK(profile.sums.launches == 60000);
  CHECK(shapes < 51000);
}

TEST_CASE("a packet with any byte changed is refused, or its numbers stay such as launches have") {
  const std::string packet = launch_packet("kernel", 100, 1);
  for (std::size_t at = 0; at < packet.size(); ++at) {
    for (const char change : {'\x01', '\x80', '\xff'}) {
      std::string changed = packet;
      changed[at] = static_cast<char>(changed[at] ^ change);
      ProfileBuilder builder;
      builder.add(std::as_bytes(std::span(changed)));
      const Profile profile = builder.take();
      for (const KernelProfile& kernel : profile.kernels) {
        CHECK(kernel.sums.total < 1e20);
        CHECK(kernel.shapes.size() == 1);
        CHECK(relative_spread(kernel.sums) >= 0);
      }
    }
  }
}

TEST_CASE("a program cannot fill the memory with kernels, shapes and sentences") {
  ProfileBuilder builder;
  for (std::uint32_t i = 0; i < 3000; ++i) add_launch(builder, "kernel", 1, i + 1);
  for (int i = 0; i < 21000; ++i) add_launch(builder, "kernel" + std::to_string(i), 1, 1);
  for (int i = 0; i < 100; ++i) add(builder, MessageKind::trouble, "Trouble " + std::to_string(i) + ".");
  const Profile profile = builder.take();
  CHECK(profile.kernels.size() == 20000);
  CHECK(profile.kernels[0].sums.launches == 3000);
  CHECK(profile.kernels[0].shapes.size() == 1000);
  CHECK(profile.kernels[0].other_launches == 2000);
  CHECK(profile.troubles.size() == 20);
}
