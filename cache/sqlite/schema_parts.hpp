#pragma once

#include <optional>
#include <string>

#include "cache/sqlite/format.hpp"

namespace tuner::cache {

/// A table or a column that a database of its version should have and this one has not, in words. What a user added
/// does no harm.
std::optional<std::string> find_missing_part(const sqlite::Connection& connection, const Format& format);

/// What is wrong where a view of the file has the name of a table of its format. A statement that reads it as that
/// table may never end.
std::optional<std::string> find_view_as_table(const sqlite::Connection& connection, const Format& format);

/// A table whose rows are part of the format, such as that of outcomes, and are others here, in words.
std::optional<std::string> find_changed_constants(const sqlite::Connection& connection, const Format& format);

/// Indexes and views hold nothing that the tables do not: makes those again that were dropped or changed. For an
/// up-to-date database that may be written.
void make_missing_parts_again(const sqlite::Connection& connection, const Format& format);

}  // namespace tuner::cache
