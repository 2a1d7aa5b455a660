#include "tuner/core/skeleton/known_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "tuner/core/base/text.hpp"
#include "tuner/core/description/directives.hpp"
#include "tuner/core/skeleton/source_edits.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

/// By its whole name, else by the last part of it. Of several by how much they take.
const PlainFunction* find_kernel(const std::vector<const PlainFunction*>& kernels, const KnownKernel& known) {
  const std::size_t scope = known.name.rfind("::");
  const std::string last = scope == std::string::npos ? known.name : known.name.substr(scope + 2);
  const PlainFunction* best = nullptr;
  int best_rank = 0;
  for (const PlainFunction* const kernel : kernels) {
    if (!is_kernel_called(*kernel, last)) continue;
    const int rank = 1 + (kernel->name == known.name) + 2 * (kernel->signature.parameters.size() == known.parameters);
    if (rank > best_rank) best = kernel;
    best_rank = std::max(best_rank, rank);
  }
  return best;
}

/// Whether nothing between the two places of a source, of which `a` is the first, makes them alternatives.
bool are_read_together(const PlainSource& source, std::size_t a, std::size_t b) {
  int depth = 0;
  for (const CodeText::Directive& directive : source.code.directives) {
    if (!directive.is_condition || directive.begin < a || b <= directive.begin) continue;
    const std::size_t word = source.text.find_first_not_of("# \t", directive.begin);
    const std::string_view text = std::string_view(source.text).substr(std::min(word, source.text.size()));
    if (text.starts_with("if"))
      ++depth;
    else if (depth == 0)
      return false;
    else if (text.starts_with("endif"))
      --depth;
  }
  return depth == 0;
}

/// Whether another kernel has its name, and a description that has the name does not say which is meant.
bool is_overloaded(const PlainSource& source, const std::vector<const PlainFunction*>& kernels,
                   const PlainFunction& kernel) {
  return std::ranges::any_of(kernels, [&](const PlainFunction* other) {
    // `work<float>` is none that is no template.
    const bool may_be_meant = kernel.template_parameters.empty() || !other->template_parameters.empty();
    return other != &kernel && other->name == kernel.name && may_be_meant &&
           other->head.parameters != kernel.head.parameters &&
           are_read_together(source, std::min(other->begin, kernel.begin), std::max(other->begin, kernel.begin));
  });
}

/// Takes the values that the build gives, and leaves alone what it does not see.
void keep_to_build(PlainSource& source, const KnownKernel& known) {
  for (PlainConstant& constant : source.constants) {
    if (known.fixed.contains(constant.name)) constant.is_unique = false;
    const bool is_macro = constant.is_own && source.text[constant.begin] == '#';
    if (!known.macros || !is_macro) continue;
    const auto given = known.macros->find(constant.name);
    const auto value = given == known.macros->end() ? std::nullopt : literal_value(given->second);
    if (!value || (*value != constant.value && !constant.is_guarded))
      constant.is_unique = false;
    else
      constant.value = *value;
  }
}

}  // namespace

std::string described_kernel(std::string_view text, const std::filesystem::path& file, std::string_view elsewhere,
                             const KnownKernel& known, bool with_launch,
                             const std::function<std::vector<std::string>(const KernelSkeleton&)>& write) {
  const auto refuse = [&](const std::string& sentence) {
    throw Error(Errc::bad_description, fmt::format("{}: {}", file.string(), sentence));
  };
  if (!DirectiveFile(file.string(), text).directives().empty())
    refuse("this file has `#pragma tuner` lines already: name the source without them.");
  PlainSource source = read_own_source(text, elsewhere);
  keep_to_build(source, known);
  const std::vector<const PlainFunction*> kernels = own_kernels(source, text.size());
  const PlainFunction* const kernel = find_kernel(kernels, known);
  if (kernel == nullptr) {
    std::vector<std::string> names;
    for (const PlainFunction* const other : kernels) names.push_back(other->name);
    if (known.is_proved)
      refuse(
          fmt::format("`{}` is not seen in it: a macro makes it, or includes it, or it is in a header outside of the "
                      "program's folders. Write it out in a copy of the source, and describe that.",
                      known.name));
    refuse(names.empty() ? fmt::format("there is no kernel in it, so no `{}`: name the source that has it.", known.name)
                         : fmt::format("it has no kernel `{}`; its kernels are {}. Name the source that has it.",
                                       known.name, fmt::join(names, ", ")));
  }
  if (is_overloaded(source, kernels, *kernel)) {
    refuse(
        fmt::format("it has several kernels `{}`, which a description does not tell apart. Give the one that ran a "
                    "name of its own, and build and capture the program again.",
                    kernel->name));
  }
  KernelSkeleton proposed(source, *kernel);
  const std::string why_not = propose_problem(proposed);
  if (!why_not.empty()) refuse(fmt::format("`{}` cannot be described: {}.", kernel->name, why_not));
  if (proposed.arguments.size() != known.parameters) {
    refuse(fmt::format("`{}` takes {} here, and the one that ran took {}: name the source that it was made of.",
                       kernel->name, counted(proposed.arguments.size(), "parameter"), known.parameters));
  }
  if (with_launch) propose_launch(proposed);
  std::vector<Edit> edits;
  std::set<std::string> guarded;
  const std::size_t begin = line_begin(source.text, kernel->begin);
  std::string lines = begin == kernel->begin && begin > 0 && source.text[begin - 1] != '\n' ? "\n" : "";
  lines += add_changes(proposed, guarded, edits);
  for (const std::string& line : write(proposed))
    lines += (line.starts_with("//") ? "" : "#pragma tuner ") + line + '\n';
  edits.push_back({begin, begin, lines});
  std::string described = apply(source.text, std::move(edits));
  described.resize(described.size() - elsewhere.size());
  return described;
}

}  // namespace tuner
