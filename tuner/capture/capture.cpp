#include "tuner/capture/capture.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "tuner/capture/inject/message.hpp"
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
    if (fs::is_regular_file(file, error)) return file;
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

  Sockets() {
    int ends[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
      refused_by_system("A socket could not be made", errno);
    ours.reset(ends[0]);
    theirs.reset(ends[1]);
    // A program's own files have the numbers that they would have without us.
    constexpr int kOutOfTheWay = 200;
    if (UniqueFd high(fcntl(theirs.get(), F_DUPFD_CLOEXEC, kOutOfTheWay)); high) theirs = std::move(high);
    // A program does not wait long for a tuner that is stopped.
    const timeval patience{.tv_sec = 2, .tv_usec = 0};
    setsockopt(theirs.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  }
};

std::vector<std::string> environment(int socket, std::chrono::milliseconds after) {
  const std::chrono::nanoseconds begin = (Clock::now() + after).time_since_epoch();
  std::vector<std::string> cupti;
  for (const fs::path& file : cupti_files()) cupti.push_back(file.string());
  return {fmt::format("CUDA_INJECTION64_PATH={}", find_injected_library().string()),
          fmt::format("{}={} {}", kToVariable, socket, after > 0ms ? begin.count() : 0),
          fmt::format("{}={}", kCuptiVariable, fmt::join(cupti, ":"))};
}

/// Reads what has arrived. False once nobody can send any more.
bool read_arrived(int socket, ProfileBuilder& builder) {
  std::array<std::byte, kLongestMessage> packet;
  while (true) {
    const ssize_t size = recv(socket, packet.data(), packet.size(), MSG_DONTWAIT | MSG_TRUNC);
    if (size == 0) return false;
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN;
    // A longer one was cut, and is none of ours.
    const auto kept = static_cast<std::size_t>(size) <= packet.size() ? static_cast<std::size_t>(size) : 0;
    builder.add(std::span(packet).first(kept));
  }
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
  Sockets sockets;
  const auto start = Clock::now();
  Program program({.command = options.command,
                   .environment = environment(sockets.theirs.get(), options.after),
                   .inherited = sockets.theirs.get(),
                   .output_to_stderr = options.output_to_stderr,
                   .randomise = options.randomise});
  sockets.theirs.reset();

  ProfileBuilder builder;
  bool ended_by_us = false;
  const auto deadline = options.stop_after ? start + *options.stop_after : Clock::time_point::max();
  while (!program.try_wait()) {
    wait_for_news(sockets.ours, program, deadline);
    if (sockets.ours && !read_arrived(sockets.ours.get(), builder)) sockets.ours.reset();
    const bool seen_enough = options.stop_at_launches && builder.launches() >= *options.stop_at_launches;
    if (!seen_enough && !interrupted && Clock::now() < deadline) continue;
    ended_by_us = !program.try_wait();
    program.end();
    break;
  }
  const auto end = Clock::now();
  if (sockets.ours) read_arrived(sockets.ours.get(), builder);

  Profile profile = builder.take();
  profile.wall_time = end - start;
  profile.ended_by_us = ended_by_us;
  profile.status = program.try_wait().value_or(ExitStatus{});
  if (program.randomisation_stayed()) {
    profile.troubles.push_back(
        "The system does not let the program run without address randomisation (in a container: seccomp); it ran "
        "with.");
  }
  return profile;
}

}  // namespace tuner::capture
