#include "bench/engine/tuner_program.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "tests/support/shell_word.hpp"

namespace tuner::bench {

using test::shell_word;

std::string tuner_program() {
  if (const char* named = std::getenv("TUNER_PROGRAM")) return named;
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "tuner").string();
}

std::string tuner_command(const std::filesystem::path& folder, const std::vector<std::string>& arguments) {
  std::string command = fmt::format("exec env -u TUNER_DB XDG_DATA_HOME={0}/data XDG_CACHE_HOME={0}/cache {1}",
                                    shell_word(folder.string()), shell_word(tuner_program()));
  for (const std::string& argument : arguments) command += " " + shell_word(argument);
  return command;
}

CommandRun run_command(const std::string& command) {
  CommandRun run;
  const auto start = std::chrono::steady_clock::now();
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no process can be started");
  std::array<char, 65536> buffer;
  for (std::size_t count = 0; (count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    run.output.append(buffer.data(), count);
  }
  const int status = pclose(pipe);
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return run;
}

TunerRun tune(const std::filesystem::path& folder, std::vector<std::string> arguments, bool required) {
  if (std::find(arguments.begin(), arguments.end(), "--effort") == arguments.end()) {
    arguments.insert(arguments.end(), {"--effort", "full"});
  }
  arguments.insert(arguments.begin(), "tune");
  arguments.emplace_back("--json");
  const std::string errors = (folder / "errors").string();
  const CommandRun ended = run_command(tuner_command(folder, arguments) + " 2>" + shell_word(errors));
  TunerRun run{ended.seconds, ended.exit_code, nullptr};
  const nlohmann::json object = nlohmann::json::parse(ended.output, nullptr, false);
  if (object.is_object() && !object["reports"].empty()) run.report = object["reports"][0];
  if (required && run.report.is_null()) {
    fmt::print(stderr, "the tuner ended with {} and printed no report:\n{}\n{}\n", run.exit_code, ended.output,
               test::read_bytes(errors));
    std::exit(1);
  }
  return run;
}

std::string read_expression(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string expression, line;
  while (std::getline(in, line)) {
    if (!line.starts_with('#')) expression += line + ' ';
  }
  return expression;
}

}  // namespace tuner::bench
