#include "tuner/host/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/error.hpp"
#include "tuner/host/shortage.hpp"
#include "tuner/host/work_folder.hpp"

namespace tuner::host {
namespace {

/// So many may fail one by one.
constexpr std::size_t kFewVariants = 4;

/// How many of `variants` a file has when so many compilers run at once: they share what every file costs, and no core
/// is to wait for another.
std::size_t variants_of_unit(std::size_t variants, int jobs) {
  return std::clamp<std::size_t>(variants / static_cast<std::size_t>(std::max(jobs, 1)), 12, 36);
}

/// What it means that nothing of a flavour can be run.
std::string consequence(Flavour flavour) {
  return flavour == Flavour::memory ? "" : "Races were not checked. ";
}

}  // namespace

Build::Build(const Program& program, const Compiler& compiler, const std::vector<VariantSource>& variants,
             const HostOptions& options, const JobLimits& limits, const KnownFiles& files)
    : program_(program), compiler_(compiler), variants_(variants), options_(options), limits_(limits), files_(files) {
  for (std::vector<bool>& flavour : compiled_) flavour.assign(variants.size(), false);
}

std::filesystem::path Build::program(Flavour flavour) const {
  return program_.folder() / ("run_" + flavour_name(flavour));
}

Build::Unit Build::make_unit(Flavour flavour, std::vector<VariantSource> variants) {
  const std::string name = flavour_name(flavour) + "_" + std::to_string(units_++);
  Unit unit;
  unit.source = program_.write_unit(name, variants);
  unit.object = program_.folder() / (name + ".o");
  unit.variants = std::move(variants);
  return unit;
}

void Build::note(const Unit& unit, const Job& job) {
  Failure failure;
  for (const VariantSource& variant : unit.variants) failure.variants.push_back(variant.number);
  failure.why.sentence = shortage(job, "The C++ compiler", limits_);
  if (failure.why.sentence.empty()) {
    failure.why = read_compiler_messages(job.messages, files_);
    if (job.messages.empty()) failure.why.sentence += " (it " + job.how + ")";
  }
  for (Failure& other : failures_) {
    if (other.why.sentence != failure.why.sentence || other.why.place != failure.why.place) continue;
    other.variants.insert(other.variants.end(), failure.variants.begin(), failure.variants.end());
    return;
  }
  failures_.push_back(std::move(failure));
}

void Build::require_whole_compiler(const std::vector<Job>& jobs) const {
  for (const Job& job : jobs) {
    const std::string part = missing_part(job.messages);
    if (!job.done || job.ok || part.empty()) continue;
    throw Error(Errc::no_toolkit,
                fmt::format("{} does not find its program `{}`: install it, add its folder to PATH, or set CXX to "
                            "another compiler.",
                            compiler_name(), part));
  }
}

bool Build::succeeded(Flavour flavour, const std::vector<Job>& jobs, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const Job& job = jobs[i];
    if (!job.done) return false;
    if (job.ok) continue;
    const std::string lack = shortage(job, compiler_name(), limits_);
    if (lack.empty()) {
      const std::string said = read_compiler_messages(job.messages, files_).sentence;
      throw Error(Errc::no_toolkit, compiler_name() + " cannot compile the code around a kernel: " +
                                        (job.messages.empty() ? "it " + job.how : said) +
                                        ". Set CXX to another compiler.");
    }
    failures_.push_back({{}, {consequence(flavour) + lack}});
    return false;
  }
  return true;
}

std::optional<std::vector<Build::Unit>> Build::compile(Flavour flavour, const std::vector<Unit>& units,
                                                       std::vector<Job> jobs,
                                                       std::vector<std::filesystem::path>& objects,
                                                       std::chrono::steady_clock::time_point until) {
  const std::size_t others = jobs.size();
  for (const Unit& unit : units) {
    jobs.push_back(compiler_.compile(unit.source, unit.object, flavour, unit.variants.front().standard));
  }
  std::size_t done = 0;
  JobLimits limits = limits_;
  limits.until = until;
  run_jobs(jobs, limits, [&](const Job&) {
    if (options_.progress) options_.progress("compiling", ++done, jobs.size());
  });
  require_whole_compiler(jobs);
  if (!succeeded(flavour, jobs, others)) return std::nullopt;
  std::vector<Unit> failed;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const Job& job = jobs[others + i];
    if (!job.done) continue;
    if (!job.ok) {
      failed.push_back(units[i]);
      if (units[i].variants.size() == 1) note(units[i], job);
      continue;
    }
    objects.push_back(units[i].object);
    for (const VariantSource& variant : units[i].variants)
      compiled_[flavour == Flavour::memory ? 0 : 1][static_cast<std::size_t>(variant.number)] = true;
  }
  return failed;
}

