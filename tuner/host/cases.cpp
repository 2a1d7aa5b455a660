#include "tuner/host/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <set>

#include "tuner/core/signature/value_source.hpp"
#include "tuner/core/support/generators.hpp"
#include "tuner/core/task/argument_binding.hpp"
#include "tuner/core/task/input_file.hpp"
#include "tuner/host/work_folder.hpp"

namespace tuner::host {
namespace {

constexpr std::size_t kMostVariantsOfPick = 2;

using Macros = std::vector<std::pair<std::string, std::string>>;

std::vector<std::byte> scalar_content(const BoundArgument& argument) {
  BoundArgument one = argument;
  one.length = 1;
  const double value =
      argument.value.is_boolean() ? (argument.value.as_boolean() ? 1.0 : 0.0) : argument.value.as_real();
  one.generators = {{Generator::Kind::constant, {value, 0}}};
  one.file.reset();
  return generate(one, 0, 0);
}

HostProblem bind(std::shared_ptr<const KernelDescription> description, const ProblemValues& values,
                 const HostOptions& options) {
  HostProblem problem;
  problem.task = std::make_unique<Task>(std::move(description), values, options.device, std::vector<std::string>(),
                                        options.include_folders, search::Listing::when_needed);
  problem.text = problem_text(problem.task->problem());
  problem.arguments = problem.task->arguments_with_data();
  for (std::size_t i = 0; i < problem.arguments.size(); ++i) {
    const BoundArgument& argument = problem.arguments[i];
    problem.expected.push_back(argument.expected ? read_data(*argument.expected) : std::vector<std::byte>());
    if (argument.role == Argument::Role::scalar)
      problem.contents.push_back(scalar_content(argument));
    else if (is_filled(argument.role))
      problem.contents.push_back(generate(argument, i, options.seed));
    else
      problem.contents.emplace_back();
  }
  return problem;
}

/// `-DNAME=value` as a macro.
std::optional<std::pair<std::string, std::string>> macro_of(const std::string& option) {
  if (!option.starts_with("-D") || option.size() == 2) return std::nullopt;
  const std::size_t equals = option.find('=');
  if (equals == std::string::npos) return std::pair(option.substr(2), std::string("1"));
  return std::pair(option.substr(2, equals - 2), option.substr(equals + 1));
}

/// The language version that an option names: "20" of `--std=c++20`.
std::optional<std::string> standard_of(std::string_view option) {
  for (const std::string_view name : {"--std=c++", "-std=c++"}) {
    if (option.starts_with(name)) return std::string(option.substr(name.size()));
  }
  return std::nullopt;
}

class Builder {
 public:
  Builder(std::shared_ptr<const KernelDescription> description, const HostOptions& options)
      : description_(std::move(description)), options_(options) {
    for (const ProblemProperty& property : description_->problem) {
      if (property.kind == ProblemProperty::Kind::constant) cases_.changing.push_back(property.name);
    }
    for (const ParameterDescription& parameter : description_->parameters)
      cases_.changing.push_back(parameter.parameter.name);
    for (const NamedExpression& name : description_->names) {
      if (name.is_macro) cases_.changing.push_back(name.name);
    }
    for (const NamedExpression& constant : description_->reference.constants) cases_.changing.push_back(constant.name);
  }

  void add(const Pick& pick, std::size_t turn) {
    struct Bound {
      std::size_t problem;
      search::Configuration configuration;
    };
    std::vector<std::pair<VariantSource, std::vector<Bound>>> programs;
    for (const ProblemValues& values : pick.problems) {
      const std::size_t problem = problem_of(values);
      const Task& task = *cases_.problems[problem].task;
      const search::Configuration configuration = task.space().parse(pick.configuration);
      if (!task.accepts(configuration)) continue;
      VariantSource source =
          program(task, configuration, task.name_expression(configuration), task.macros(configuration));
      auto known =
          std::find_if(programs.begin(), programs.end(), [&](const auto& entry) { return entry.first == source; });
      if (known == programs.end()) known = programs.insert(known, {source, {}});
      known->second.push_back({problem, configuration});
    }
    if (programs.empty() && !pick.problems.empty()) {
      cases_.unchecked.push_back({"No problem accepts the configuration", {}, pick.configuration, 1});
      return;
    }
    if (programs.size() > kMostVariantsOfPick) {
      std::rotate(programs.begin(),
                  programs.begin() + static_cast<std::ptrdiff_t>(turn * kMostVariantsOfPick % programs.size()),
                  programs.end());
      programs.resize(kMostVariantsOfPick);
    }
    for (const auto& [source, bound] : programs) {
      for (const Bound& one : bound) {
        const Task& task = *cases_.problems[one.problem].task;
        try {
          add_case(source, one.problem, one.configuration,
                   {task.geometry(one.configuration), task.parameters(), /*only_reference=*/false});
        } catch (const Error& error) {  // a grid of 0, as a small problem may give
          note_without_launch(one.problem, pick.configuration, error.what());
        }
      }
    }
  }

