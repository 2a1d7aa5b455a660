#include "tuner/host/compiler.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <sstream>

#include "tuner/detail/file_variable.hpp"
#include "tuner/error.hpp"
#include "tuner/process/spawn.hpp"

namespace tuner::host {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMostMessages = std::size_t{1} << 20;
constexpr std::chrono::milliseconds kGlance{200};

struct Running {
  Job* job;
  std::unique_ptr<ChildProcess> process;
  Clock::time_point deadline;
};

Running start(Job& job) {
  SpawnOptions options;
  options.program = job.command.front();
  options.arguments.assign(job.command.begin() + 1, job.command.end());
  options.environment = {"LC_ALL=C", "GCC_COLORS="};  // messages are read by this program
  return {&job, std::make_unique<ChildProcess>(options), Clock::now() + job.limit};
}

/// Whether it is over.
bool look_at(Running& running) {
  Job& job = *running.job;
  const std::optional<ExitStatus> status = running.process->try_wait();
  if (!status && Clock::now() < running.deadline) return false;
  job.done = true;
  job.late = !status;
  job.ok = status && status->code == 0;
  job.how = status ? status->text() : "did not end";
  job.messages = running.process->stderr_tail(kMostMessages);
  if (!status) running.process->kill();
  return true;
}

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

void run_jobs(std::vector<Job>& jobs, int at_once, const std::atomic<bool>* stop,
              const std::function<void(const Job&)>& finished) {
  std::vector<Running> running;
  for (std::size_t next = 0; next < jobs.size() || !running.empty();) {
    if (stop != nullptr && *stop) return;
    while (next < jobs.size() && running.size() < static_cast<std::size_t>(at_once))
      running.push_back(start(jobs[next++]));
    std::vector<pollfd> ends;
    for (const Running& one : running) ends.push_back({one.process->exit_fd(), POLLIN, 0});
    poll(ends.data(), ends.size(), static_cast<int>(kGlance.count()));
    std::erase_if(running, [&](Running& one) {
      if (!look_at(one)) return false;
      if (finished) finished(*one.job);
      return true;
    });
  }
}

Compiler Compiler::find() {
  std::vector<std::string> names{"c++", "g++", "clang++"};
  const char* const chosen = file_variable("CXX");
  if (chosen != nullptr) names = {chosen};
  for (const std::string& name : names) {
    Compiler compiler;
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
    run_jobs(jobs, 1, nullptr);
    std::istringstream lines(jobs[0].messages);
    for (std::string line; std::getline(lines, line);) {
      if (line.find(" version ") != std::string::npos) compiler.version_ = line;
    }
    compiler.is_clang_ = compiler.version_.find("clang") != std::string::npos;
    if (jobs[0].ok) return compiler;
  }
  throw Error(Errc::no_toolkit, chosen != nullptr && *chosen != '\0'
                                    ? "The C++ compiler that CXX names, '" + std::string(chosen) +
                                          "', cannot be run; kernels are compiled with it to run on the CPU."
                                    : std::string("No C++ compiler was found (c++, g++, clang++), and kernels need one "
                                                  "to run on the CPU: install g++ or clang++, "
                                                  "or name one in CXX."));
}

Job Compiler::compile(const std::filesystem::path& source, const std::filesystem::path& object, Flavour flavour) const {
  Job job;
  job.command = command_;
  const std::string folder = source.parent_path().string();
  for (const char* flag : {"-std=gnu++20", "-g1", "-w", "-fno-omit-frame-pointer", "-fno-strict-aliasing",
                           "-fno-threadsafe-statics", "-fno-pie", "-fmax-errors=20", "-ftemplate-depth=500"}) {
    if (is_clang_ && std::string_view(flag).starts_with("-fmax-errors")) continue;
    job.command.push_back(flag);
  }
  job.command.push_back(flavour == Flavour::memory ? "-Og" : "-O0");
  for (const std::string& flag : sanitizers(flavour)) job.command.push_back(flag);
  // What lies in a section of its own is looked after, too.
  if (flavour == Flavour::memory && !is_clang_) job.command.push_back("-fsanitize-sections=tuner_shared*");
  for (const std::string& word : {"-I" + folder, "-I" + folder + "/tuner/host/shim/include", std::string("-c"),
                                  source.string(), std::string("-o"), object.string()})
    job.command.push_back(word);
  return job;
}

Job Compiler::compile_runtime(const std::filesystem::path& source, const std::filesystem::path& object) const {
  Job job;
  job.command = command_;
  for (const std::string& word :
       {std::string("-std=gnu++20"), std::string("-O1"), std::string("-g1"), std::string("-w"),
        std::string("-fno-omit-frame-pointer"), std::string("-fno-pie"), "-I" + source.parent_path().string(),
        std::string("-c"), source.string(), std::string("-o"), object.string()})
    job.command.push_back(word);
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
  return job;
}

}  // namespace tuner::host
