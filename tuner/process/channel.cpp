#include "tuner/process/channel.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string_view>

#include "tuner/error.hpp"
#include "tuner/process/build_id.hpp"
#include "tuner/process/shortage.hpp"

// A packet is "<build id> <type> inline\n<body>", or "<build id> <type> spilled\n" with the body in the last
// descriptor.

namespace tuner {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPacketLimit = 64 * 1024;  // far below the smallest default socket buffer
constexpr std::size_t kInlineLimit = 32 * 1024;
constexpr std::size_t kDescriptorLimit = 201;  // the kernel refuses more than 253
constexpr auto kPatience = std::chrono::seconds(10);

bool peer_is_gone(int error) {
  return error == EPIPE || error == ECONNRESET || error == ENOTCONN || error == ECONNREFUSED;
}

struct alignas(cmsghdr) ControlBuffer {
  std::array<char, CMSG_SPACE(sizeof(int) * kDescriptorLimit)> bytes{};
};

std::vector<UniqueFd> take_descriptors(msghdr& header) {
  std::vector<UniqueFd> fds;
  for (cmsghdr* control = CMSG_FIRSTHDR(&header); control != nullptr; control = CMSG_NXTHDR(&header, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(control) + i * sizeof(int), sizeof(int));
      fds.emplace_back(fd);
    }
  }
  return fds;
}

}  // namespace

bool Channel::wait(short events, std::optional<Clock::time_point> deadline) {
  while (true) {
    int timeout = -1;
    if (deadline) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
      timeout = static_cast<int>(std::clamp<long long>(left, 0, INT_MAX));
    }
    pollfd entry{socket_.get(), events, 0};
    const int ready = poll(&entry, 1, timeout);
    if (ready > 0) return true;
    if (ready == 0) return false;
    if (errno != EINTR) refused_by_system("Waiting for a worker failed", errno);
  }
}

bool Channel::send(const Message& message) {
  if (closed()) return false;
  const bool spilled = message.body.size() > kInlineLimit;
  std::string packet = std::string(build_id()) + ' ' + message.type + (spilled ? " spilled\n" : " inline\n");
  UniqueFd spill;
  std::vector<int> fds;
  for (const UniqueFd& fd : message.fds) fds.push_back(fd.get());
  if (spilled) {
    spill = memfd_from_text(message.body, "tuner-message");
    fds.push_back(spill.get());
  } else {
    packet += message.body;
  }
  if (fds.size() > kDescriptorLimit)
    throw Error(Errc::internal, "A message to a worker carries more than 200 descriptors.");

  iovec part{packet.data(), packet.size()};
  ControlBuffer control;
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!fds.empty()) {
    header.msg_control = control.bytes.data();
    header.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
    cmsghdr* first = CMSG_FIRSTHDR(&header);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
    std::memcpy(CMSG_DATA(first), fds.data(), sizeof(int) * fds.size());
  }
  const auto deadline = Clock::now() + kPatience;
  while (true) {
    if (sendmsg(socket_.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return true;
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS) {
      if (Clock::now() < deadline && wait(POLLOUT, deadline)) continue;
    } else if (!peer_is_gone(errno)) {
      refused_by_system("A message to a worker could not be sent", errno);
    }
    close();
    return false;
  }
}

std::optional<Message> Channel::receive() {
  if (closed()) return std::nullopt;
  std::string packet(kPacketLimit, '\0');
  ControlBuffer control;
  iovec part{packet.data(), packet.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.bytes.data();
  header.msg_controllen = control.bytes.size();
  ssize_t size = 0;
  do {
    size = recvmsg(socket_.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return std::nullopt;
  if (size < 0 && !peer_is_gone(errno)) refused_by_system("A worker's message could not be read", errno);
  if (size <= 0) {  // no packet is empty, so zero bytes are the end
    close();
    return std::nullopt;
  }
  std::vector<UniqueFd> fds = take_descriptors(header);
  if ((header.msg_flags & MSG_TRUNC) != 0) throw Error(Errc::internal, "A worker's message is longer than any.");
  // The kernel says no more than that; there was no room for the descriptors in this process.
  if ((header.msg_flags & MSG_CTRUNC) != 0) refused_by_system("A worker's message came without its files", EMFILE);
  packet.resize(static_cast<std::size_t>(size));
  return decode(std::move(packet), std::move(fds));
}

std::optional<Message> Channel::decode(std::string packet, std::vector<UniqueFd> fds) {
  const std::size_t line = packet.find('\n');
  const std::string_view head = std::string_view(packet).substr(0, line);
  const std::size_t first = head.find(' ');
  const std::size_t last = head.rfind(' ');
  const std::string_view build = head.substr(0, first);
  if (build != build_id())
    throw Error(Errc::no_worker, "The worker program is of build " + std::string(build) +
                                     " but this program is of build " + std::string(build_id()) +
                                     "; install both from the same build, or unset TUNER_LIBEXEC.");
  if (line == std::string::npos || first == last)
    throw Error(Errc::internal, "A worker's message has no type: '" + std::string(head) + "'.");
  Message message;
  message.type = head.substr(first + 1, last - first - 1);
  if (head.substr(last + 1) == "spilled" && !fds.empty()) {
    message.body = text_from_memfd(fds.back().get());
    fds.pop_back();
  } else {
    message.body = packet.substr(line + 1);
  }
  message.fds = std::move(fds);
  return message;
}

std::optional<Message> Channel::receive_until(Clock::time_point deadline) {
  while (!closed()) {
    if (std::optional<Message> message = receive()) return message;
    if (!closed() && !wait(POLLIN, deadline)) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Message> Channel::receive_wait() {
  while (!closed()) {
    if (std::optional<Message> message = receive()) return message;
    if (!closed()) wait(POLLIN, std::nullopt);
  }
  return std::nullopt;
}

ChannelPair make_channel_pair() {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    refused_by_system("A connection to a worker could not be made", errno);
  return {Channel(UniqueFd(ends[0])), Channel(UniqueFd(ends[1]))};
}

}  // namespace tuner