  /// Once for each problem.
  void note_without_launch(std::size_t problem, const std::string& configuration, std::string_view why) {
    const auto [known, is_new] = without_launch_.emplace(problem, cases_.unchecked.size());
    if (is_new)
      cases_.unchecked.push_back({fmt::format("On {}: {}", cases_.problems[problem].text, why), {}, configuration, 0});
    ++cases_.unchecked[known->second].configurations;
  }

  /// What each problem's results are compared with.
  void add_references() {
    if (options_.expected) return;
    for (std::size_t p = 0; p < cases_.problems.size(); ++p) {
      HostProblem& problem = cases_.problems[p];
      const Task& task = *problem.task;
      const std::optional<search::Configuration> baseline = task.baseline();
      if (!baseline) continue;
      const ReferenceDescription& reference = description_->reference;
      if (reference.is_named()) {
        problem.reference =
            add_case(program(task, *baseline, reference.kernel, task.reference_macros(*baseline)), p, *baseline,
                     {task.reference_geometry(*baseline), task.reference_arguments(), /*only_reference=*/true});
      } else {
        problem.reference =
            add_case(program(task, *baseline, task.name_expression(*baseline), task.macros(*baseline)), p, *baseline,
                     {task.geometry(*baseline), task.parameters(), /*only_reference=*/true});
      }
    }
  }

  Cases finish() {
    if (!cases_.problems.empty()) {
      const HostProblem& any = cases_.problems.front();
      const std::string counting = counting_inputs(*description_, any.arguments);
      if (!counting.empty()) cases_.notes.push_back(counting);
    }
    // Those of one variant one after the other: they share a process.
    std::vector<std::size_t> order(cases_.cases.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return cases_.cases[a].variant < cases_.cases[b].variant; });
    std::vector<HostCase> sorted;
    std::vector<std::size_t> moved(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      moved[order[i]] = i;
      sorted.push_back(std::move(cases_.cases[order[i]]));
    }
    cases_.cases = std::move(sorted);
    for (HostProblem& problem : cases_.problems) {
      if (problem.reference != HostProblem::kNone) problem.reference = moved[problem.reference];
    }
    return std::move(cases_);
  }

 private:
  /// How a case runs its program.
  struct Run {
    Geometry geometry;
    std::vector<std::size_t> takes;
    bool only_reference = false;
  };

  std::size_t problem_of(const ProblemValues& values) {
    const std::string text = problem_text(values);
    const auto known = problems_.find(text);
    if (known != problems_.end()) return known->second;
    cases_.problems.push_back(bind(description_, values, options_));
    return problems_[text] = cases_.problems.size() - 1;
  }

  VariantSource program(const Task& task, const search::Configuration& configuration, std::string function,
                        const std::vector<Macro>& macros) {
    VariantSource source;
    source.function = std::move(function);
    for (const std::string& option : task.options(configuration)) {
      if (auto macro = macro_of(option)) {
        source.macros.push_back(std::move(*macro));
      } else if (const auto standard = standard_of(option)) {
        source.standard = *standard == "20" ? "20" : "17";
        if (*standard != source.standard && ignored_.insert(option).second)
          cases_.notes.push_back(fmt::format("On the CPU the kernel is compiled as C++17 although `{}` asks for C++{}.",
                                             option, *standard));
      } else if (ignored_.insert(option).second) {
        cases_.notes.push_back("The compiler option `" + option + "` has no effect on the CPU.");
      }
    }
    for (const Macro& macro : macros) source.macros.emplace_back(macro.name, macro.text);
    return source;
  }

