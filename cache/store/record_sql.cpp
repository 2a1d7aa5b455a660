#include "cache/store/record_sql.hpp"

#include <fmt/format.h>

#include "cache/file/fail.hpp"
#include "cache/sqlite/failure.hpp"

namespace tuner::cache {

void ColumnList::add(const char* name) {
  if (!names_.empty()) {
    names_ += ", ";
    values_ += ", ";
  }
  names_ += name;
  values_ += '?';
}

std::string ColumnList::insert_into(std::string_view table) const {
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table, names_, values_);
}

int RowReader::number_of(const char* what, std::string_view (*name)(int)) {
  const std::int64_t stored = row_.integer(next_++);
  const auto number = static_cast<int>(stored);
  if (number == stored && name(number) != "unknown") return number;
  fail(Errc::store_damaged, "The database {} is damaged: a row has the {} {}, which does not exist. {}",
       row_.connection().path().string(), what, stored, sqlite::damage_next_step(row_.connection().path()));
}

void RowReader::take(Effort& value) {
  const std::string text = row_.text(next_++);
  const auto effort = effort_from_string(text);
  if (!effort) {
    fail(Errc::store_damaged, "The database {} is damaged: a decision's effort is \"{}\", which does not exist. {}",
         row_.connection().path().string(), text, sqlite::damage_next_step(row_.connection().path()));
  }
  value = *effort;
}

void RowReader::take(std::vector<double>& samples) {
  const std::string text = row_.text(next_++);
  auto numbers = doubles_from_json(text);
  if (!numbers) {
    fail(Errc::store_damaged,
         "The database {} is damaged: a trial's samples_ns is \"{}\", which is not a list of numbers.",
         row_.connection().path().string(), text);
  }
  samples = *std::move(numbers);
}

void RowReader::take(std::vector<std::byte>& bytes) {
  const std::span<const std::byte> blob = row_.blob(next_++);
  bytes.assign(blob.begin(), blob.end());
}

}  // namespace tuner::cache
