// attack: runs the programs over what hostile or decayed files, command lines and peers may bring them, from a seed,
// and says what must not have happened: a crash, a hang, an exit code that is not in the manual, a file that was
// touched and is none of their business, a row that was lost, a character that was to be escaped.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <thread>

#include "tests/attack/attack.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

using namespace tuner::attack;

namespace fs = std::filesystem;
namespace po = boost::program_options;

const Section* const kSections[] = {&kDatabases,      &kSources,   &kPlainSources, &kT1Files,      &kRecordings,
                                    &kForeignResults, &kDataFiles, &kFrozen,       &kCommandLines, &kConversations,
                                    &kJobs,           &kMeetings,  &kKills,        &kUpkeep,       &kPages,
                                    &kCaptures,       &kBuilds};

struct Campaign {
  std::uint64_t seed = 1;
  double share = 1;
  unsigned workers = 1;
  std::string section;       ///< empty: all
  std::int64_t number = -1;  ///< one case of it
  fs::path keep;
  Programs programs;

  std::uint64_t cases_of(const Section& section_) const {
    if (!section.empty() && section != section_.name) return 0;
    if (number >= 0) return 1;
    return static_cast<std::uint64_t>(std::ceil(static_cast<double>(section_.count) * share));
  }
};

/// In memory where that can be had: databases are synced all the time.
fs::path folder_for_sandboxes() {
  return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : fs::temp_directory_path();
}

void run_case(Attack& attack, const Section& section, std::uint64_t number) {
  Chance chance(attack.seed(), section.name, number);
  attack.begin_case(section.name, number);
  try {
    section.run(attack, chance);
  } catch (const std::exception& error) {
    attack.find(std::string("the campaign itself failed: ") + error.what(), "none");
  }
}

/// The cases of one process, each `workers`th, of every section. Findings go to `file`.
void work(const Campaign& campaign, const fs::path& root, unsigned worker, const fs::path& file) {
  Attack attack(campaign.programs, campaign.seed, root, campaign.keep);
  for (const Section* section : kSections) {
    const std::uint64_t count = campaign.cases_of(*section);
    if (count == 0) continue;
    attack.begin_case(section->name, 0);
    if (section->prepare) section->prepare(attack);
    if (campaign.number >= 0) {
      if (worker == 0) run_case(attack, *section, static_cast<std::uint64_t>(campaign.number));
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint64_t number = worker; number < count; number += campaign.workers) run_case(attack, *section, number);
    const auto passed = std::chrono::steady_clock::now() - begin;
    if (worker == 0)
      std::fprintf(stderr, "%-14s %5llu cases, %.1f s\n", section->name, static_cast<unsigned long long>(count),
                   std::chrono::duration<double>(passed).count());
  }
  std::fprintf(stderr, "longest: %.1f s, %s\n", std::chrono::duration<double>(attack.longest()).count(),
               attack.longest_run().c_str());
  std::string text = std::to_string(attack.runs()) + "\n";
  for (const Finding& finding : attack.findings()) {
    std::string line =
        finding.signature + "\t" + finding.section + " " + std::to_string(finding.number) + "\t" + finding.what;
    std::replace(line.begin(), line.end(), '\n', ' ');
    text += line + "\n";
  }
  write_bytes(file, text);
}

/// What belongs to the product and is only read.
Listing bystanders(const Programs& programs) {
  Listing all;
  for (const fs::path& folder :
       {fs::path(TUNER_ATTACK_REPOSITORY "/kernel_sources"), programs.data, programs.tuner.parent_path()}) {
    for (auto& [name, entry] : list(folder, {}, Files::dated)) all[(folder / name).string()] = entry;
  }
  return all;
}

struct Group {
  std::uint64_t count = 0;
  std::string first, what;
};

/// Prints what was found, each kind once. True if nothing was.
bool report(const std::vector<fs::path>& files, const Campaign& campaign) {
  std::map<std::string, Group> groups;
  std::uint64_t runs = 0;
  for (const fs::path& file : files) {
    std::ifstream stream(file);
    std::string line;
    if (!std::getline(stream, line)) {
      groups["a process of the campaign ended before its time"].count++;
      continue;
    }
    runs += std::stoull(line);
    while (std::getline(stream, line)) {
      const std::size_t first = line.find('\t');
      const std::size_t second = line.find('\t', first + 1);
      Group& group = groups[line.substr(0, first)];
      if (group.count++ == 0) {
        group.first = line.substr(first + 1, second - first - 1);
        group.what = line.substr(second + 1, 300);
      }
    }
  }
  std::printf("%llu command lines, seed %llu\n", static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(campaign.seed));
  for (const auto& [signature, group] : groups)
    std::printf("FOUND %5llu x %s\n              %s (case %s)\n", static_cast<unsigned long long>(group.count),
                signature.c_str(), group.what.c_str(), group.first.c_str());
  if (!groups.empty()) std::printf("Cases are kept in %s\n", campaign.keep.c_str());
  std::printf(groups.empty() ? "Nothing was found.\n" : "%zu kinds of findings\n", groups.size());
  return groups.empty();
}