  std::size_t add_case(VariantSource source, std::size_t problem, const search::Configuration& configuration, Run run) {
    const Task& task = *cases_.problems[problem].task;
    const auto known = std::find_if(cases_.variants.begin(), cases_.variants.end(), [&](const VariantSource& other) {
      source.number = other.number;
      return source == other;
    });
    source.number = static_cast<int>(cases_.variants.size());
    const int number = known == cases_.variants.end() ? source.number : known->number;
    if (known == cases_.variants.end()) cases_.variants.push_back(std::move(source));
    HostCase made{number,
                  problem,
                  task.space().text(configuration),
                  run.geometry,
                  task.scratch_lengths(configuration),
                  std::move(run.takes),
                  run.only_reference};
    for (std::size_t i = 0; i < cases_.cases.size(); ++i) {
      HostCase& other = cases_.cases[i];
      const bool is_same = other.variant == number && other.problem == problem &&
                           other.configuration == made.configuration && other.geometry == made.geometry &&
                           other.takes == made.takes;
      if (!is_same) continue;
      other.reference_only = other.reference_only && made.reference_only;
      return i;
    }
    cases_.cases.push_back(std::move(made));
    return cases_.cases.size() - 1;
  }

  std::shared_ptr<const KernelDescription> description_;
  const HostOptions& options_;
  Cases cases_;
  std::map<std::string, std::size_t> problems_;
  std::map<std::size_t, std::size_t> without_launch_;  // by problem, which of those that are not checked
  std::set<std::string> ignored_;
};

}  // namespace

Cases make_cases(std::shared_ptr<const KernelDescription> description, const std::vector<Pick>& picks,
                 const HostOptions& options) {
  Builder builder(std::move(description), options);
  for (std::size_t i = 0; i < picks.size(); ++i) builder.add(picks[i], i);
  builder.add_references();
  return builder.finish();
}

void write_inputs(Cases& cases, const std::filesystem::path& file) {
  constexpr std::uint64_t kStep = 64;
  std::ofstream stream(file, std::ios::binary);
  std::uint64_t size = 0;
  for (HostProblem& problem : cases.problems) {
    problem.offsets.assign(problem.contents.size(), 0);
    for (std::size_t i = 0; i < problem.contents.size(); ++i) {
      if (!is_filled(problem.arguments[i].role)) continue;
      const std::vector<std::byte>& content = problem.contents[i];
      problem.offsets[i] = size;
      stream.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
      const std::string padding(static_cast<std::size_t>((kStep - content.size() % kStep) % kStep), '\0');
      stream << padding;
      size += content.size() + padding.size();
    }
  }
  if (!stream.flush()) cannot_write(file, errno);
}

void write_plan(const Cases& cases, const std::vector<std::size_t>& numbers, const PlanFiles& files,
                std::chrono::seconds limit) {
  std::ofstream stream(files.plan);
  stream << "inputs " << files.inputs.string() << "\nresults " << files.results.string() << "\nreports "
         << files.reports.string() << "\nlimit " << limit.count() << '\n';
  for (const std::size_t number : numbers) {
    const HostCase& one = cases.cases[number];
    const HostProblem& problem = cases.problems[one.problem];
    const Geometry& geometry = one.geometry;
    stream << fmt::format("case {} {} {} {} {}\n", one.variant, one.problem, fmt::join(geometry.grid, " "),
                          fmt::join(geometry.block, " "), geometry.shared_bytes);
    stream << fmt::format("  takes {} {}\n", one.takes.size(), fmt::join(one.takes, " "));
    std::size_t scratch = 0;
    for (std::size_t i = 0; i < problem.arguments.size(); ++i) {
      const BoundArgument& argument = problem.arguments[i];
      if (argument.role == Argument::Role::scalar) {
        std::string digits;
        for (const std::byte byte : problem.contents[i]) digits += fmt::format("{:02x}", static_cast<unsigned>(byte));
        stream << fmt::format("  scalar {} {}\n", problem.contents[i].size(), digits);
        continue;
      }
      if (argument.role == Argument::Role::value) {
        stream << fmt::format("  value {}", argument.values.size());
        for (const ValueNumber& given : value_numbers(argument))
          stream << fmt::format(" {:a} {} {}", given.real, given.whole, given.is_whole);
        stream << '\n';
        continue;
      }
      const std::uint64_t length =
          argument.role == Argument::Role::scratch ? one.scratch.at(scratch++) : argument.length;
      const std::uint64_t bytes = length * static_cast<std::uint64_t>(argument.lanes) * size_of(argument.type);
      const long long offset = is_filled(argument.role) ? static_cast<long long>(problem.offsets[i]) : -1;
      stream << fmt::format("  {} {} {} {} {}\n", role_word(argument.role), bytes, argument.alignment, argument.padding,
                            offset);
    }
  }
  if (!stream.flush()) cannot_write(files.plan, errno);
}

}  // namespace tuner::host
