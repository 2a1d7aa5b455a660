#include "tests/cli/program.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace tuner::test {

namespace {

void require(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(std::string("the test's own plumbing failed: ") + what);
}

/// Reads what is there. False at the end; a terminal whose other side is gone reads as an error.
bool drain(int fd, std::string& into) {
  std::array<char, 65536> buffer{};
  const ssize_t count = read(fd, buffer.data(), buffer.size());
  if (count <= 0) return false;
  into.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

/// What the program writes to ends[1] is read from ends[0].
void open_output(int (&ends)[2], bool terminal, unsigned short columns) {
  if (!terminal) return require(pipe2(ends, O_CLOEXEC) == 0, "pipe");
  struct winsize size {};
  size.ws_col = columns;
  require(openpty(&ends[0], &ends[1], nullptr, nullptr, &size) == 0, "openpty");
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  // Lines end as they were written.
  struct termios mode {};
  require(tcgetattr(ends[1], &mode) == 0, "tcgetattr");
  mode.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  require(tcsetattr(ends[1], TCSANOW, &mode) == 0, "tcsetattr");
}

}  // namespace

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void check_has(const std::string& text, const Words& parts) {
  CAPTURE(text);
  for (const std::string& part : parts) CHECK_MESSAGE(contains(text, part), part);
}

void check_out(const Result& result, int exit_code, const Words& parts) {
  INFO("tuner" << result.command << "\n" << result.err);
  CHECK(result.exit_code == exit_code);
  check_has(result.out, parts);
}

void check_err(const Result& result, int exit_code, const Words& parts) {
  INFO("tuner" << result.command << "\n" << result.out);
  CHECK(result.exit_code == exit_code);
  check_has(result.err, parts);
}

void check_error(const Result& result, int exit_code, const Words& parts) {
  check_err(result, exit_code, parts);
  INFO("tuner" << result.command << "\n" << result.err);
  CHECK(result.out.empty());
  CHECK(lines(result.err) == 1);
  CHECK(result.err.starts_with("tuner: "));
}

User::User() {
  environment = {{"HOME", home().string()},
                 {"PATH", "/usr/bin:/bin"},
                 {"TERM", "xterm"},
                 {"TUNER_DRIVER", (home() / "no-driver.so").string()}};
}

void User::preload(const std::filesystem::path& library) {
  // A space ends the name of what is preloaded, and the build folder may have one.
  std::filesystem::create_symlink(library, home() / library.filename());
  environment["LD_PRELOAD"] = "./" + library.filename().string();
  environment["ASAN_OPTIONS"] = "verify_asan_link_order=0";
}

int User::in_shell(const std::string& command) const {
  const std::string script = "cd " + shell_word(home().string()) + " && " + command;
  return WEXITSTATUS(std::system(("exec bash -c " + shell_word(script)).c_str()));
}

Result User::run(const Words& arguments) const {
  return Running(*this, arguments).finish();
}

Running::Running(const User& user, const Words& arguments, Terminal terminal, unsigned short columns) {
  int out[2];
  int err[2];
  open_output(out, terminal == Terminal::output, columns);
  open_output(err, terminal == Terminal::error, columns);
  for (const std::string& argument : arguments) command_ += " " + argument;
  Words words = joined({TUNER_PROGRAM}, arguments);
  Words variables;
  for (const auto& [name, value] : user.environment) variables.push_back(name + "=" + value);
  std::vector<char*> argv;
  std::vector<char*> envp;
  for (std::string& word : words) argv.push_back(word.data());
  for (std::string& variable : variables) envp.push_back(variable.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);

  pid_ = fork();
  require(pid_ >= 0, "fork");
  if (pid_ == 0) {
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    if (user.before_start) user.before_start();
    if (chdir(user.home().c_str()) == 0) execve(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  close(out[1]);
  close(err[1]);
  out_ = out[0];
  err_ = err[0];
}

Running::~Running() {
  if (!collected_) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(out_);
  close(err_);
}

void Running::signal(int number) const {
  kill(pid_, number);
}

bool Running::handles_signals() {
  const std::filesystem::path process = "/proc/" + std::to_string(pid_);
  while (!ended()) {
    usleep(1000);
    // Until it runs the program, the process is a copy of this one.
    std::error_code ignored;
    if (!std::filesystem::equivalent(process / "exe", TUNER_PROGRAM, ignored)) continue;
    std::istringstream status(read_bytes(process / "status"));
    for (std::string line; std::getline(status, line);) {
      if (line.rfind("SigCgt:", 0) != 0) continue;
      if ((std::stoull(line.substr(7), nullptr, 16) >> (SIGTERM - 1) & 1U) != 0) return true;
    }
  }
  return false;
}

bool Running::computes(long more) {
  const auto used = [&] {
    const std::string text = read_bytes("/proc/" + std::to_string(pid_) + "/stat");
    std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
    std::string skipped;
    for (int field = 3; field < 14; ++field) fields >> skipped;
    long ticks = 0;
    fields >> ticks;  // utime
    return ticks;
  };
  for (const long before = used(); !ended(); usleep(1000)) {
    if (used() >= before + more) return true;
  }
  return false;
}

bool Running::ended() {
  if (!collected_) collected_ = waitpid(pid_, &status_, WNOHANG) == pid_;
  return collected_;
}

bool Running::says(const std::string& words) {
  while (!contains(said_, words)) {
    if (!drain(err_, said_)) return false;
  }
  return true;
}

Result Running::finish() {
  Result result{.command = command_, .err = said_};
  std::array<pollfd, 2> open{{{out_, POLLIN, 0}, {err_, POLLIN, 0}}};
  while (open[0].fd >= 0 || open[1].fd >= 0) {
    require(poll(open.data(), open.size(), -1) >= 0, "poll");
    if (open[0].revents != 0 && !drain(out_, result.out)) open[0].fd = -1;
    if (open[1].revents != 0 && !drain(err_, result.err)) open[1].fd = -1;
  }
  if (!collected_) waitpid(pid_, &status_, 0);
  collected_ = true;
  result.exit_code = WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  return result;
}

std::filesystem::path data_file(const std::string& name) {
  return std::filesystem::path(TUNER_TEST_DATA) / name;
}

Words names_in(const std::filesystem::path& folder) {
  Words names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tuner::test
