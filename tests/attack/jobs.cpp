// Jobs of the fleet by somebody who wants to know which files there are on the machines of others. The same job is
// worked off twice, once with files planted outside of it and once without: neither what is said of it nor what is
// made of it may tell which time is which.
#include <sys/stat.h>

#include <iostream>
#include <optional>

#include "cache/file/packed_text.hpp"
#include "tests/attack/attack.hpp"
#include "tests/attack/job_damage.hpp"
#include "tuner/engine/compile/compile_fields.hpp"
#include "tuner/engine/compile/pool.hpp"
#include "tuner/engine/lanes/call.hpp"
#include "tuner/error.hpp"
#include "tuner/process/confinement.hpp"

namespace tuner::attack {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t kLongestToCompile = 100'000;
const char* const kPlacesOfPlants[] = {".", "outside", "home", "out", "tmp"};

/// Each layer alone is to hold: the rules for texts, where compilers open what they like, and Landlock, whatever the
/// texts are. Null where there is no compiler, or no Landlock.
struct Compilers {
  std::unique_ptr<engine::CompilePool> free, confined;
};
Compilers& compilers() {
  static Compilers all;
  return all;
}

/// What whoever submitted a job may come to know of a compile; nothing where the compiler was stopped.
std::optional<std::string> compiled(engine::CompilePool& pool, const engine::CompileRequest& request) {
  const engine::CompileReply reply = engine::call(pool, request);
  if (reply.outcome == Outcome::compile_timeout || reply.outcome == Outcome::worker_lost) return std::nullopt;
  if (reply.outcome != Outcome::ok) return reply.message + "\n" + reply.log;
  return std::string(reinterpret_cast<const char*>(reply.cubin.bytes.data()), reply.cubin.bytes.size());
}

enum class Plant { none, text, empty, folder, pipe };

void plant(const Attack& attack, Plant what) {
  for (const char* place : kPlacesOfPlants) {
    const fs::path file = attack / place / kPlanted;
    fs::remove_all(file);
    if (what == Plant::text) write_bytes(file, "#define FOUND 1\n");
    if (what == Plant::empty) write_bytes(file, "");
    if (what == Plant::folder) fs::create_directory(file);
    if (what == Plant::pipe && mkfifo(file.c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
  }
}

/// The folder stays: the compilers are confined to it.
void empty(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) fs::remove_all(entry.path());
}

engine::CompileRequest asking(const std::string& source, const fs::path& job) {
  return {
      .source = source, .file_name = (job / "scale.cu").string(), .name_expression = "scale", .architecture = "sm_90"};
}

/// The text of the job as a compiler would see it if nothing were refused but options that name files.
engine::CompileRequest unchecked(const HostileJob& job, const fs::path& folder) {
  engine::CompileRequest request = asking("#define BLOCK 128\n#define T float\n" + job.source, folder);
  for (const auto& [name, text] : job.headers) request.headers.push_back({name, text});
  for (std::string option : job.options) {
    std::erase(option, '\\');
    if (option.find(kPlanted) == std::string::npos && option.find('/') == std::string::npos &&
        option.find("..") == std::string::npos)
      request.options.push_back(option);
  }
  return request;
}

void prepare_jobs(Attack& attack) {
  const fs::path job = attack / "job", before = fs::current_path();
  fs::create_directory(job);
  engine::CompilePoolOptions options{.workers = 1, .timeout = 5s, .worker_program = attack.programs().worker};
  try {
    // Compilers look for what has no folder where they work, as those of a job do in its folder.
    fs::current_path(job);
    compilers().free = std::make_unique<engine::CompilePool>(options);
    fs::current_path(attack.sandbox().root());
    options.confined_to = job;
    if (can_confine()) compilers().confined = std::make_unique<engine::CompilePool>(options);
    fs::current_path(before);
    // What this section is deaf to, it does not find.
    const auto request = asking("#if __has_include(\"../planted.cuh\")\n#error found\n#endif\n", job);
    plant(attack, Plant::text);
    const auto said = compiled(*compilers().free, request);
    plant(attack, Plant::none);
    if (!said || said->find("found") == std::string::npos)
      attack.find("a compiler does not answer a plain question for a file", "the campaign itself");
  } catch (const Error& error) {
    fs::current_path(before);
    compilers() = {};
    std::cerr << "jobs: nothing is compiled: " << error.what() << "\n";
  }
}

/// What came of a job.
struct Worked {
  Ending ending;
  Listing files;                                ///< what was left in its folder, and what a compiler was to be sent
  std::optional<std::string> free, confined;    ///< what compilers made of it
  bool operator==(const Worked& other) const {  // a compiler that was stopped says nothing
    const auto same = [](const auto& a, const auto& b) { return !a || !b || a == b; };
    return ending.out == other.ending.out && ending.err == other.ending.err && files == other.files &&
           same(free, other.free) && same(confined, other.confined);
  }
};

Worked work_off(Attack& attack, std::uint64_t bits, const HostileJob& job, Plant what) {
  attack.sandbox().clear("out");
  empty(attack / "job");
  plant(attack, what);
  Worked worked;
  worked.ending = attack.run("helper", {"job", std::to_string(bits), attack.sandbox().root()},
                             {.may_change = {"out", "job"}, .exit_codes = {0}, .text_matters = false});
  worked.files = list(attack.sandbox().root(),
                      {"db", "in", "home", "tmp", "outside", "saved", kPlanted, std::string("out/") + kPlanted});
  const std::string packed = fs::exists(attack / "out/request") ? read_bytes(attack / "out/request") : "";
  if (job.source.size() + job.headers[0].second.size() < kLongestToCompile && what != Plant::pipe) {
    const engine::CompileRequest request =
        packed.empty() ? unchecked(job, attack / "job") : cache::unpacked<engine::CompileRequest>(packed);
    if (compilers().free && !packed.empty()) worked.free = compiled(*compilers().free, request);
    if (compilers().confined) worked.confined = compiled(*compilers().confined, request);
  }
  plant(attack, Plant::none);
  return worked;
}

void run_jobs(Attack& attack, Chance& chance) {
  attack.sandbox().clear();
  const std::uint64_t bits = chance.bits();
  Chance of_job(bits, "job", 0);
  const HostileJob job = hostile_job(of_job, attack.sandbox().root());
  attack.note(job.source.substr(0, 4000) + "\n--- " + job.headers[0].first + "\n" +
              job.headers[0].second.substr(0, 1000));
  const Plant what = chance.one_of({Plant::text, Plant::text, Plant::empty, Plant::folder, Plant::pipe});
  const Worked without = work_off(attack, bits, job, Plant::none), with = work_off(attack, bits, job, what);
  if (without == with) return;
  // What differs each time has nothing to do with the files.
  if (!(without == work_off(attack, bits, job, Plant::none)) || !(with == work_off(attack, bits, job, what))) return;
  const char* who = "the worker of";
  if (without.confined != with.confined) who = "a confined compiler of";
  if (without.free != with.free) who = "a compiler that is not confined of";
  attack.note("--- without\n" + without.ending.out + without.free.value_or("") + without.confined.value_or(""));
  attack.note("--- with\n" + with.ending.out + with.free.value_or("") + with.confined.value_or(""));
  attack.find(std::string(who) + " a job tells whether a file is there", "tuner fleet work", &with.ending);
}

}  // namespace

const Section kJobs{"jobs", 400, prepare_jobs, run_jobs};

}  // namespace tuner::attack
