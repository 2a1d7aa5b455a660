#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/cli/commands.hpp"
#include "tuner/cli/completion.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/exit_code.hpp"
#include "tuner/cli/terminal/failure.hpp"
#include "tuner/cli/terminal/interrupts.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/error.hpp"
#include "tuner/version.hpp"

namespace {

using namespace tuner;
using cli::ExitCode;

/// What a shell asks of `tuner complete WORDS...`. A line that is being typed may be anything, so its words are not
/// read as arguments, and a shell that waits for them is not kept waiting.
ExitCode run_complete(const std::vector<std::string>& words) {
  signal(SIGALRM, [](int) { _exit(0); });
  alarm(1);
  const cli::Completions completions = cli::complete(words);
  alarm(0);
  cli::print(cli::completion_text(completions));
  return ExitCode::done;
}

ExitCode run(const std::vector<std::string>& words) {
  if (!words.empty() && words.front() == "complete") return run_complete({words.begin() + 1, words.end()});
  const cli::SplitWords split = cli::split_command(words, cli::commands());
  const cli::Command& command = cli::find_command(split.command.value_or("help"));
  const cli::Arguments arguments(command, split.words);
  if (arguments.has("version")) {
    cli::print("tuner " + std::string(kVersion) + "\n");
    return ExitCode::done;
  }
  if (arguments.has("help")) {
    cli::print(split.command ? cli::help_text(command) : cli::overview());
    return ExitCode::done;
  }
  if (!split.command) {
    throw Error(Errc::bad_usage,
                "No command was given. `tuner --help` lists the commands; `tuner doctor` is a good start.");
  }
  return command.run(arguments);
}

/// A file opened later must not get the number of a standard stream that the caller closed. Reading only, so that
/// writing there fails as it should.
void fill_standard_streams() {
  int descriptor = open("/dev/null", O_RDONLY);
  while (descriptor >= 0 && descriptor <= STDERR_FILENO) descriptor = open("/dev/null", O_RDONLY);
  if (descriptor >= 0) close(descriptor);
}

/// Whether whoever reads standard output has had enough, as `| head -1` has.
bool reader_has_left() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

bool has_memory_run_out = false;
std::terminate_handler end_as_usual = nullptr;

/// Says what `say_failure` would, where there is not even memory for the exception.
void end_without_memory() {
  constexpr std::string_view kSentence =
      "tuner: There is too little memory: Cannot allocate memory; free memory, raise its limit (`ulimit -v`), or run "
      "fewer programs at once.\n";
  if (!has_memory_run_out || std::current_exception()) end_as_usual();
  if (write(STDERR_FILENO, kSentence.data(), kSentence.size()) < 0) end_as_usual();
  _exit(static_cast<int>(ExitCode::shortage));
}

void prepare_for_no_memory() {
  end_as_usual = std::set_terminate(end_without_memory);
  std::set_new_handler([] {
    has_memory_run_out = true;
    throw std::bad_alloc();
  });
}

}  // namespace

int main(int argc, char** argv) {
  prepare_for_no_memory();
  fill_standard_streams();
  signal(SIGPIPE, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);  // whoever started this may have ignored it, and then no child can be waited for
  signal(SIGXFSZ, SIG_IGN);  // writing fails, and what fails says so
  cli::end_at_signals();
  ExitCode code = ExitCode::internal;
  try {
    code = run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (const std::exception&) {
    code = cli::say_failure();
  }
  errno = 0;
  if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && !reader_has_left()) {
    const std::string why = errno == 0 ? "" : std::string(" (") + std::strerror(errno) + ")";
    cli::say("The result could not be written to standard output" + why +
             ": is it closed, or the disk that it is redirected to full?");
    code = ExitCode::no_result;
  }
  return static_cast<int>(code);
}