bool run(Campaign campaign) {
  const tuner::test::TemporaryFolder folder(folder_for_sandboxes());
  campaign.programs.fork_server = folder.path() / "fork_server.so";
  fs::create_symlink(TUNER_ATTACK_FORK_SERVER, campaign.programs.fork_server);
  std::fprintf(stderr, "attack: seed %llu\n", static_cast<unsigned long long>(campaign.seed));
  const Listing before = bystanders(campaign.programs);
  std::vector<fs::path> files;
  {
    Attack preparation(campaign.programs, campaign.seed, folder.path() / "preparation", campaign.keep);
    preparation.begin_case("preparation", 0);
    prepare_databases(preparation);
    if (!preparation.findings().empty())
      throw std::runtime_error("the databases could not be prepared: " + preparation.findings()[0].what);
  }
  std::vector<pid_t> processes;
  for (unsigned worker = 0; worker < campaign.workers; ++worker) {
    files.push_back(folder.path() / ("findings-" + std::to_string(worker)));
    const pid_t pid = fork();
    if (pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      try {
        work(campaign, folder.path() / ("w" + std::to_string(worker)), worker, files.back());
      } catch (const std::exception& error) {
        std::fprintf(stderr, "attack: %s\n", error.what());
      }
      _exit(0);
    }
    processes.push_back(pid);
  }
  for (const pid_t pid : processes) waitpid(pid, nullptr, 0);
  bool sound = report(files, campaign);
  for (const std::string& each : differences(before, bystanders(campaign.programs))) {
    std::printf("FOUND touched: %s\n", each.c_str());
    sound = false;
  }
  return sound;
}

Campaign read_words(int argc, char** argv) {
  Campaign campaign;
  std::string keep, bin, libexec;
  po::options_description options("attack");
  options.add_options()("help", "this text")("seed", po::value(&campaign.seed)->default_value(1),
                                             "of every random choice")(
      "share", po::value(&campaign.share)->default_value(1), "of the whole campaign: 0.1 is a tenth of its cases")(
      "workers", po::value(&campaign.workers)->default_value(std::max(1u, std::thread::hardware_concurrency())),
      "processes at the same time")("section", po::value(&campaign.section),
                                    "only this one, of those that follow below")("case", po::value(&campaign.number),
                                                                                 "only this case of the section")(
      "lives", po::value(&campaign.programs.lives),
      "command lines that one process runs in turn; without this 20, and 1 with --case")(
      "keep", po::value(&keep)->default_value("attack-findings"), "folder for what was found")(
      "bin", po::value(&bin)->default_value(TUNER_ATTACK_BIN), "folder of tuner")(
      "libexec", po::value(&libexec)->default_value(TUNER_ATTACK_LIBEXEC), "folder of tuner-engine and tuner-worker");
  po::variables_map values;
  po::store(po::parse_command_line(argc, argv, options), values);
  po::notify(values);
  if (values.contains("help")) {
    std::cout << options << "sections:";
    for (const Section* each : kSections) std::cout << " " << each->name;
    std::cout << "\n";
    std::exit(0);
  }
  const bool known = std::any_of(std::begin(kSections), std::end(kSections),
                                 [&](const Section* each) { return campaign.section == each->name; });
  if (!campaign.section.empty() && !known) throw std::runtime_error("there is no section " + campaign.section);
  campaign.keep = fs::absolute(keep);
  const int lives = values.contains("lives") ? campaign.programs.lives : campaign.number >= 0 ? 1 : 20;
  campaign.programs = {.tuner = fs::path(bin) / "tuner",
                       .engine = fs::path(libexec) / "tuner-engine",
                       .worker = fs::path(libexec) / "tuner-worker",
                       .helper = TUNER_ATTACK_HELPER,
                       .fork_server = {},  // when there is a folder
                       .fake_driver = TUNER_ATTACK_FAKE_DRIVER,
                       .data = fs::path(TUNER_ATTACK_REPOSITORY) / "tests/data",
                       .lives = lives};
  return campaign;
}

}  // namespace

int main(int argc, char** argv) try {
  const Campaign campaign = read_words(argc, argv);
  return run(campaign) ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "attack: %s\n", error.what());
  return 2;
}
