#include "tuner/explain/facts_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"

namespace tuner::explain {

namespace {

template <class T>
std::string fact_cell(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "-";
}

std::string by_width(const GlobalLoads::ByWidth& counts) {
  constexpr std::array kWidths{"narrow", "32", "64", "128"};
  std::string text;
  for (std::size_t i = 0; i < kWidths.size(); ++i) {
    if (counts[i] > 0) text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", counts[i], kWidths[i]);
  }
  return text.empty() ? "none" : text + " bit";
}

std::string loads_cell(const ConfigurationFacts& facts) {
  if (!facts.code) return "-";
  GlobalLoads::ByWidth all = facts.code->loads.to_registers;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] += facts.code->loads.to_shared[i];
  return by_width(all);
}

std::string under_way_cell(const ConfigurationFacts& facts) {
  if (!facts.code) return "-";
  const UnderWay& under_way = facts.code->under_way;
  return fmt::format("{}, {} bytes", counted(static_cast<std::uint64_t>(under_way.loads), "load"), under_way.bytes);
}

/// What the innermost loop, or all of the code where there is none, consists of: the kinds of work it has most of.
std::string work_cell(const ConfigurationFacts& facts) {
  if (!facts.code) return "-";
  const CodeCounts& counts = facts.code->loop ? *facts.code->loop : facts.code->all;
  std::vector<std::pair<int, std::string_view>> kinds;
  for (std::size_t i = 0; i < kWorkKinds; ++i) {
    if (counts.by_work[i] > 0) kinds.emplace_back(counts.by_work[i], work_name(static_cast<Work>(i)));
  }
  std::stable_sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (kinds.size() > 4) kinds.resize(4);
  std::string text = fmt::format("{}", counts.instructions);
  for (const auto& [count, name] : kinds) text += fmt::format("{}{} {}", text.size() < 6 ? ": " : ", ", count, name);
  return text + (facts.code->loop ? "" : ", no loop");
}

std::string resident_cell(const ConfigurationFacts& facts) {
  if (!facts.resident) return "-";
  return fmt::format("{} of {} threads, {} by {}", counted(static_cast<std::uint64_t>(facts.resident->blocks), "block"),
                     facts.resident->blocks == 0 ? 0 : facts.resident->threads / facts.resident->blocks,
                     percent(facts.resident->occupancy), resource_name(facts.resident->limiter));
}

}  // namespace

std::vector<FactRow> fact_rows(const ConfigurationFacts& a, const ConfigurationFacts& b) {
  std::vector<FactRow> rows;
  const auto add = [&](const char* name, auto cell_of) {
    FactRow row{name, cell_of(a), cell_of(b)};
    if (row.first != "-" || row.second != "-") rows.push_back(std::move(row));
  };
  using Facts = const ConfigurationFacts&;
  add("time", [](Facts f) { return f.time_ns ? time_text(*f.time_ns) : std::string("-"); });
  add("launch", [](Facts f) { return launch_text(f).value_or("-"); });
  add("registers", [](Facts f) { return fact_cell(f.resources.registers); });
  add("idle registers", [](Facts f) { return fact_cell(f.idle_registers); });
  add("spilled bytes", [](Facts f) {
    if (!f.resources.spill_store_bytes && !f.resources.spill_load_bytes) return std::string("-");
    return fmt::format("{}", f.resources.spill_store_bytes.value_or(0) + f.resources.spill_load_bytes.value_or(0));
  });
  add("stack bytes", [](Facts f) { return fact_cell(f.resources.stack_bytes); });
  add("shared bytes", [](Facts f) {
    if (!f.resources.static_shared_bytes) return std::string("-");
    return fmt::format("{}", *f.resources.static_shared_bytes + static_cast<int>(f.geometry.shared_bytes));
  });
  add("resident", resident_cell);
  add("global loads", loads_cell);
  add("under way at most", under_way_cell);
  add("waits in the loop", [](Facts f) { return f.code ? fact_cell(f.code->loads.waits_in_loop) : std::string("-"); });
  add("innermost loop", work_cell);
  return rows;
}

std::string for_markdown(std::string text) {
  constexpr std::string_view kOwn = "|<";  // ends a cell, begins a tag
  for (std::size_t at = text.find_first_of(kOwn); at != std::string::npos; at = text.find_first_of(kOwn, at + 2))
    text.insert(at, 1, '\\');
  return one_line(text);
}

std::string markdown_table(const std::string& first, const std::string& second, const std::vector<FactRow>& rows) {
  std::string text = fmt::format("| | {} | {} |\n|---|---|---|\n", for_markdown(first), for_markdown(second));
  for (const FactRow& row : rows) {
    text +=
        fmt::format("| {} | {} | {} |\n", for_markdown(row.name), for_markdown(row.first), for_markdown(row.second));
  }
  return text;
}

}  // namespace tuner::explain
