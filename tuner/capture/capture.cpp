#include "tuner/capture/capture.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "tuner/capture/message.hpp"
#include "tuner/capture/program.hpp"
#include "tuner/core/base/cupti_files.hpp"
#include "tuner/error.hpp"
#include "tuner/process/fd.hpp"
#include "tuner/process/shortage.hpp"
#include "tuner/process/worker_program.hpp"

namespace tuner::capture {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;  // which is CLOCK_MONOTONIC

constexpr std::string_view kLibrary = "libtuner-inject.so";

fs::path find_injected_library() {
  const std::vector<fs::path> candidates = program_candidates(kLibrary);
  std::vector<std::string> looked;
  for (const fs::path& file : candidates) {
    std::error_code error;
    if (fs::is_regular_file(file, error)) return fs::absolute(file);
    looked.push_back(file.string());
  }
  throw Error(Errc::no_worker,
              fmt::format("{} was not found (looked for {}); reinstall the tuner, built with a CUDA toolkit that has "
                          "CUPTI, or set TUNER_LIBEXEC to the folder that holds it.",
                          kLibrary, fmt::join(looked, ", ")));
}

/// The socket to the injected library.
struct Sockets {
  UniqueFd ours, theirs;

  explicit Sockets(std::chrono::milliseconds patience) {
    int ends[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
      refused_by_system("A socket could not be made", errno);
    ours.reset(ends[0]);
    theirs.reset(ends[1]);
    // A program's own files have the numbers that they would have without us.
    constexpr int kOutOfTheWay = 200;
    if (UniqueFd high(fcntl(theirs.get(), F_DUPFD_CLOEXEC, kOutOfTheWay)); high) theirs = std::move(high);
    // A program does not wait long for a tuner that is stopped.
    const timeval most{.tv_sec = patience / 1s, .tv_usec = patience % 1s / 1us};
    setsockopt(theirs.get(), SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
  }
};

/// The program may change its folder before it uses CUDA, so paths are absolute.
std::vector<std::string> environment(int socket, const CaptureOptions& options) {
  const std::chrono::nanoseconds begin = (Clock::now() + options.after).time_since_epoch();
  struct stat status {};
  fstat(socket, &status);
  std::vector<std::string> cupti;
  // One without a folder is for the loader.
  for (const fs::path& file : cupti_files())
    cupti.push_back((file.has_parent_path() ? fs::absolute(file) : file).string());
  return {fmt::format("CUDA_INJECTION64_PATH={}", find_injected_library().string()),
          fmt::format("{}={} {} {} {}", kToVariable, socket, status.st_ino, options.after > 0ms ? begin.count() : 0,
                      options.patience.count()),
          fmt::format("{}={}", kCuptiVariable, fmt::join(cupti, ":"))};
}

/// A packet of the socket, and what came with it.
struct Packet {
  std::vector<std::byte> bytes;
  std::vector<UniqueFd> descriptors;
};

std::vector<UniqueFd> descriptors_of(msghdr& message) {
  std::vector<UniqueFd> descriptors;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = CMSG_LEN(0); at + sizeof(int) <= part->cmsg_len; at += sizeof(int)) {
      int descriptor = -1;
      std::memcpy(&descriptor, reinterpret_cast<const char*>(part) + at, sizeof descriptor);
      descriptors.emplace_back(descriptor);
    }
  }
  return descriptors;
}

/// Reads what has arrived, and of a sender without end some. False once nobody can send any more.
bool read_arrived(int socket, const std::function<void(Packet)>& take) {
  std::array<std::byte, kLongestMessage> bytes;
  alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))];
  constexpr int kMostPackets = 10000;  // far more than the socket holds
  for (int packets = 0; packets < kMostPackets; ++packets) {
    iovec part{bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t size = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (size == 0) return false;
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN;
    // A longer one was cut, and is none of ours.
    const std::size_t kept = (message.msg_flags & MSG_TRUNC) == 0 ? static_cast<std::size_t>(size) : 0;
    take({{bytes.data(), bytes.data() + kept}, descriptors_of(message)});
  }
  return true;
}

