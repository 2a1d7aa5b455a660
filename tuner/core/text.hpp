#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tuner {

/// Lines of reports are at most this long.
inline constexpr std::size_t kReportWidth = 100;

/// "NAME=value,NAME=value" → its parts. Commas inside a quoted value do not split.
std::vector<std::string> split_assignments(std::string_view text);
/// The parts of `configuration` that `other` does not have, in order.
std::vector<std::string> differing_assignments(std::string_view configuration, std::string_view other);

/// `text` after `label`, broken at spaces so that no line exceeds kReportWidth; further lines are indented to where the
/// text began. A single word that is too long is broken, behind a comma if it has one there, rather than overflowing.
/// Ends with a newline.
std::string labelled(std::string_view label, std::string_view text);

/// `text` with every control character but tabs and line ends as `\x1b` and the like: what stands in a file's name or a
/// database must not steer a terminal.
std::string printable(std::string_view text);
/// `text` as one word for a shell, in quotes.
std::string shell_word(std::string_view text);

/// Columns of text under a header. Numbers are right-aligned, words left; the last column wraps at kReportWidth.
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
  };
  explicit Table(std::vector<Column> columns, std::size_t indent = 2);
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  std::string text() const;
  /// Every row on one line, however long: for other programs.
  std::string unwrapped_text() const;

 private:
  std::string text(bool wraps) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::size_t indent_;
};

/// 1234567 → "1,234,567".
std::string grouped(std::uint64_t number);
/// "1 trial", "708 trials": the number grouped, an s where it is not one.
std::string counted(std::uint64_t number, std::string_view singular);
/// Four significant digits, without scientific notation: 218.4, 1.857, 12340.
std::string four_digits(double number);
/// A kernel's time with its unit: "218.4 us", "12.35 ms".
std::string time_text(double nanoseconds);
/// A duration of the session: "0.84 s", "12.3 s", "3 min 20 s".
std::string duration_text(double seconds);
/// Reads "250ms", "2s" or "5min", decimals allowed: from a millisecond to a year. Nothing for other text.
std::optional<std::chrono::milliseconds> duration_from_text(std::string_view text);
/// "4.30 TB/s" from 4.3e12 and "B/s".
std::string rate_text(double per_second, std::string_view unit);
/// "2025-03-01 12:30 UTC".
std::string date_text(std::int64_t unix_ms);

}  // namespace tuner
