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
#include <filesystem>
#include <system_error>

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

/// Reads what has arrived, and of a sender without end some. False once nobody can send any more.
bool read_arrived(int socket, ProfileBuilder& builder) {
  std::array<std::byte, kLongestMessage> packet;
  constexpr int kMostPackets = 10000;  // far more than the socket holds
  for (int packets = 0; packets < kMostPackets; ++packets) {
    const ssize_t size = recv(socket, packet.data(), packet.size(), MSG_DONTWAIT | MSG_TRUNC);
    if (size == 0) return false;
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN;
    // A longer one was cut, and is none of ours.
    const auto kept = static_cast<std::size_t>(size) <= packet.size() ? static_cast<std::size_t>(size) : 0;
    builder.add(std::span(packet).first(kept));
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

}  // namespace

Profile profile_program(const CaptureOptions& options, const std::atomic<bool>& interrupted) {
  Sockets sockets(options.patience);
  const auto start = Clock::now();
  Program program({.command = options.command,
                   .environment = environment(sockets.theirs.get(), options),
                   .inherited = sockets.theirs.get(),
                   .output_to_stderr = options.output_to_stderr,
                   .randomise = options.randomise,
                   .grace = options.grace});
  sockets.theirs.reset();

  ProfileBuilder builder;
  const auto read_more = [&] {
    if (sockets.ours && !read_arrived(sockets.ours.get(), builder)) sockets.ours.reset();
  };
  bool ended_by_us = false;
  const auto deadline = options.stop_after ? start + *options.stop_after : Clock::time_point::max();
  while (!program.try_wait()) {
    wait_for_news(sockets.ours, program, deadline);
    read_more();
    const bool seen_enough = options.stop_at_launches && builder.launches() >= *options.stop_at_launches;
    if (!seen_enough && !interrupted && Clock::now() < deadline) continue;
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

}  // namespace tuner::capture
