#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tuner {

/// Lines on a terminal are at most this long, but for what cannot be broken.
inline constexpr std::size_t kReportWidth = 100;
/// A width: nothing is wrapped, so that every sentence stands on one line.
inline constexpr std::size_t kUnwrapped = std::numeric_limits<std::size_t>::max();

/// `text` after `label`, wrapped so that no line takes more than `width` columns; further lines are indented to where
/// the text began. Words are never broken, nor is what stands in quotes or backquotes or was marked by `unbroken`: what
/// is too long overflows. A list `A=1,B=2` that is too long is broken between its assignments. Ends with a newline.
std::string labelled(std::string_view label, std::string_view text, std::size_t width);

/// `text` as one word for a shell, in quotes.
std::string shell_word(std::string_view text);

/// Columns of text under a header. Numbers are right-aligned, words left. A cell is `one_line` of what is added.
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
  /// Only the last column is wrapped; with kUnwrapped every row stands on one line.
  std::string text(std::size_t width) const;

 private:
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
/// "2.5 %" for 0.025.
std::string percent(double share);
/// A duration of the session: "0.84 s", "12.3 s", "3 min 20 s".
std::string duration_text(double seconds);
/// Reads "250ms", "2s" or "5min", decimals allowed: from a millisecond to a year. Nothing for other text.
std::optional<std::chrono::milliseconds> duration_from_text(std::string_view text);
/// "4.30 TB/s" from 4.3e12 and "B/s".
std::string rate_text(double per_second, std::string_view unit);
/// "2025-03-01 12:30 UTC".
std::string date_text(std::int64_t unix_ms);

}  // namespace tuner
