#include "tuner/cli/stored_kernel.hpp"

#include <fmt/format.h>

#include "tuner/cli/decisions.hpp"
#include "tuner/core/description/headers.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/task/identity.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

std::optional<KernelDescription> stored_kernel(const cache::Decision& decision, const cache::Store& store) {
  std::optional<cache::DecisionText> source;
  std::vector<Header> headers;
  for (cache::DecisionText& text : store.find_texts(decision.row)) {
    if (text.kind == cache::TextKind::source) source = std::move(text);
    if (text.kind == cache::TextKind::header) headers.push_back({std::move(text.name), std::move(text.text)});
  }
  if (!source) return std::nullopt;
  try {
    // Beside no file, so that headers on disk, which may have changed since, are not found.
    const std::filesystem::path nowhere = std::filesystem::path("/stored") / source->name;
    KernelDescription description =
        choose_description(parse_descriptions(source->text, nowhere), nowhere, decision.key.kernel_name);
    description.given_headers = std::move(headers);
    const bool is_same = kernel_identity(description, quoted_headers(description, {})) == decision.key.kernel_identity;
    return is_same ? std::optional(std::move(description)) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // the source of a T1 description has no directives, for instance
  }
}

cache::Decision decision_of_number(std::size_t number, const cache::Store& store) {
  for (NumberedDecision& numbered : numbered_decisions(store)) {
    if (numbered.number == number) return std::move(numbered.decision);
  }
  throw Error(Errc::bad_usage,
              fmt::format("There is no decision {}: `tuner list` shows the numbers there are.", number));
}

}  // namespace tuner::cli
