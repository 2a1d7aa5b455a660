// A worker for tests: does what the messages say.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tuner/error.hpp"
#include "tuner/process/channel.hpp"
#include "tuner/process/spawn.hpp"
#include "tuner/process/worker_program.hpp"

int main(int argc, char** argv) try {
  using namespace tuner;
  Channel channel = worker_channel();
  while (std::optional<Message> message = channel.receive_wait()) {
    if (message->type == "echo") channel.send(*message);
    if (message->type == "argument") channel.send({"argument", argc > 1 ? argv[1] : "", {}});
    if (message->type == "environment") {
      const char* value = std::getenv(message->body.c_str());
      channel.send({"environment", value != nullptr ? value : "(unset)", {}});
    }
    if (message->type == "folder") channel.send({"folder", std::filesystem::current_path().string(), {}});
    if (message->type == "descriptors") {
      std::string open;
      for (int fd = 0; fd < 256; ++fd) {
        if (dup2(fd, fd) == fd) open += std::to_string(fd) + " ";
      }
      channel.send({"descriptors", open, {}});
    }
    if (message->type == "group") channel.send({"group", std::to_string(getpgrp()), {}});
    if (message->type == "complain") std::fputs(message->body.c_str(), stderr);
    if (message->type == "exit") return std::atoi(message->body.c_str());
    if (message->type == "candidate from") {
      if (chdir(message->body.c_str()) != 0) return 3;
      channel.send({"candidate", program_candidates(kWorkerProgram).front().string(), {}});
    }
    if (message->type == "abort") std::abort();
    if (message->type == "detach") {  // a daemon's way: another session, and a parent that has ended
      int ends[2];
      if (pipe(ends) != 0) return 3;
      const pid_t middle = fork();
      if (middle == 0) {
        setsid();
        pid_t pid = message->body == "orphan" ? fork() : 0;
        if (pid == 0) {
          pid = getpid();
          if (write(ends[1], &pid, sizeof pid) != sizeof pid) _exit(3);
          while (true) pause();
        }
        _exit(0);
      }
      pid_t pid = -1;
      if (read(ends[0], &pid, sizeof pid) != sizeof pid) return 3;
      if (message->body == "orphan") waitpid(middle, nullptr, 0);
      channel.send({"detach", std::to_string(pid), {}});
    }
    if (message->type == "fork") {
      const pid_t parent = getpid();
      const pid_t pid = fork();
      if (pid == 0) {
        die_with_parent(parent);
        while (true) pause();
      }
      channel.send({"fork", std::to_string(pid), {}});
    }
  }
  return 0;
} catch (const tuner::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
