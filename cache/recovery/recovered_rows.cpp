#include "cache/recovery/recovered_rows.hpp"

#include "cache/file/hash.hpp"
#include "cache/store/rows.hpp"

namespace tuner::cache {
namespace {

using Row = RecoveredRows::Row;
using sqlite::Value;

constexpr std::size_t kFormat1Decision = 16;  // without `awkward_sizes` and `contended`

/// How many columns its rows have.
std::size_t width_of(Numbered table) {
  switch (table) {
    case Numbered::task:
      return 9;
    case Numbered::run:
      return 8;
    case Numbered::trial:
      return 24;
    case Numbered::decision:
      return 18;
    case Numbered::quarantine:
      return 11;
    case Numbered::forgotten:
      return 6;
  }
  return 0;
}

bool is_text(const Value& value) {
  return std::holds_alternative<std::string>(value);
}

bool is_integer(const Value& value) {
  return std::holds_alternative<std::int64_t>(value);
}

/// Both hold the key twice, in parts and as a whole: what is not the same is not to be believed.
bool is_task(const Row& row) {
  for (std::size_t i = 1; i < row.size(); ++i) {
    if (!is_text(row[i])) return false;
  }
  const auto part = [&](std::size_t i) { return std::get<std::string>(row[i]); };
  const DecisionKey key{part(3), part(4), part(5), part(6), part(7), part(8)};
  return key.text() == part(2) && key.hash() == part(1);
}

std::optional<Row> task_of_index(const Row& entry) {
  const auto& text = std::get<std::string>(entry[1]);
  const std::optional<DecisionKey> key = key_from_text(text);
  if (!key || key->hash() != std::get<std::string>(entry[0])) return std::nullopt;
  return Row{entry[2],     entry[0],    text,      key->kernel_name, key->kernel_identity,
             key->problem, key->device, key->mode, key->objective};
}

Row of_present_format(const Row& old) {
  constexpr std::size_t kVerified = 11, kNoisy = 12;
  Row row(old.begin(), old.begin() + kVerified + 1);
  row.emplace_back(std::int64_t{0});  // awkward_sizes
  row.push_back(old[kNoisy]);
  row.emplace_back(std::int64_t{0});  // contended
  row.insert(row.end(), old.begin() + kNoisy + 1, old.end());
  return row;
}

}  // namespace

std::string_view name_of(Numbered table) {
  constexpr std::array<std::string_view, kNumbered.size()> kNames{"task",     "run",        "trial",
                                                                  "decision", "quarantine", "forgotten"};
  return kNames[static_cast<std::size_t>(table)];
}

RecoveredRows::RecoveredRows(PageRows& pages) {
  pages.for_each_row([this](std::int64_t rowid, Row row) { take_row(rowid, std::move(row)); });
  pages.for_each_entry([this](Row entry) { take_entry(std::move(entry)); });
  // A row of a table comes before what only speaks of it.
  rows(Numbered::task).merge(tasks_of_index_);
  rows(Numbered::run).merge(runs_of_index_);
  rows(Numbered::decision).merge(decisions_of_format_1_);
}

std::size_t RecoveredRows::count() const {
  std::size_t count = ties_.size() + counters_.size();
  for (const Rows& rows : numbered_) count += rows.size();
  return count;
}

void RecoveredRows::take_row(std::int64_t rowid, Row row) {
  if (row.empty() || row[0].index() != 0) return;  // the number of a row is its rowid and is stored nowhere else
  row[0] = rowid;
  if (row.size() == kFormat1Decision) decisions_of_format_1_.try_emplace(rowid, of_present_format(row));
  for (const Numbered table : kNumbered) {
    if (row.size() != width_of(table) || (table == Numbered::task && !is_task(row))) continue;
    rows(table).try_emplace(rowid, std::move(row));
    return;
  }
}

void RecoveredRows::take_entry(Row entry) {
  if (entry.size() == 3 && is_text(entry[0]) && is_text(entry[1]) && is_integer(entry[2])) {
    if (auto task = task_of_index(entry)) tasks_of_index_.try_emplace(std::get<std::int64_t>(entry[2]), *task);
  } else if (entry.size() == 8 && is_integer(entry[0]) && is_text(entry[1]) && is_integer(entry[7])) {
    const std::int64_t rowid = std::get<std::int64_t>(entry.back());
    entry.pop_back();
    entry.insert(entry.begin(), rowid);
    runs_of_index_.try_emplace(rowid, std::move(entry));
  } else if (entry.size() == 4 && is_integer(entry[0]) && is_integer(entry[1])) {
    Row key(entry.begin(), entry.begin() + 2);
    ties_.try_emplace(std::move(key), std::move(entry));
  } else if (entry.size() == 3 && is_integer(entry[0]) && is_text(entry[1]) && is_integer(entry[2])) {
    Row key(entry.begin(), entry.begin() + 2);
    counters_.try_emplace(std::move(key), std::move(entry));
  }
}

}  // namespace tuner::cache
