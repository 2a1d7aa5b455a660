#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/support/shell_word.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tuner::test {

using Words = std::vector<std::string>;
Words joined(Words words, const Words& more);

struct Result {
  std::string command;  ///< the arguments, for messages of tests
  int exit_code = -1;   ///< 128 + signal if it was killed
  std::string out;
  std::string err;
};

// Checks of how a program ended. What it printed has each of the parts.
void check_out(const Result& result, int exit_code, const Words& parts = {});
void check_err(const Result& result, int exit_code, const Words& parts = {});
/// One sentence on standard error that has the parts, and nothing on standard output.
void check_error(const Result& result, int exit_code, const Words& parts = {});
/// Whether `text` has each of the parts.
void check_has(const std::string& text, const Words& parts);

/// A user with a home of their own, no GPU driver, and the program on the path. Nothing of the caller's environment is
/// passed on.
class User {
 public:
  User();
  std::map<std::string, std::string> environment;
  /// What the program's process does to itself first: limits, another user.
  std::function<void()> before_start;
  const std::filesystem::path& home() const { return folder_.path(); }
  const TemporaryFolder& folder() const { return folder_; }
  std::filesystem::path data() const { return home() / ".local/share/tuner"; }

  /// Has this library loaded into the program first.
  void preload(const std::filesystem::path& library);
  /// What a shell returns that runs this command in the home folder, with the environment of the test.
  int in_shell(const std::string& command) const;

  /// Runs `tuner` with these arguments in the home folder and waits for its end.
  Result run(const Words& arguments) const;

 private:
  TemporaryFolder folder_;
};

/// Which of its outputs a program finds a terminal at.
enum class Terminal { none, error, output };

/// A program that runs. A terminal says that it has `columns` columns; 0: it does not know.
class Running {
 public:
  Running(const User& user, const Words& arguments, Terminal terminal = Terminal::none, unsigned short columns = 0);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  void signal(int number) const;
  /// Waits until the program handles SIGTERM itself; false if it ends before.
  bool handles_signals();
  /// Waits until it has used a core for `more` ticks of the clock from now on; false if it ends before.
  bool computes(long more = 3);
  bool ended();
  /// Reads standard error until it has these words; false if it ends without them.
  bool says(const std::string& words);
  /// Reads everything else that it prints and waits for its end.
  Result finish();

 private:
  std::string command_;
  pid_t pid_ = -1;
  int out_ = -1, err_ = -1;
  std::string said_;
  int status_ = 0;
  bool collected_ = false;
};

/// A file of tests/data.
std::filesystem::path data_file(const std::string& name);

/// Of everything in this folder, sorted.
Words names_in(const std::filesystem::path& folder);

}  // namespace tuner::test
