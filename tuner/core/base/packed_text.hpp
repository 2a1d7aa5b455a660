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
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tuner/error.hpp"

// A record as one text that is quick to read: its values in order, without names. A record is a struct whose `fields()`
// ties its members, or one with a description (cache/store/described.hpp). Numbers end in ';', texts have their length
// before them. Whoever keeps such a text keeps with it the version of what wrote it, and makes sure that it is as it
// was written.

namespace tuner {

template <class T>
concept HasTextForm = requires(const T& value) {
  T::parse(value.text());
};
template <class T>
concept HasFields = requires(T& record) {
  record.fields();
};

class PackedWriter {
 public:
  void operator()(const char*, const auto& value) { write(value); }

  void write(const std::string& text) {
    write(text.size());
    text_ += text;
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  void write(T value) {
    using Number = std::conditional_t<std::is_same_v<T, bool>, int, T>;
    std::array<char, 32> digits{};
    text_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), Number(value)).ptr);
    text_ += ';';
  }
  template <class T>
  requires std::is_enum_v<T>
  void write(T value) { write(static_cast<std::int64_t>(value)); }
  template <class T>
  void write(const std::optional<T>& value) {
    write(value.has_value());
    if (value) write(*value);
  }
  void write(const HasTextForm auto& value) { write(value.text()); }
  void write(const HasFields auto& record) {
    // They serve reading too; this changes nothing.
    auto& fields = const_cast<std::remove_cvref_t<decltype(record)>&>(record);
    std::apply([this](const auto&... field) { (write(field), ...); }, fields.fields());
  }
  template <class T>
  requires requires(PackedWriter& fields, const T& record) { describe(fields, record); }
  void write(const T& record) { describe(*this, record); }
  template <class T, std::size_t N>
  void write(const std::array<T, N>& list) {
    for (const T& each : list) write(each);
  }
  /// A vector, or a map by name.
  template <class List>
  requires requires { typename List::allocator_type; }
  void write(const List& list) {
    write(list.size());
    for (const auto& each : list) write(each);
  }
  template <class T>
  void write(const std::pair<const std::string, T>& named) {
    write(named.first);
    write(named.second);
  }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// Throws Error{internal} for a text that no writer of the same record wrote.
class PackedReader {
 public:
  explicit PackedReader(std::string_view text) : rest_(text) {}
  void operator()(const char*, auto& value) { read(value); }

  void read(std::string& text) {
    const auto size = next<std::size_t>();
    if (size > rest_.size()) refuse();
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  void read(T& value) {
    std::conditional_t<std::is_same_v<T, bool>, int, T> number{};
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    const auto length = static_cast<std::size_t>(end - rest_.data());
    if (error != std::errc() || length == rest_.size() || *end != ';') refuse();
    rest_.remove_prefix(length + 1);
    value = static_cast<T>(number);
  }
  template <class T>
  requires std::is_enum_v<T>
  void read(T& value) { value = static_cast<T>(next<std::int64_t>()); }
  template <class T>
  void read(std::optional<T>& value) {
    value.reset();
    if (next<bool>()) read(value.emplace());
  }
  template <HasTextForm T>
  void read(T& value) {
    value = T::parse(next<std::string>());
  }
  void read(HasFields auto& record) {
    std::apply([this](auto&... field) { (read(field), ...); }, record.fields());
  }
  template <class T>
  requires requires(PackedReader& fields, T& record) { describe(fields, record); }
  void read(T& record) { describe(*this, record); }
  template <class T, std::size_t N>
  void read(std::array<T, N>& list) {
    for (T& each : list) read(each);
  }
  template <class T>
  void read(std::vector<T>& list) {
    for (auto count = next<std::size_t>(); count > 0; --count) read(list.emplace_back());
  }
  template <class T>
  void read(std::map<std::string, T>& map) {
    for (auto count = next<std::size_t>(); count > 0; --count) {
      const auto name = next<std::string>();
      read(map[name]);
    }
  }

 private:
  [[noreturn]] static void refuse() { throw Error(Errc::internal, "A packed text is not as it was written."); }
  template <class T>
  T next() {
    T value{};
    read(value);
    return value;
  }

  std::string_view rest_;
};

template <class Record>
std::string packed(const Record& record) {
  PackedWriter writer;
  writer.write(record);
  return writer.take();
}

template <class Record>
Record unpacked(std::string_view text) {
  Record record;
  PackedReader(text).read(record);
  return record;
}

}  // namespace tuner
