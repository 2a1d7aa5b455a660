#include "tuner/cli/stored/export_header.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cache/file/fresh_file.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/given/selection.hpp"
#include "tuner/cli/given/stores.hpp"
#include "tuner/cli/stored/known_sizes.hpp"
#include "tuner/cli/stored/newest_winners.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/description/description.hpp"
#include "tuner/core/header/header_request.hpp"
#include "tuner/core/header/sizes_header.hpp"
#include "tuner/core/header/winners_header.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

void refuse_what_a_header_ignores(const Arguments& arguments) {
  for (const char* option : {"decisions-only", "with-binaries", "t4"}) {
    if (!arguments.has(option)) continue;
    throw Error(
        Errc::bad_usage,
        fmt::format("{} does not apply to a header, which contains only winners. Leave it out.", spelled(option)));
  }
}

HeaderRequest read_header_request(const Arguments& arguments) {
  HeaderRequest request;
  if (arguments.choice("style", {"constexpr", "define"}) == "define") request.style = HeaderStyle::macros;
  request.name_space = arguments.value("namespace").value_or(request.name_space);
  if (!is_namespace(request.name_space)) {
    throw Error(Errc::bad_usage,
                fmt::format("--namespace {} is not a valid namespace; write, for example, --namespace app::tuned.",
                            request.name_space));
  }
  if (arguments.operands().empty()) return request;
  request.declared.emplace();
  for (const KernelDescription& kernel : load_descriptions(arguments.operands().front(), warn)) {
    if (const auto wanted = arguments.value("kernel"); wanted && *wanted != kernel.kernel) continue;
    HeaderRequest::DeclaredValues& declared = (*request.declared)[kernel.kernel];
    for (const ParameterDescription& described : kernel.parameters) {
      std::vector<std::string> names;
      for (const search::Value& value : described.parameter.values) {
        declared[described.parameter.name].push_back(value);
        if (value.is_name() && !shape_of_type(value.as_name())) names.push_back(value.as_name());
      }
      if (described.form == ParameterForm::macro && !names.empty())
        request.named_values[described.parameter.name] = names;
    }
  }
  return request;
}

void write_file(const std::filesystem::path& file, const std::string& text, bool overwrite) {
  cache::FreshFile fresh(file, overwrite, cache::FreshFile::Kind::text);
  fresh.append(text);
  fresh.publish();
}

/// The rule of one kernel on one GPU.
ExitCode export_rule(const Arguments& arguments) {
  if (arguments.has("style") || !arguments.operands().empty()) {
    throw Error(Errc::bad_usage,
                "--rule writes a function, so that --style and a kernel file have no effect: leave them out.");
  }
  const HeaderRequest request = read_header_request(arguments);
  const Selection selection(arguments, arguments.value("kernel").value_or(""));
  const cache::Location from = cache::locate(arguments.value("db").value_or(""));
  const auto store = open_for_reading(from);
  std::vector<KernelSizes> known;
  if (store) known = known_sizes(*store, selection);
  const bool are_known = !known.empty();
  std::erase_if(known, [](const KernelSizes& sizes) { return sizes.rule.nodes.empty(); });
  if (known.empty()) {
    say(are_known ? std::string(kNoRule) : no_sizes(selection.kernel()));
    return ExitCode::no_result;
  }
  if (known.size() > 1) {
    std::string list;
    for (const KernelSizes& sizes : known) {
      list += fmt::format("{}`{}` on {} ({})", list.empty() ? "" : ", ", sizes.kernel, device_name(sizes.device),
                          sizes.mode);
    }
    throw Error(Errc::bad_usage, fmt::format("A header holds one rule, and there are {}: {}. Choose one with --kernel "
                                             "and --device.",
                                             known.size(), list));
  }
  const std::filesystem::path file = arguments.value("header").value_or("");
  const std::string date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
  write_file(file, sizes_header(known.front(), {.name_space = request.name_space, .date = date}),
             arguments.has("force"));
  if (arguments.has("json")) {
    print_json({{"format", 1}, {"database", from.decisions.string()}, {"file", file.string()}});
    return ExitCode::done;
  }
  print(fmt::format("Exported to {}:\n", one_line(file.string())));
  print(labelled("  ", fmt::format("{}: the rule for {}", one_line(known.front().kernel),
                                   one_line(device_name(known.front().device)))));
  return ExitCode::done;
}

}  // namespace

ExitCode export_header(const Arguments& arguments) {
  refuse_what_a_header_ignores(arguments);
  if (arguments.has("rule")) return export_rule(arguments);
  const std::filesystem::path file = arguments.value("header").value_or("");
  const HeaderRequest request = read_header_request(arguments);
  const Selection selection(arguments, arguments.value("kernel").value_or(""));
  const cache::Location from = cache::locate(arguments.value("db").value_or(""));
  const auto store = open_for_reading(from);
  const std::vector<cache::Decision> decisions = winners_to_export(store.get(), from, selection);
  if (decisions.empty()) return ExitCode::no_result;
  write_file(file, winners_header(decisions, request), arguments.has("force"));
  std::map<std::string, std::size_t> kernels;
  for (const cache::Decision& decision : decisions) ++kernels[decision.key.kernel_name];
  if (arguments.has("json")) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& [kernel, count] : kernels) list.push_back({{"kernel", kernel}, {"winners", count}});
    print_json(
        {{"format", 1}, {"database", from.decisions.string()}, {"file", file.string()}, {"kernels", std::move(list)}});
    return ExitCode::done;
  }
  print(fmt::format("Exported to {}:\n", one_line(file.string())));
  for (const auto& [kernel, count] : kernels) {
    print(labelled("  ", fmt::format("{}: {}", one_line(kernel), counted(count, "winner"))));
  }
  return ExitCode::done;
}

}  // namespace tuner::cli
