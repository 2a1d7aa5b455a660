#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "tuner/cli/arguments.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/exit_code.hpp"
#include "tuner/error.hpp"
#include "tuner/version.hpp"

namespace {

using namespace tuner;
using cli::ExitCode;

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
}

ExitCode run(const std::vector<std::string>& words) {
  const cli::SplitWords split = cli::split_command(words);
  const cli::Command& command = cli::find_command(split.command.value_or("help"));
  const cli::Arguments arguments(command, split.words);
  if (arguments.has("version")) {
    print("tuner " + std::string(kVersion) + "\n");
    return ExitCode::done;
  }
  if (arguments.has("help")) {
    print(split.command ? cli::help_text(command) : cli::overview());
    return ExitCode::done;
  }
  if (!split.command) {
    throw Error(Errc::bad_usage,
                "No command was given. `tuner --help` lists the commands; `tuner doctor` is a good first one.");
  }
  return command.run(arguments);
}

ExitCode failed(const char* sentence, ExitCode code) {
  std::fprintf(stderr, "tuner: %s\n", sentence);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  ExitCode code = ExitCode::internal;
  try {
    code = run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (const Error& error) {
    code = failed(error.what(), cli::exit_code_for(error.code()));
  } catch (const std::exception& error) {
    code =
        failed((std::string("This is a bug in tuner, please report it: ") + error.what()).c_str(), ExitCode::internal);
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    code = failed("The result could not be written to standard output: is the disk full?", ExitCode::no_result);
  }
  return static_cast<int>(code);
}
