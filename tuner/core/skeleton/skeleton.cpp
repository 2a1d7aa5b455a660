#include "tuner/core/skeleton/skeleton.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "tuner/core/base/suggestion.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/description/code_text.hpp"
#include "tuner/core/description/directives.hpp"
#include "tuner/core/description/name_table.hpp"
#include "tuner/core/skeleton/guesses.hpp"
#include "tuner/core/skeleton/kernel_skeleton.hpp"
#include "tuner/core/skeleton/launching_code.hpp"
#include "tuner/core/skeleton/source_edits.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

constexpr const char* kIntroduction =
    "// Proposed by `tuner new`. A line `// ?` asks what the source does not say: decide, and remove it.\n"
    "// `tuner describe` shows how these lines are read, `tuner help directives` what else there is.\n";

/// How often sizes stand in a text.
std::size_t sizes_in(const KernelSkeleton& skeleton, std::string_view text) {
  std::size_t count = 0;
  for (const std::string& size : skeleton.sizes) {
    for (std::size_t at = find_word(text, size); at != std::string_view::npos; at = find_word(text, size, at + 1))
      ++count;
  }
  return count;
}

/// What sizes begin with of which the source says nothing: less where buffers have several dimensions.
std::int64_t usual_size(const KernelSkeleton& skeleton) {
  std::size_t factors = 1;
  // A GPU has no more than 65,535 blocks in y and z.
  for (std::size_t i = 1; i < skeleton.grid.size(); ++i) {
    if (sizes_in(skeleton, skeleton.grid[i]) > 0) factors = 2;
  }
  for (const std::string& line : skeleton.lines) {
    const bool is_buffer = line.starts_with("in(") || line.starts_with("out(") || line.starts_with("inout(");
    if (!is_buffer) continue;
    const std::string length = line.substr(line.rfind(", "));
    std::size_t begin = 0;
    while (begin < length.size()) {
      const std::size_t end = std::min(length.find('+', begin), length.size());
      factors = std::max(factors, sizes_in(skeleton, std::string_view(length).substr(begin, end - begin)));
      begin = end + 1;
    }
  }
  const bool has_loops = std::any_of(skeleton.sizes.begin(), skeleton.sizes.end(),
                                     [&](const std::string& size) { return skeleton.use.loops_to(size); });
  const std::int64_t usual = factors > 2 ? 256 : factors > 1 ? 1024 : has_loops ? 1 << 14 : 1 << 20;
  return std::min(usual, skeleton.most_usual);
}

/// The sizes that the launch passes as numbers.
std::map<std::string, std::int64_t> known_sizes(const KernelSkeleton& skeleton) {
  std::map<std::string, std::int64_t> known;
  const LaunchingCode host(skeleton);
  for (const PlainArgument& argument : skeleton.arguments) {
    const bool is_size = std::find(skeleton.sizes.begin(), skeleton.sizes.end(), argument.name) != skeleton.sizes.end();
    const auto value = is_size ? host.passed_integer(argument) : std::nullopt;
    if (value && *value >= 1) known[argument.name] = *value;
  }
  return known;
}

/// The `problem` line of the sizes that are no constants, and what they must satisfy.
std::vector<std::string> size_lines(const KernelSkeleton& skeleton) {
  const std::map<std::string, std::int64_t> known = known_sizes(skeleton);
  std::int64_t usual = usual_size(skeleton);
  // What goes along with a greater size, as its pitch, is not less.
  for (const auto& [name, value] : known) {
    while (usual < value && usual < (std::int64_t{1} << 40)) usual *= 2;
  }
  std::vector<std::string> lines;
  std::string properties, constraints;
  std::vector<std::string> unbounded, guesses;
  for (const std::string& size : skeleton.sizes) {
    if (skeleton.guarded.contains(size)) continue;
    const bool is_own = std::any_of(skeleton.arguments.begin(), skeleton.arguments.end(),
                                    [&](const PlainArgument& argument) { return argument.name == size; });
    if (!is_own) {
      lines.push_back(
          fmt::format("// ? The kernel takes no size, so `{}` is made up: what do its buffers and its grid "
                      "depend on?",
                      size));
    } else if (!skeleton.use.bounds_something(size)) {
      unbounded.push_back(fmt::format("`{}`", size));
    } else {
      constraints += fmt::format("{}problem_constraint(1 <= {})", constraints.empty() ? "" : " ", size);
    }
    const auto value = known.find(size);
    if (value == known.end()) guesses.push_back(fmt::format("`{}`", size));
    properties += fmt::format("{}{}: size = {}", properties.empty() ? "" : ", ", size,
                              value == known.end() ? usual : value->second);
  }
  if (!guesses.empty()) {
    lines.push_back(
        fmt::format("// ? Which sizes matter? Guessed: {}. --problem gives others.", fmt::join(guesses, ", ")));
  }
  for (const std::vector<std::string>& sizes : skeleton.undecided) {
    lines.push_back(
        fmt::format("// ? The program passes one variable for {}. Do the grid and the lengths hold where they differ?",
                    fmt::join(sizes, ", ")));
  }
  if (!properties.empty()) lines.push_back(fmt::format("problem({})", properties));
  if (!unbounded.empty()) {
    lines.push_back(
        fmt::format("// ? No index is compared with {}. What must be a multiple of something, or not less "
                    "than another size? Say so with problem_constraint(...).",
                    fmt::join(unbounded, ", ")));
  }
  if (!constraints.empty()) lines.push_back(std::move(constraints));
  return lines;
}

