#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <variant>
#include <vector>

#include "tuner/error.hpp"

// A described record as one text that is quick to read: its values in the order of its description, without names.
// Numbers end in ';', texts have their length before them. Whoever keeps such a text keeps with it the version of what
// wrote it, and makes sure that it is as it was written.

namespace tuner {

class PackedWriter {
 public:
  template <class T>
  void operator()(std::string_view, const T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
      number(value.size());
      text_ += value;
    } else if constexpr (std::is_enum_v<T>) {
      number(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_same_v<T, bool>) {
      number(static_cast<int>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
      number(value);
    } else {
      write(value);
    }
  }
  std::string take() { return std::move(text_); }

 private:
  void number(auto value) {
    std::array<char, 32> digits{};
    text_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
    text_ += ';';
  }
  template <class T>
  void write(const std::optional<T>& value) {
    (*this)("", value.has_value());
    if (value) (*this)("", *value);
  }
  template <class T>
  void write(const std::vector<T>& list) {
    number(list.size());
    for (const T& each : list) (*this)("", each);
  }
  template <class T, std::size_t N>
  void write(const std::array<T, N>& list) {
    for (const T& each : list) (*this)("", each);
  }
  template <class T>
  void write(const std::map<std::string, T>& map) {
    number(map.size());
    for (const auto& [name, value] : map) {
      (*this)("", name);
      (*this)("", value);
    }
  }
  template <class T>
  requires requires(const T& value) { T::parse(value.text()); }
  void write(const T& value) { (*this)("", value.text()); }
  template <class T>
  requires requires(PackedWriter& fields, const T& record) { describe(fields, record); }
  void write(const T& record) { describe(*this, record); }

  std::string text_;
};

/// Throws Error{internal} for a text that no writer of the same record wrote.
class PackedReader {
 public:
  explicit PackedReader(std::string_view text) : rest_(text) {}

  template <class T>
  void operator()(std::string_view, T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
      const auto size = number<std::size_t>();
      if (size > rest_.size()) refuse();
      value = rest_.substr(0, size);
      rest_.remove_prefix(size);
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(number<std::int64_t>());
    } else if constexpr (std::is_same_v<T, bool>) {
      value = number<int>() != 0;
    } else if constexpr (std::is_arithmetic_v<T>) {
      value = number<T>();
    } else {
      read(value);
    }
  }

 private:
  [[noreturn]] static void refuse() { throw Error(Errc::internal, "A packed text is not as it was written."); }
  template <class T>
  T number() {
    T value{};
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    const auto length = static_cast<std::size_t>(end - rest_.data());
    if (error != std::errc() || length == rest_.size() || *end != ';') refuse();
    rest_.remove_prefix(length + 1);
    return value;
  }
  template <class T>
  T next() {
    T value{};
    (*this)("", value);
    return value;
  }
  template <class T>
  void read(std::optional<T>& value) {
    value.reset();
    if (next<bool>()) (*this)("", value.emplace());
  }
  template <class T>
  void read(std::vector<T>& list) {
    list.clear();
    for (auto count = number<std::size_t>(); count > 0; --count) (*this)("", list.emplace_back());
  }
  template <class T, std::size_t N>
  void read(std::array<T, N>& list) {
    for (T& each : list) (*this)("", each);
  }
  template <class T>
  void read(std::map<std::string, T>& map) {
    map.clear();
    for (auto count = number<std::size_t>(); count > 0; --count) {
      const auto name = next<std::string>();
      (*this)("", map[name]);
    }
  }
  template <class T>
  requires requires(const T& value) { T::parse(value.text()); }
  void read(T& value) { value = T::parse(next<std::string>()); }
  template <class T>
  requires requires(PackedReader& fields, T& record) { describe(fields, record); }
  void read(T& record) { describe(*this, record); }

  std::string_view rest_;
};

template <class Record>
std::string packed(const Record& record) {
  PackedWriter writer;
  writer("", record);
  return writer.take();
}

template <class Record>
Record unpacked(std::string_view text) {
  Record record;
  PackedReader reader(text);
  reader("", record);
  return record;
}

}  // namespace tuner