std::vector<Job> Build::runtime_jobs(Flavour flavour) {
  runtime_.push_back(program_.runtime(flavour).replace_extension(".o"));
  const std::string_view ready = compiler_.runtime(flavour);
  if (ready.empty() || !links_ready_)
    return {compiler_.compile_runtime(program_.folder(), program_.runtime(flavour), runtime_.back())};
  write_file(runtime_.back(), ready);
  return {};
}

bool Build::run(Flavour flavour, std::size_t most, std::chrono::steady_clock::time_point until) {
  std::vector<Unit> units;
  std::vector<VariantSource> next;
  const std::size_t of_unit = variants_of_unit(std::min(most, variants_.size()), limits_.at_once);
  for (const VariantSource& variant : variants_) {
    if (static_cast<std::size_t>(variant.number) >= most) break;
    // What one flavour does not compile, the other does not either.
    if (flavour == Flavour::threads && !compiled(Flavour::memory, variant.number)) continue;
    if (!next.empty() && next.front().standard != variant.standard)
      units.push_back(make_unit(flavour, std::exchange(next, {})));
    next.push_back(variant);
    // The first of many alone: what it does not compile for is likely to be true for all.
    const bool alone = variant.number == 0 && flavour == Flavour::memory && variants_.size() > kFewVariants;
    if (next.size() == of_unit || alone) {
      units.push_back(make_unit(flavour, std::move(next)));
      next.clear();
    }
  }
  if (!next.empty()) units.push_back(make_unit(flavour, std::move(next)));

  std::vector<std::filesystem::path> objects;
  const std::optional<std::vector<Unit>> failed = compile(flavour, units, runtime_jobs(flavour), objects, until);
  if (!failed || limits_.stopped()) return false;
  const bool first_failed = flavour == Flavour::memory && !failures_.empty() && !compiled(flavour, 0);
  if (first_failed && objects.empty()) {
    // Everything failed, the first by itself: its reason is the reason.
    for (const Unit& unit : *failed) {
      for (const VariantSource& variant : unit.variants) {
        if (variant.number != 0) failures_.front().variants.push_back(variant.number);
      }
    }
    return false;
  }
  std::vector<Unit> single;
  for (const Unit& unit : *failed) {
    if (unit.variants.size() == 1) continue;
    for (const VariantSource& variant : unit.variants) single.push_back(make_unit(flavour, {variant}));
  }
  if (!single.empty()) compile(flavour, single, {}, objects, until);
  if (objects.empty() || limits_.stopped()) return false;

  objects.insert(objects.end(), runtime_.begin(), runtime_.end());
  std::vector<Job> link{compiler_.link(objects, program(flavour), flavour)};
  run_jobs(link, limits_);
  if (link[0].done && !link[0].ok && !compiler_.runtime(flavour).empty() && std::exchange(links_ready_, false)) {
    // What is ready may need a newer library of C than this machine has.
    std::vector<Job> again;
    for (const std::filesystem::path& object : runtime_) {
      std::filesystem::path source = object;
      again.push_back(compiler_.compile_runtime(program_.folder(), source.replace_extension(".cpp"), object));
    }
    run_jobs(again, limits_);
    if (!succeeded(flavour, again, again.size())) return false;
    link = {compiler_.link(objects, program(flavour), flavour)};
    run_jobs(link, limits_);
  }
  require_whole_compiler(link);
  if (link[0].ok) return true;
  if (link[0].done) {
    std::string why = shortage(link[0], "The linker of the C++ compiler", limits_);
    if (why.empty())
      why = "The kernel cannot be linked: " +
            (link[0].messages.empty() ? "it " + link[0].how : link[0].messages.substr(0, 2000));
    failures_.push_back({{}, {consequence(flavour) + why}});
  }
  return false;
}

}  // namespace tuner::host
