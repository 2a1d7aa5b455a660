#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tuner::bench {

/// This program once more, or another build of it, in a new process, with other arguments. It dies with this one.
class Child {
 public:
  explicit Child(const std::vector<std::string>& arguments, const std::string& program = "/proc/self/exe");
  /// Kills it, unless it has ended.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Waits until it has ended and returns what it printed. Throws std::runtime_error unless its status is 0.
  std::string finish();

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

/// The words of a line, which blanks separate.
std::vector<std::string> words(const std::string& line);

/// What a user may have set that changes what the library does is taken out of this program's environment.
void forget_settings();

}  // namespace tuner::bench
