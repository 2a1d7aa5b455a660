#include "cache/store/record_sql.hpp"

#include <fmt/format.h>

#include "tuner/error.hpp"

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

void RowReader::unknown_number(std::string_view what, std::int64_t number) const {
  throw Error(Errc::store_damaged,
              fmt::format("The database {} is damaged: a row has the {} {}, which does not exist. {}",
                          connection_.path().string(), what, number, sqlite::kDamageNextStep));
}

void RowReader::take(std::optional<int>& value) {
  const std::optional<std::int64_t> number = column_.maybe_integer();
  value = number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

void RowReader::take(Outcome& value) {
  const std::int64_t number = column_.integer();
  for (const OutcomeName& known : kOutcomeNames) {
    value = known.outcome;
    if (static_cast<std::int64_t>(value) == number) return;
  }
  unknown_number("outcome", number);
}

void RowReader::take(Origin& value) {
  const std::int64_t number = column_.integer();
  for (const Origin known : kOrigins) {
    value = known;
    if (static_cast<std::int64_t>(value) == number) return;
  }
  unknown_number("origin", number);
}

void RowReader::take(std::vector<double>& samples) {
  const std::string text = column_.text();
  auto numbers = doubles_from_json(text);
  if (!numbers) {
    throw Error(
        Errc::store_damaged,
        fmt::format("The database {} is damaged: a trial's samples_ns is \"{}\", which is not a list of numbers.",
                    connection_.path().string(), text));
  }
  samples = *std::move(numbers);
}

}  // namespace tuner::cache
