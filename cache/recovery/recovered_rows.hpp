#pragma once

#include <array>
#include <map>

#include "cache/recovery/page_rows.hpp"

namespace tuner::cache {

/// The tables of decisions.db whose rows have numbers, in an order in which each refers to earlier ones only.
enum class Numbered { task, run, trial, decision, quarantine, forgotten, text };
inline constexpr std::array kNumbered{Numbered::task,       Numbered::run,       Numbered::trial, Numbered::decision,
                                      Numbered::quarantine, Numbered::forgotten, Numbered::text};
std::string_view name_of(Numbered table);
constexpr std::size_t index_of(Numbered table) {
  return static_cast<std::size_t>(table);
}

/// Rows of decisions.db that were found without knowing which table's page they are from: their width tells it.
class RecoveredRows {
 public:
  using Row = PageRows::Row;
  /// By their numbers, which are in the first column.
  using Rows = std::map<std::int64_t, Row>;

  /// Reads all of it.
  explicit RecoveredRows(PageRows& pages);

  const Rows& of(Numbered table) const { return numbered_[index_of(table)]; }
  /// decision_tie, decision_counter and decision_text, by their keys.
  using Keyed = std::map<Row, Row>;
  const Keyed& ties() const { return ties_; }
  const Keyed& counters() const { return counters_; }
  const Keyed& texts() const { return texts_; }
  std::size_t count() const;

 private:
  void take_row(std::int64_t rowid, Row row);
  void take_entry(Row entry);
  Rows& rows(Numbered table) { return numbered_[index_of(table)]; }

  std::array<Rows, kNumbered.size()> numbered_;
  Keyed ties_, counters_, texts_;
  /// Rows as older formats wrote them.
  std::array<Rows, kNumbered.size()> older_;
  /// What the unique indexes say of rows whose own page is lost.
  Rows tasks_of_index_, runs_of_index_;
};

}  // namespace tuner::cache
