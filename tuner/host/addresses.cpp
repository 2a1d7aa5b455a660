#include "tuner/host/addresses.hpp"

#include <cstdlib>
#include <fstream>

namespace tuner::host {

Addresses::Addresses(const std::filesystem::path& program, const std::set<std::string>& addresses,
                     const KnownFiles& files, const JobLimits& limits)
    : kernel_file_(files.front()) {
  const std::filesystem::path questions = program.string() + ".addresses", answers = program.string() + ".lines";
  {
    std::ofstream stream(questions);
    // They are where calls return to: one byte earlier is the call.
    for (const std::string& address : addresses)
      stream << std::hex << "0x" << std::strtoull(address.c_str(), nullptr, 16) - 1 << '\n';
  }
  std::vector<Job> jobs(1);
  jobs[0].command = {
      "/bin/sh",       "-c", "exec addr2line -e \"$1\" <\"$2\" >\"$3\"", "sh", program.string(), questions.string(),
      answers.string()};
  run_jobs(jobs, limits);
  std::ifstream lines(answers);
  std::string line;
  for (const std::string& address : addresses) {
    if (!std::getline(lines, line)) break;
    spots_[address] = spot_of(line, files);
  }
}

SourceSpot Addresses::place(const std::vector<std::string>& stack, SourceSpot& within) const {
  SourceSpot first;
  for (const std::string& address : stack) {
    const auto found = spots_.find(address);
    if (found == spots_.end() || found->second.line == 0) continue;
    if (found->second.file == kernel_file_) {
      if (first.line != 0) within = first;
      return found->second;
    }
    if (first.line == 0) first = found->second;
  }
  return first;
}

}  // namespace tuner::host