/// Arguments that follow each other without a question share a line.
std::vector<std::string> with_short_lines_joined(const std::vector<std::string>& lines) {
  constexpr std::size_t kLongestLine = 85;  // and `#pragma tuner` in front
  const auto is_argument = [](const std::string& line) {
    const std::string_view word = std::string_view(line).substr(0, line.find('('));
    return std::find(kRoles.begin(), kRoles.end(), word) != kRoles.end();
  };
  std::vector<std::string> joined;
  for (const std::string& line : lines) {
    const bool fits = !joined.empty() && is_argument(joined.back()) && is_argument(line) &&
                      joined.back().size() + line.size() < kLongestLine;
    if (fits)
      joined.back() += " " + line;
    else
      joined.push_back(line);
  }
  return joined;
}

/// `refusal` is what is wrong with the directives, which then are comments.
std::string composed(const KernelSkeleton& skeleton, const std::string& refusal) {
  const std::string name = skeleton.kernel.name;
  std::string text;
  const auto add = [&](const std::string& line) {
    const std::string_view pragma = refusal.empty() ? "#pragma tuner " : "// #pragma tuner ";
    text += (line.starts_with("//") ? line : std::string(pragma) + line) + "\n";
  };
  if (!refusal.empty()) {
    add(fmt::format("// ? Mend these lines, and make them no comments: {}", refusal));
  }
  add(skeleton.template_arguments.empty()
          ? fmt::format("kernel({})", name)
          : fmt::format("kernel({}<{}>)", name, fmt::join(skeleton.template_arguments, ", ")));
  for (const std::string& line : size_lines(skeleton)) add(line);
  for (const std::string& line : with_short_lines_joined(skeleton.lines)) add(line);
  if (skeleton.parameters.empty()) add("// ? What may vary? Make it a macro within #ifndef, and a param here.");
  return text;
}

/// A grid follows the block that it is computed with, and lengths cannot: a constant that one needs keeps its value.
void keep_constants_of_lengths(KernelSkeleton& skeleton) {
  for (const auto& [constant, parameter] : skeleton.block_constants) {
    const bool is_needed = std::ranges::any_of(skeleton.lines, [&](const std::string& line) {
      return (line.starts_with("in(") || line.starts_with("out(") || line.starts_with("inout(")) &&
             has_word(line, constant);
    });
    const std::string follows = fmt::format("let({} = {})", constant, parameter);
    const auto line = std::ranges::find(skeleton.lines, follows);
    if (is_needed && line != skeleton.lines.end())
      *line = fmt::format("let({} = {})", constant, skeleton.source.constant(constant)->value);
  }
}

/// Why the kernel cannot be described, or nothing; the skeleton is complete then.
std::string propose(KernelSkeleton& skeleton) {
  for (const std::string& why_not : {propose_problem(skeleton), why_no_output(skeleton)})
    if (!why_not.empty()) return why_not;
  propose_launch(skeleton);
  propose_arguments(skeleton);
  keep_constants_of_lengths(skeleton);
  ask_about_constants(skeleton);
  return {};
}

/// The first line of a message, "k.cu:12:3: `x` is missing", without where it says that.
std::string without_place(const std::string& message) {
  const std::string line = message.substr(0, message.find('\n'));
  const std::size_t colon = line.find(": "), quote = line.find('`');
  const bool has_place = colon != std::string::npos && colon > 0 && colon < quote && is_digit(line[colon - 1]);
  return has_place ? line.substr(colon + 2) : line;
}

