#include "bench/runtime/child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace tuner::bench {

Child::Child(const std::vector<std::string>& arguments, const std::string& program) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe can be made");
  std::string name = "bench";
  std::vector<std::string> copies = arguments;
  std::vector<char*> pointers{name.data()};
  for (std::string& copy : copies) pointers.push_back(copy.data());
  pointers.push_back(nullptr);
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("no process can be started");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(ends[1], STDOUT_FILENO);
    execv(program.c_str(), pointers.data());
    _exit(127);
  }
  close(ends[1]);
  output_ = ends[0];
}

Child::~Child() {
  if (pid_ >= 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(output_);
}

std::string Child::finish() {
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t count = 0; (count = read(output_, buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(count));
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error("a process that was measured ended badly; it printed: " + text);
  return text;
}

std::vector<std::string> words(const std::string& line) {
  std::istringstream text(line);
  return {std::istream_iterator<std::string>(text), {}};
}

void forget_settings() {
  for (const char* name : {"TUNER_MODE", "TUNER_DB", "TUNER_SYSTEM_DB"}) unsetenv(name);
}

}  // namespace tuner::bench