/// Until something arrives, the program ends, or some time has passed.
void wait_for_news(const UniqueFd& socket, const Program& program, Clock::time_point deadline) {
  const auto step = program.exit_fd() >= 0 ? 1000ms : 10ms;
  const auto left = std::clamp<Clock::duration>(deadline - Clock::now(), 0ms, step);
  pollfd news[] = {{socket.get(), POLLIN, 0}, {program.exit_fd(), POLLIN, 0}};
  poll(news, 2, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count()));
}

/// Runs the program; `take` gets all that it sends, and `is_enough` ends it.
Profile run_program(const CaptureOptions& options, std::vector<std::string> more_environment, ProfileBuilder& builder,
                    const std::function<void(Packet)>& take, const std::function<bool()>& is_enough,
                    const std::atomic<bool>& interrupted) {
  Sockets sockets(options.patience);
  const auto start = Clock::now();
  std::vector<std::string> variables = environment(sockets.theirs.get(), options);
  std::ranges::move(more_environment, std::back_inserter(variables));
  Program program({.command = options.command,
                   .environment = std::move(variables),
                   .inherited = sockets.theirs.get(),
                   .output_to_stderr = options.output_to_stderr,
                   .randomise = options.randomise,
                   .grace = options.grace});
  sockets.theirs.reset();

  const auto read_more = [&] {
    if (sockets.ours && !read_arrived(sockets.ours.get(), take)) sockets.ours.reset();
  };
  bool ended_by_us = false;
  const auto deadline = options.stop_after ? start + *options.stop_after : Clock::time_point::max();
  while (!program.try_wait()) {
    wait_for_news(sockets.ours, program, deadline);
    read_more();
    if (!is_enough() && !interrupted && Clock::now() < deadline) continue;
    ended_by_us = !program.try_wait();
    program.end(read_more);
    break;
  }
  const auto end = Clock::now();
  read_more();

  Profile profile = builder.take();
  profile.wall_time = end - start;
  profile.ended_by_us = ended_by_us || interrupted;  // Ctrl-C reaches the program too, and it may be the first to end
  profile.status = program.try_wait().value_or(ExitStatus{});
  if (program.randomisation_stayed()) {
    profile.troubles.push_back(
        "The program ran with address randomisation, because the system does not let it run without (in a container: "
        "seccomp).");
  }
  return profile;
}

}  // namespace

Profile profile_program(const CaptureOptions& options, const std::atomic<bool>& interrupted) {
  ProfileBuilder builder;
  const auto take = [&](const Packet& packet) { builder.add(packet.bytes); };
  const auto is_enough = [&] { return options.stop_at_launches && builder.launches() >= *options.stop_at_launches; };
  return run_program(options, {}, builder, take, is_enough, interrupted);
}

Profile store_launches(const CaptureOptions& options, const WantedKernel& kernel,
                       const std::function<bool(SentLaunch)>& take, const std::atomic<bool>& interrupted) {
  ProfileBuilder builder;
  std::set<std::size_t> stored;
  bool is_done = false;
  const auto take_packet = [&](Packet packet) {
    const std::optional<Incoming> message = read_message(packet.bytes);
    is_done = is_done || (message && message->kind == MessageKind::done);
    if (!message || message->kind != MessageKind::stored) return builder.add(packet.bytes);
    // Two processes of a program may store the same.
    const bool is_new = message->wanted < kernel.launches.size() && !stored.contains(message->wanted);
    if (!is_new || packet.descriptors.size() != kMostDescriptors) return;
    std::vector<UniqueFd>& files = packet.descriptors;
    if (take({message->wanted, std::move(files[0]), std::move(files[1]), std::move(files[2])}))
      stored.insert(message->wanted);
  };
  const auto is_enough = [&] {
    return options.stop_at_launches && (is_done || stored.size() == kernel.launches.size());
  };
  return run_program(options, {fmt::format("{}={}", kWantedVariable, wanted_text(kernel))}, builder, take_packet,
                     is_enough, interrupted);
}

}  // namespace tuner::capture
