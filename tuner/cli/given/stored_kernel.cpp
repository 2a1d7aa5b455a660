#include "tuner/cli/given/stored_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "cache/file/trust.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/given/stores.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/description/headers.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/task/identity.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

StoredKernel kernel_of_source(const Header& file, std::vector<Header> headers, const cache::DecisionKey& key) try {
  // Beside no file, so that headers on disk, which may have changed since, are not found.
  const std::filesystem::path nowhere = "/stored" / std::filesystem::path(file.name).filename();
  // The source may have one with other template arguments or options under this name.
  std::vector<KernelDescription> described = parse_descriptions(file.text, nowhere);
  std::erase_if(described, [&](KernelDescription& one) {
    one.given_headers = headers;
    return one.kernel != key.kernel_name || kernel_identity(one, quoted_headers(one, {})) != key.kernel_identity;
  });
  if (described.empty()) return {std::nullopt, "What is stored of its source is not all that belongs to it"};
  KernelDescription description = std::move(described.front());
  for (const Argument& argument : description.arguments) {
    const bool reads_file = std::any_of(argument.generators.begin(), argument.generators.end(),
                                        [](const auto& one) { return one.kind == Generator::Kind::file; });
    if (reads_file || argument.expected) return {std::nullopt, "It needs data of files, which are not stored"};
  }
  return {std::move(description), {}};
} catch (const Error&) {
  // That of a T1 description has no directives, for instance.
  return {std::nullopt, "Its source cannot be read by itself"};
}

StoredKernel stored_kernel(const cache::Decision& decision, const cache::Database& store,
                           const std::filesystem::path& database) {
  const auto none = [](std::string_view why) {
    return StoredKernel{std::nullopt, fmt::format("{}: give its file to have it measured.", why), std::string(why)};
  };
  if (decision.origin != cache::Origin::measured)
    return none("This decision was not made here, so its source is not compiled");
  if (const auto reason = cache::reason_to_distrust(database, cache::trusted_owners())) {
    return {std::nullopt,
            fmt::format("Sources in this database are not compiled: {}. Give the kernel's file to have it "
                        "measured.",
                        *reason),
            fmt::format("Sources in this database are not compiled: {}", *reason)};
  }
  std::optional<Header> source;
  std::vector<Header> headers;
  for (cache::DecisionText& text : store.find_texts(decision.row)) {
    if (text.kind == cache::TextKind::source) source = {std::move(text.name), std::move(text.text)};
    if (text.kind == cache::TextKind::header) headers.push_back({std::move(text.name), std::move(text.text)});
  }
  if (!source) return none("The source of this decision is not stored");
  StoredKernel stored = kernel_of_source(*source, std::move(headers), decision.key);
  return stored.description ? stored : none(stored.why_not);
}

std::optional<cache::Decision> decision_of_number(std::size_t number, const cache::Database* store,
                                                  const cache::Location& location) {
  const std::string path = location.decisions.string(), elsewhere = replays_beside(location, "tuner list");
  if (store == nullptr) {
    say(no_decision(nullptr, "", path) + elsewhere);
    return std::nullopt;
  }
  auto found = called(std::to_string(number), numbered_decisions(*store), *store, path, elsewhere);
  if (found.empty()) return std::nullopt;
  cache::Decision decision = std::move(found.front().decision);
  try {
    parse_problem(decision.key.problem);
  } catch (const Error&) {
    throw Error(
        Errc::store_damaged,
        fmt::format("The database {} is damaged: the problem of decision {} is \"{}\", which cannot be read. Give "
                    "the kernel's file and --problem instead of the number.",
                    path, number, one_line(decision.key.problem)));
  }
  return decision;
}

}  // namespace tuner::cli
