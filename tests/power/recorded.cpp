#include "tests/power/recorded.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "tests/cache/support.hpp"

namespace tuner::power {
namespace {

namespace fs = std::filesystem;
using cache::test::TemporaryFolder;

/// Beside nothing and everything: contents without names, names without contents, and whatever chance keeps.
constexpr Kept kVariants[] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}, {0.5, 0.5}, {0.9, 0.5}};

void run(const std::string& scenario, const fs::path& folder, const fs::path& plumbing) {
  // A space ends the name of what is preloaded, and the build folder may have one.
  fs::create_symlink(TUNER_DISK_RECORDER, plumbing / "recorder.so");
  std::ofstream(plumbing / "log").flush();
  const pid_t child = fork();
  if (child == 0) {
    setenv("LD_PRELOAD", "./recorder.so", 1);
    setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
    setenv("TUNER_DISK_FOLDER", folder.c_str(), 1);
    setenv("TUNER_DISK_LOG", (plumbing / "log").c_str(), 1);
    const int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDOUT_FILENO);
    if (chdir(plumbing.c_str()) == 0) {
      execl(TUNER_POWER_VICTIM, "power_victim", scenario.c_str(), folder.c_str(), static_cast<char*>(nullptr));
    }
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(status == 0);
}

std::string complaint_of(const Check& check, const Failure& failure) {
  try {
    return check(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

std::map<std::string, std::string> contents_of(const fs::path& folder) {
  std::map<std::string, std::string> contents;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder);
    contents[name] = entry.is_directory() ? "folder" : cache::test::read_bytes(entry.path());
  }
  return contents;
}

Recorded::Recorded(const std::string& scenario, const fs::path& folder)
    : folder_(fs::canonical(folder)), start_(folder_) {
  const TemporaryFolder plumbing;
  run(scenario, folder_, plumbing.path());
  events_ = read_recording(plumbing / "log");

  // Nothing was done to the files that the recorder does not know of.
  Disk end = start_;
  for (const Event& event : events_) end.apply(event);
  std::mt19937 random;
  end.show(plumbing / "end", {1, 1}, random);
  const bool complete = contents_of(plumbing / "end") == contents_of(folder_);
  REQUIRE(complete);
}

void Recorded::at_promises(const std::function<void(const fs::path& folder)>& look) const {
  Disk disk = start_;
  std::mt19937 random;
  const auto look_now = [&] {
    const TemporaryFolder shown;
    disk.show(shown / "disk", {1, 1}, random);
    look(shown / "disk");
  };
  look_now();
  for (const Event& event : events_) {
    disk.apply(event);
    if (event.kind == Record::mark) look_now();
  }
}

std::set<std::size_t> Recorded::cuts(std::size_t least) const {
  std::set<std::size_t> cuts;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (events_[i].kind == Record::sync || events_[i].kind == Record::mark) cuts.insert({i, i + 1});
  }
  for (std::size_t step = events_.size(); cuts.size() < std::min(least, events_.size()); step = (step + 1) / 2) {
    for (std::size_t i = 0; i <= events_.size() && cuts.size() < least; i += step) cuts.insert(i);
  }
  return cuts;
}

Recorded::Findings Recorded::fail_at(const std::set<std::size_t>& cuts, const Check& check) const {
  Findings findings;
  Disk disk = start_;
  std::mt19937 random(14);
  std::vector<std::string> promises;
  std::size_t cut = 0;
  for (std::size_t i = 0; i <= events_.size(); ++i) {
    if (cuts.contains(i)) {
      // Half of the variants at this cut, the other half at the next.
      for (std::size_t variant = cut++ % 2; variant < std::size(kVariants); variant += 2) {
        const Kept& kept = kVariants[variant];
        const TemporaryFolder shown;
        disk.show(shown / "disk", kept, random);
        const std::string complaint = complaint_of(check, {i, promises, shown / "disk"});
        ++findings.failures;
        if (complaint.empty() || ++findings.complaints > 5) continue;
        findings.first += fmt::format(
            "after {} of {} events ({} promises, the last \"{}\"), {} of contents and {} of names kept: {}\n", i,
            events_.size(), promises.size(), promises.empty() ? "" : promises.back(), kept.contents, kept.names,
            complaint);
      }
    }
    if (i == events_.size()) break;
    disk.apply(events_[i]);
    if (events_[i].kind == Record::mark) promises.push_back(events_[i].data);
  }
  return findings;
}

}  // namespace tuner::power