std::string kernel_list(const std::vector<const PlainFunction*>& kernels) {
  std::vector<std::string> names;
  for (const PlainFunction* const kernel : kernels) names.push_back(kernel->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// "`MAKE`, `MAKE_2`": macros with the body of a kernel, or that make a kernel of what they are given.
std::string macros_with_kernels(const PlainSource& source) {
  std::vector<std::string> names;
  for (const CodeText::Macro& macro : source.code.macros) {
    const bool makes_kernels = macro.body.starts_with('(') || macro.body.find('{') != std::string::npos;
    if (has_word(macro.body, "__global__") && makes_kernels) names.push_back("`" + macro.name + "`");
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

struct Proposal {
  std::string text;
  std::set<std::string> described;  ///< names of the kernels with directives
  std::string first_reason;         ///< why one has none
};

/// What became of proposals for kernels, by their names.
struct Verdicts {
  std::map<std::string, std::string> refusals;  ///< sentences about them
  std::map<std::string, std::int64_t> most_usual;
};

/// The source with directives for these kernels.
Proposal propose_all(const PlainSource& source, const std::vector<const PlainFunction*>& kernels,
                     const Verdicts& verdicts) {
  Proposal result;
  std::vector<Edit> edits;
  std::set<std::string> guarded;
  for (const PlainFunction* const kernel : kernels) {
    const PlainFunction& function = *kernel;
    if (!result.described.insert(function.name).second) continue;
    const auto most = verdicts.most_usual.find(function.name);
    KernelSkeleton proposed = most == verdicts.most_usual.end() ? KernelSkeleton(source, function)
                                                                : KernelSkeleton(source, function, most->second);
    const std::string why_not = propose(proposed);
    const std::size_t begin = line_begin(source.text, function.begin);
    std::string lines = (begin == function.begin && begin > 0 && source.text[begin - 1] != '\n') ? "\n" : "";
    if (!why_not.empty()) {
      const std::string reason = fmt::format("`{}` cannot be described: {}.", function.name, why_not);
      if (result.first_reason.empty()) result.first_reason = reason;
      edits.push_back({begin, begin, lines + "// ? " + reason + "\n"});
      result.described.erase(function.name);
      continue;
    }
    lines += add_changes(proposed, guarded, edits);
    if (result.described.size() == 1) {
      lines += kIntroduction;
      const std::string macros = macros_with_kernels(source);
      if (!macros.empty())
        lines += fmt::format("// ? Kernels that {} makes are not seen here. Write out those that matter.\n", macros);
    }
    const auto refusal = verdicts.refusals.find(function.name);
    edits.push_back(
        {begin, begin, lines + composed(proposed, refusal == verdicts.refusals.end() ? "" : refusal->second)});
  }
  result.text = apply(source.text, std::move(edits));
  return result;
}

}  // namespace

std::string skeleton(std::string_view text, const std::filesystem::path& file, std::string_view kernel,
                     std::string_view elsewhere,
                     const std::function<std::string(const std::string&)>& complaint_about) {
  const auto refuse = [&](const std::string& sentence) -> void {
    throw Error(Errc::bad_description, fmt::format("{}: {}", file.string(), sentence));
  };
  if (!DirectiveFile(file.string(), text).directives().empty()) {
    refuse("this file has `#pragma tuner` lines already; `tuner describe` prints them.");
  }
  const PlainSource source = read_own_source(text, elsewhere);
  std::vector<const PlainFunction*> kernels = own_kernels(source, text.size());
  if (kernels.empty()) {
    const std::string macros = macros_with_kernels(source);
    refuse(macros.empty() ? "there is no kernel in it: no function with a body that is declared __global__."
                          : fmt::format("there is no kernel in it but those that {} makes: write them out.", macros));
  }
  const std::string all = kernel_list(kernels);
  if (!kernel.empty()) std::erase_if(kernels, [&](auto function) { return !is_kernel_called(*function, kernel); });
  if (kernels.empty()) refuse(fmt::format("it has no kernel `{}`; its kernels are {}.", kernel, all));
  const auto own_part = [&](const Proposal& proposal) {
    return proposal.text.substr(0, proposal.text.size() - elsewhere.size());
  };
  Proposal proposal = propose_all(source, kernels, {});
  if (proposal.described.empty()) refuse(proposal.first_reason);
  if (!complaint_about || complaint_about(own_part(proposal)).empty()) return own_part(proposal);
  Verdicts verdicts;
  for (const std::string& name : proposal.described) {
    std::vector<const PlainFunction*> one = kernels;
    std::erase_if(one, [&](auto function) { return function->name != name; });
    const std::string complaint = complaint_about(own_part(propose_all(source, one, {})));
    bool is_accepted = complaint.empty();
    for (const std::int64_t most : {1024, 64, 8}) {  // a guess that is too large for memory or a type
      if (is_accepted) break;
      verdicts.most_usual[name] = most;
      is_accepted = complaint_about(own_part(propose_all(source, one, verdicts))).empty();
    }
    if (is_accepted) continue;
    verdicts.most_usual.erase(name);
    verdicts.refusals.emplace(name, without_place(complaint));
  }
  return own_part(propose_all(source, kernels, verdicts));
}

}  // namespace tuner
