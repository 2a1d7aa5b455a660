// Writes the C++ files that run a kernel on the CPU in many configurations:
//   generate_host_cases KERNEL.cu LIST.cases FOLDER UNITS pairs|all
// UNITS files host_unit_<n>.cpp and one translated copy of the kernel. The parameters, their constraints, the macros
// and the launch geometry all come from the kernel's own directives, bound to an H200.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>

#include "tests/kernel_sources/case_list.hpp"
#include "tests/kernel_sources/cover_pairs.hpp"
#include "tests/kernel_sources/host_shim/translate.hpp"
#include "tuner/core/description.hpp"
#include "tuner/core/device.hpp"
#include "tuner/core/task.hpp"

namespace {

using namespace tuner;

constexpr std::size_t kMostPairs = 120;

struct Pick {
  std::size_t constants;  ///< position in the list
  search::Configuration configuration;
};

class Generator {
 public:
  Generator(const std::filesystem::path& kernel, const std::filesystem::path& list)
      : description_(load_description(kernel)), list_(host::read_case_list(list)), device_(known_device("H200")) {
    for (const host::Values& constants : list_.constants) {
      tasks_.emplace_back(description_, problem(constants, list_.space, search::Scope()), device_);
    }
  }

  std::vector<Pick> pairs() const {
    std::vector<Pick> picks;
    std::vector<std::vector<std::uint32_t>> rows;
    std::vector<std::size_t> all, wanted;
    const search::Expression condition = search::Expression::parse(list_.pairs);
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      const search::Space& space = tasks_[k].space();
      for (std::uint64_t i = 0; i < space.size(); ++i) {
        const search::Configuration configuration = space.at(i);
        if (condition.evaluate_boolean(space.scope(configuration))) wanted.push_back(rows.size());
        all.push_back(rows.size());
        rows.push_back(configuration.choice);
        rows.back().push_back(static_cast<std::uint32_t>(k));
        picks.push_back({k, configuration});
      }
    }
    std::vector<std::size_t> chosen;
    host::cover_pairs(rows, wanted, kMostPairs + 1, chosen);
    if (chosen.size() > kMostPairs)
      throw std::runtime_error("The part of the space named by 'pairs' needs more than 120 configurations");
    host::cover_pairs(rows, all, kMostPairs, chosen);
    std::vector<Pick> result;
    for (std::size_t row : chosen) result.push_back(picks[row]);
    return result;
  }

  std::vector<Pick> all() const {
    std::vector<Pick> picks;
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      const search::Space& space = tasks_[k].space();
      for (std::uint64_t i = 0; i < space.size(); ++i) {
        const search::Configuration configuration = space.at(i);
        if (differs_visibly(space, configuration)) picks.push_back({k, configuration});
      }
    }
    return picks;
  }

  /// The variants of one pick. Sizes that reach the compiler as macros make variants of their own; at most `most` of
  /// these are taken, other ones for every pick.
  std::vector<host::VariantSource> variants(const Pick& pick, std::size_t turn, std::size_t most) const {
    const search::Space& space = tasks_[pick.constants].space();
    std::map<std::vector<std::pair<std::string, std::string>>, host::VariantSource> by_macros;
    for (const host::Values& sizes : list_.sizes) {
      const ProblemValues values = problem(list_.constants[pick.constants], sizes, space.scope(pick.configuration));
      const Task task(description_, values, device_, pinned(space, pick.configuration));
      if (task.space().size() == 0) continue;  // not a valid configuration at this size
      const search::Configuration same = task.space().at(0);
      std::vector<std::pair<std::string, std::string>> macros;
      for (const Task::Macro& macro : task.macros(same)) macros.emplace_back(macro.name, macro.text);
      host::VariantSource& variant = by_macros[macros];
      variant.macros = macros;
      variant.configuration = space.text(pick.configuration);
      const Geometry geometry = task.geometry(same);
      host::CaseSource source;
      for (const auto& [name, value] : task.problem()) source.problem.emplace_back(name, value.as_integer());
      source.launch.grid = {geometry.grid[0], geometry.grid[1], geometry.grid[2]};
      source.launch.block = {geometry.block[0], geometry.block[1], geometry.block[2]};
      source.launch.shared_bytes = geometry.shared_bytes;
      variant.cases.push_back(source);
    }
    std::vector<host::VariantSource> result;
    for (auto& [macros, variant] : by_macros) result.push_back(std::move(variant));
    if (result.size() > most) {
      std::rotate(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(turn * most % result.size()),
                  result.end());
      result.resize(most);
    }
    return result;
  }

  const KernelDescription& description() const { return description_; }

 private:
  static ProblemValues problem(const host::Values& constants, const host::Values& sizes, const search::Scope& scope) {
    ProblemValues values;
    for (const host::Values* part : {&constants, &sizes}) {
      for (const auto& [name, expression] : *part) values[name] = expression.evaluate(scope);
    }
    return values;
  }

  static std::vector<std::string> pinned(const search::Space& space, const search::Configuration& configuration) {
    std::vector<std::string> conditions;
    for (std::size_t p = 0; p < space.parameters().size(); ++p) {
      conditions.push_back(space.parameters()[p].name + " == " + space.value(configuration, p).text());
    }
    return conditions;
  }

  bool differs_visibly(const search::Space& space, const search::Configuration& configuration) const {
    for (std::size_t p = 0; p < space.parameters().size(); ++p) {
      const search::Parameter& parameter = space.parameters()[p];
      const bool ignored = std::find(list_.same.begin(), list_.same.end(), parameter.name) != list_.same.end();
      if (ignored && !(space.value(configuration, p) == parameter.default_value)) return false;
    }
    return true;
  }

  KernelDescription description_;
  host::CaseList list_;
  DeviceInfo device_;
  std::vector<Task> tasks_;  // one for each line of constants
};

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream stream(file);
  stream << text;
  if (!stream.flush()) throw std::runtime_error(file.string() + " cannot be written");
}

void generate(const std::filesystem::path& kernel, const std::filesystem::path& list,
              const std::filesystem::path& folder, std::size_t units, const std::string& part) {
  const Generator generator(kernel, list);
  const KernelDescription& description = generator.description();
  const std::filesystem::path translated = folder / ("host_" + kernel.filename().string());
  std::filesystem::create_directories(folder);
  write(translated, host::translate(description.source, kernel.string()));

  const bool whole_space = part == "all";
  const std::vector<Pick> picks = whole_space ? generator.all() : generator.pairs();
  std::vector<std::vector<host::VariantSource>> variants(units);
  for (std::size_t i = 0; i < picks.size(); ++i) {
    for (host::VariantSource& variant : generator.variants(picks[i], i, whole_space ? 1 : 2)) {
      variant.name = part;
      variant.file = translated.string();
      variants[i % units].push_back(std::move(variant));
    }
  }
  for (std::size_t unit = 0; unit < units; ++unit) {
    const std::string set = "unit_" + std::to_string(unit);
    write(folder / ("host_" + set + ".cpp"),
          host::translation_unit(set, description.kernel, description.source, variants[unit]));
  }
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 6) throw std::runtime_error("usage: generate_host_cases KERNEL.cu LIST.cases FOLDER UNITS pairs|all");
  generate(arguments[1], arguments[2], arguments[3], std::stoul(arguments[4]), arguments[5]);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "generate_host_cases: %s\n", error.what());
  return 1;
}
