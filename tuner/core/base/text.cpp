#include "tuner/core/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>

#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/wrapping.hpp"

namespace tuner {

namespace {

// No column of running text is narrower than this.
constexpr std::size_t kNarrowest = 16;

std::string padded(const std::string& text, std::size_t width, Table::Align align) {
  const std::size_t used = columns_of(text);
  const std::string space(width > used ? width - used : 0, ' ');
  return align == Table::Align::right ? space + text : text + space;
}

void end_line(std::string& text) {
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

}  // namespace

std::string labelled(std::string_view label, std::string_view text, std::size_t width) {
  std::size_t indent = columns_of(label);
  std::string result(label);
  bool first = true;
  // A label that leaves no room would make a column of single words: the text goes below it instead.
  if (indent + kNarrowest > width) {
    indent = kNarrowest;
    end_line(result);
    first = false;
  }
  for (const std::string& line : wrapped(text, std::max(width, indent + kNarrowest) - indent)) {
    if (!first) result.append(indent, ' ');
    first = false;
    result += line;
    end_line(result);
  }
  return result;
}

Table::Table(std::vector<Column> columns, std::size_t indent) : columns_(std::move(columns)), indent_(indent) {}

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) {
    if (!is_unbroken(cell)) cell = one_line(cell);
  }
  rows_.push_back(std::move(cells));
}

std::string Table::text(std::size_t width) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t widest = columns_of(columns_[c].title);
    for (const auto& row : rows_) widest = std::max(widest, columns_of(row[c]));
    widths.push_back(widest);
  }
  std::string result;
  const auto put = [&](const std::vector<std::string>& cells) {
    std::string line(indent_, ' ');
    for (std::size_t c = 0; c + 1 < cells.size(); ++c) line += padded(cells[c], widths[c], columns_[c].align) + "  ";
    if (columns_.back().align == Align::right || width == kUnwrapped) {
      line += padded(unmarked(cells.back()), widths.back(), columns_.back().align);
      end_line(line);
      result += line;
    } else {
      result += labelled(line, cells.back(), width);
    }
  };
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  put(titles);
  for (const auto& row : rows_) put(row);
  return result;
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string counted(std::uint64_t number, std::string_view singular) {
  return fmt::format("{} {}{}", grouped(number), singular, number == 1 ? "" : "s");
}

std::string four_digits(double number) {
  const double size = std::abs(number);
  const int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
  return fmt::format("{:.{}f}", number, decimals);
}

std::string percent(double share) {
  return fmt::format("{:.4g} %", share * 100);
}

std::string time_text(double nanoseconds) {
  if (nanoseconds < 1e3) return four_digits(nanoseconds) + " ns";
  if (nanoseconds < 1e6) return four_digits(nanoseconds / 1e3) + " us";
  if (nanoseconds < 1e9) return four_digits(nanoseconds / 1e6) + " ms";
  return four_digits(nanoseconds / 1e9) + " s";
}

std::string duration_text(double seconds) {
  if (seconds < 10) return fmt::format("{:.2f} s", seconds);
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  const auto with_rest = [](std::uint64_t number, const char* unit, std::uint64_t rest, const char* unit_of_rest) {
    return rest == 0 ? fmt::format("{} {}", number, unit)
                     : fmt::format("{} {} {} {}", number, unit, rest, unit_of_rest);
  };
  if (whole < 7200) return with_rest(whole / 60, "min", whole % 60, "s");
  return with_rest(whole / 3600, "h", whole % 3600 / 60, "min");
}

std::optional<std::chrono::milliseconds> duration_from_text(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc()) return std::nullopt;
  const std::string_view unit(last, static_cast<std::size_t>(end - last));
  const double scale = unit == "ms" ? 1 : unit == "s" ? 1e3 : unit == "min" ? 60e3 : 0;
  constexpr double kYear_ms = 366 * 86400e3;
  // Written so that NaN, and an unknown unit, fail.
  if (!(number * scale >= 1 && number * scale <= kYear_ms)) return std::nullopt;
  return std::chrono::milliseconds(std::llround(number * scale));
}

std::string rate_text(double per_second, std::string_view unit) {
  constexpr std::array<std::string_view, 5> kPrefixes{"", "k", "M", "G", "T"};
  std::size_t prefix = 0;
  while (per_second >= 1000 && prefix + 1 < kPrefixes.size()) {
    per_second /= 1000;
    ++prefix;
  }
  return fmt::format("{} {}{}", four_digits(per_second), kPrefixes[prefix], unit);
}

std::string date_text(std::int64_t unix_ms) {
  const std::time_t seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min);
}

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace tuner
