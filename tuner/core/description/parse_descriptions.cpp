#include "tuner/core/description/parse_descriptions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tuner/core/base/suggestion.hpp"
#include "tuner/core/description/description_parser.hpp"
#include "tuner/core/description/fixed_defines.hpp"
#include "tuner/error.hpp"

namespace tuner {
std::vector<KernelDescription> parse_descriptions(std::string_view text, const std::filesystem::path& file) {
  const DirectiveFile directives(file.string(), text);
  std::vector<KernelDescription> descriptions;
  std::optional<DescriptionParser> current;
  const auto finish_current = [&] {
    if (!current) return;
    const std::string name = full_name(current->so_far());
    const auto same = [&](const KernelDescription& other) { return full_name(other) == name; };
    if (std::any_of(descriptions.begin(), descriptions.end(), same))
      current->word().fail(fmt::format("the kernel `{}` is described twice in this file", name));
    descriptions.push_back(current->finish());
  };
  for (const Directive& directive : directives.directives()) {
    if (directive.word.text() == "kernel") {
      finish_current();
      current.emplace(directives, file, directive);
    } else if (current) {
      current->read(directive);
    } else {
      check_directive_word(directive.word);
      directive.word.fail(
          "the first directive of a file must be kernel(NAME); later ones belong to the kernel before them");
    }
  }
  finish_current();
  if (descriptions.empty()) {
    std::string hint =
        "put `#pragma tuner kernel(NAME)` and its parameters above the kernel, or begin with what `tuner new FILE` "
        "proposes; docs/directives.md shows how";
    if (const auto& near = directives.near_miss()) {
      hint = fmt::format("line {} has a pragma that resembles `#pragma tuner`", near->line);
    }
    throw Error(Errc::bad_description, fmt::format("{} describes no kernel: {}.", file.string(), hint));
  }
  if (descriptions.size() > 1) {
    for (KernelDescription& description : descriptions) description.chosen_by = chosen_name(description, descriptions);
  }
  return descriptions;
}

namespace {

std::string instance_name(const KernelDescription& description) {
  if (description.template_arguments.empty()) return description.kernel;
  return fmt::format("{}<{}>", description.kernel, fmt::join(description.template_arguments, ", "));
}

}  // namespace

std::string full_name(const KernelDescription& description) {
  std::string name = instance_name(description);
  for (const std::string& option : description.options) name += " " + option;
  for (const std::string& define : fixed_defines(description)) name += " " + define;
  return name;
}

std::string chosen_name(const KernelDescription& description, const std::vector<KernelDescription>& of_file) {
  const auto count = [&](const auto& name_of) {
    const auto same = [&](const KernelDescription& other) { return name_of(other) == name_of(description); };
    return std::count_if(of_file.begin(), of_file.end(), same);
  };
  if (count([](const KernelDescription& one) { return one.kernel; }) == 1) return description.kernel;
  return count(instance_name) == 1 ? instance_name(description) : full_name(description);
}

namespace {

/// Spaces mean nothing to the compiler there, but within words.
std::string without_spaces(std::string_view name) {
  std::string text(name);
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
  return text;
}

}  // namespace

KernelDescription choose_description(std::vector<KernelDescription> descriptions, const std::filesystem::path& file,
                                     std::string_view kernel, std::string_view chosen_by) {
  std::vector<std::string> names;
  for (const KernelDescription& description : descriptions) names.push_back(chosen_name(description, descriptions));
  if (kernel.empty()) {
    if (descriptions.size() == 1) return std::move(descriptions.front());
    throw Error(Errc::bad_description,
                fmt::format("{} describes {} kernels; choose one of {}{}{}.", file.string(), names.size(),
                            fmt::join(names, ", "), chosen_by.empty() ? "" : " with ", chosen_by));
  }
  const auto found = std::find(names.begin(), names.end(), kernel);
  if (found != names.end()) return std::move(descriptions[static_cast<std::size_t>(found - names.begin())]);
  const std::string wanted = without_spaces(kernel);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (without_spaces(names[i]) == wanted || without_spaces(full_name(descriptions[i])) == wanted)
      return std::move(descriptions[i]);
  }
  throw Error(Errc::bad_description, fmt::format("{} does not describe a kernel `{}`{} It describes {}.", file.string(),
                                                 kernel, suggestion(kernel, names, "."), fmt::join(names, ", ")));
}

}  // namespace tuner
