#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace tuner::bench {

/// A folder for databases that goes away with the object.
using ScratchFolder = test::TemporaryFolder;

/// A shell command that ran to its end.
struct CommandRun {
  double seconds = 0;  ///< from its start
  int exit_code = 0;   ///< 128 + signal if one ended it
  std::string output;  ///< what it printed on standard output
};
/// Throws std::runtime_error if it cannot be started.
CommandRun run_command(const std::string& command);

/// One run of the real program.
struct TunerRun {
  double seconds = 0;     ///< from starting the process to its end
  int exit_code = 0;      ///< 128 + signal if one ended it
  nlohmann::json report;  ///< the first of its reports; null if it printed none
};

/// Where the program is: beside this one, unless $TUNER_PROGRAM says otherwise.
std::string tuner_program();
/// A shell command that runs the tuner with these arguments and its data and cache in `folder`.
std::string tuner_command(const std::filesystem::path& folder, const std::vector<std::string>& arguments);
/// Runs `tuner tune … --json`, with effort full unless the arguments name another, to its end. Exits with what was
/// printed if there is no report and one was `required`.
TunerRun tune(const std::filesystem::path& folder, std::vector<std::string> arguments, bool required = true);

/// A file of one expression, lines that begin with # left out.
std::string read_expression(const std::filesystem::path& file);

}  // namespace tuner::bench
