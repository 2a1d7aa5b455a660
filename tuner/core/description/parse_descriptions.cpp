#include "tuner/core/description/parse_descriptions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tuner/core/base/suggestion.hpp"
#include "tuner/core/description/description_parser.hpp"
#include "tuner/error.hpp"

namespace tuner {
std::vector<KernelDescription> parse_descriptions(std::string_view text, const std::filesystem::path& file) {
  const DirectiveFile directives(file.string(), text);
  std::vector<KernelDescription> descriptions;
  std::optional<DescriptionParser> current;
  const auto finish_current = [&] {
    if (current) descriptions.push_back(current->finish());
  };
  for (const Directive& directive : directives.directives()) {
    if (directive.word.text() == "kernel") {
      finish_current();
      current.emplace(directives, file, directive);
      const std::string& name = current->kernel();
      const auto same = [&](const KernelDescription& other) { return other.kernel == name; };
      if (std::any_of(descriptions.begin(), descriptions.end(), same)) {
        directive.word.fail(fmt::format("the kernel `{}` is described twice in this file", name));
      }
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
  return descriptions;
}

KernelDescription choose_description(std::vector<KernelDescription> descriptions, const std::filesystem::path& file,
                                     std::string_view kernel, std::string_view chosen_by) {
  std::vector<std::string> names;
  for (const KernelDescription& description : descriptions) names.push_back(description.kernel);
  if (kernel.empty()) {
    if (descriptions.size() == 1) return std::move(descriptions.front());
    throw Error(Errc::bad_description,
                fmt::format("{} describes {} kernels; choose one of {}{}{}.", file.string(), names.size(),
                            fmt::join(names, ", "), chosen_by.empty() ? "" : " with ", chosen_by));
  }
  const auto found = std::find(names.begin(), names.end(), kernel);
  if (found != names.end()) return std::move(descriptions[static_cast<std::size_t>(found - names.begin())]);
  throw Error(Errc::bad_description, fmt::format("{} does not describe a kernel `{}`{} It describes {}.", file.string(),
                                                 kernel, suggestion(kernel, names, "."), fmt::join(names, ", ")));
}

}  // namespace tuner
