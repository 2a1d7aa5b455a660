#include "tuner/host/compiler.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <sstream>

#include "tuner/core/base/printable.hpp"
#include "tuner/error.hpp"
#include "tuner/ground/file_variable.hpp"
#include "tuner/host/ready_runtime.hpp"
#include "tuner/host/shortage.hpp"

namespace tuner::host {
namespace {

constexpr std::chrono::seconds kAnswerLimit{60};
constexpr std::size_t kLongestVersion = 200;

std::filesystem::path find_in_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* const path = file_variable("PATH");
  std::istringstream folders(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path program = std::filesystem::path(folder.empty() ? "." : folder) / name;
    std::error_code error;
    if (std::filesystem::is_regular_file(program, error) && access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

std::vector<std::string> sanitizers(Flavour flavour) {
  if (flavour == Flavour::threads) return {"-fsanitize=thread"};
  return {"-fsanitize=address,undefined", "-fno-sanitize=vptr,object-size", "-fno-sanitize-recover=all"};
}

}  // namespace

Compiler Compiler::find(const JobLimits& limits) {
  std::vector<std::string> names{"c++", "g++", "clang++"};
  const char* const chosen = file_variable("CXX");
  if (chosen != nullptr) names = {chosen};
  std::string why;
  for (const std::string& name : names) {
    Compiler compiler;
    compiler.is_chosen_ = chosen != nullptr;
    if (std::istringstream words(name); find_in_path(name).empty()) {  // "ccache g++" is two
      for (std::string word; words >> word;) compiler.command_.push_back(word);
    } else {
      compiler.command_.push_back(name);
    }
    if (compiler.command_.empty()) continue;
    const std::filesystem::path program = find_in_path(compiler.command_.front());
    if (program.empty()) continue;
    compiler.command_.front() = program.string();
    // Its version goes to standard output, which is closed to children: what it says of itself when told to be verbose
    // goes to standard error.
    std::vector<Job> jobs(1);
    jobs[0].command = compiler.command_;
    jobs[0].command.push_back("-v");
    jobs[0].limit = kAnswerLimit;
    run_jobs(jobs, limits);
    std::istringstream lines(jobs[0].messages);
    for (std::string line; std::getline(lines, line);) {
      if (line.find(" version ") != std::string::npos) compiler.version_ = line.substr(0, kLongestVersion);
    }
    compiler.is_clang_ = compiler.version_.find("clang") != std::string::npos;
    if (compiler.version_.empty()) compiler.version_ = one_line(name);
    if (jobs[0].ok || limits.stopped()) return compiler;
    const std::string lack = shortage(jobs[0], "The C++ compiler (" + one_line(name) + ")", limits);
    if (!lack.empty() && !jobs[0].late) throw Error(Errc::bad_usage, lack + ".");
    why = jobs[0].how;
  }
  if (chosen == nullptr) {
    throw Error(Errc::no_toolkit,
                "No C++ compiler was found (c++, g++, clang++), but kernels need one to run on the CPU: install g++ or "
                "clang++, or name one in CXX.");
  }
  throw Error(Errc::no_toolkit, fmt::format("The C++ compiler that CXX names, '{}', cannot be run{}; it compiles "
                                            "kernels to run on the CPU: set CXX to another one, or unset it.",
                                            one_line(chosen), why.empty() ? "" : " (with -v it " + why + ")"));
}

Job Compiler::compile(const std::filesystem::path& source, const std::filesystem::path& object, Flavour flavour,
                      const std::string& standard) const {
  Job job;
  job.command = command_;
  job.command.push_back("-std=gnu++" + standard);
  const std::string folder = source.parent_path().string();
  for (const char* flag : {"-g1", "-w", "-fno-omit-frame-pointer", "-fno-strict-aliasing", "-fno-threadsafe-statics",
                           "-fno-pie", "-ftemplate-depth=500"})
    job.command.push_back(flag);
  // What Clang quotes of a source looks like words of its own.
  job.command.push_back(is_clang_ ? "-fno-caret-diagnostics" : "-fmax-errors=20");
  job.command.push_back(flavour == Flavour::memory ? "-Og" : "-O0");
  for (const std::string& flag : sanitizers(flavour)) job.command.push_back(flag);
  // What lies in a section of its own is looked after, too.
  if (flavour == Flavour::memory && !is_clang_) job.command.push_back("-fsanitize-sections=tuner_shared*");
  for (const std::string& word : {"-I" + folder, "-I" + folder + "/tuner/host/shim/include", std::string("-c"),
                                  source.string(), std::string("-o"), object.string()})
    job.command.push_back(word);
  job.output = object;
  return job;
}

std::string_view Compiler::runtime(Flavour flavour) const {
  return is_chosen_ ? std::string_view() : ready_runtime(flavour, version_);
}

Job Compiler::compile_runtime(const std::filesystem::path& folder, const std::filesystem::path& source,
                              const std::filesystem::path& object) const {
  Job job;
  job.command = command_;
  job.command.insert(job.command.end(), runtime_flags().begin(), runtime_flags().end());
  job.command.insert(job.command.end(), {"-I" + folder.string(), "-c", source.string(), "-o", object.string()});
  job.output = object;
  return job;
}

Job Compiler::link(const std::vector<std::filesystem::path>& objects, const std::filesystem::path& program,
                   Flavour flavour) const {
  Job job;
  job.command = command_;
  job.command.push_back("-no-pie");
  if (flavour == Flavour::memory) {
    for (const std::string& flag : sanitizers(flavour)) job.command.push_back(flag);
  }
  for (const std::filesystem::path& object : objects) job.command.push_back(object.string());
  job.command.insert(job.command.end(), {"-o", program.string()});
  job.output = program;
  return job;
}

}  // namespace tuner::host
