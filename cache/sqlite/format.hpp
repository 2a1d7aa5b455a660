#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tuner::cache {

namespace sqlite {
class Connection;
}

/// One kind of database file and how it came to be what it is: `steps[n]` takes version n to version n + 1, so a new
/// file runs all of them and the version that this program writes is their number. A step that was released is never
/// edited.
struct Format {
  std::string_view contents;    ///< for messages: "tuning results"
  std::int32_t application_id;  ///< in the file's header; tells these files from everybody else's
  std::span<const char* const> steps;
  /// `views[n]` makes temporary views through which a reader sees a file of version n + 1 as the newest; where there
  /// are none, a reader takes the missing steps in a copy of the whole file.
  std::span<const char* const> views = {};
};

/// The version of an open database of this format; 0 if it is empty. Throws Error: store_newer if a later version of
/// this program wrote it, store_unavailable if it belongs to another program, store_damaged.
std::size_t format_version(const sqlite::Connection& connection, const Format& format);

/// Brings an older or empty database that may be written up to date in one transaction. Throws what format_version
/// throws.
void bring_up_to_date(const sqlite::Connection& connection, const Format& format);

}  // namespace tuner::cache
