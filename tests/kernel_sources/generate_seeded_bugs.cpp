// Writes C++ files that run prefetch.cu on the CPU with the mistakes of seeded_bugs.hpp planted in it:
//   generate_seeded_bugs KERNEL.cu FOLDER
// One translated text for each mistake, and host_bugs.cpp with one variant for each.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/kernel_sources/host_shim/translate.hpp"
#include "tests/kernel_sources/seeded_bugs.hpp"
#include "tuner/core/task.hpp"

namespace {

using namespace tuner;

std::string planted(std::string text, const host::SeededBug& bug) {
  const std::size_t at = text.find(bug.right);
  if (at == std::string::npos || text.find(bug.right, at + 1) != std::string::npos) {
    throw std::runtime_error("the text that '" + std::string(bug.name) +
                             "' replaces does not stand in the kernel exactly once");
  }
  return text.replace(at, bug.right.size(), bug.wrong);
}

host::VariantSource variant(const KernelDescription& description, const host::SeededBug& bug) {
  const Task task(description, parse_problem(bug.problem), known_device("H200"));
  const search::Configuration configuration = task.space().parse(bug.configuration);
  if (auto reason = task.space().why_invalid(configuration))
    throw std::runtime_error(std::string(bug.name) + ": " + *reason);
  const Geometry geometry = task.geometry(configuration);
  host::VariantSource result;
  result.name = bug.name;
  result.configuration = task.space().text(configuration);
  for (const Task::Macro& macro : task.macros(configuration)) result.macros.emplace_back(macro.name, macro.text);
  host::CaseSource& source = result.cases.emplace_back();
  for (const auto& [name, value] : task.problem()) source.problem.emplace_back(name, value.as_integer());
  source.launch.grid = {geometry.grid[0], geometry.grid[1], geometry.grid[2]};
  source.launch.block = {geometry.block[0], geometry.block[1], geometry.block[2]};
  source.launch.shared_bytes = geometry.shared_bytes;
  return result;
}

void generate(const std::filesystem::path& kernel, const std::filesystem::path& folder) {
  const KernelDescription description = load_description(kernel);
  std::filesystem::create_directories(folder);
  std::vector<host::VariantSource> variants;
  for (const host::SeededBug& bug : host::kSeededBugs) {
    const std::filesystem::path file = folder / ("host_bug_" + std::to_string(variants.size()) + ".cu");
    std::ofstream(file) << host::translate(planted(description.source, bug), kernel.string());
    variants.push_back(variant(description, bug));
    variants.back().file = file.string();
  }
  std::ofstream(folder / "host_bugs.cpp")
      << host::translation_unit("bugs", description.kernel, description.source, variants);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) throw std::runtime_error("usage: generate_seeded_bugs KERNEL.cu FOLDER");
  generate(arguments[1], arguments[2]);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "generate_seeded_bugs: %s\n", error.what());
  return 1;
}
