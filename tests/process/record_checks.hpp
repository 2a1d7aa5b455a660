#pragma once

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tuner/error.hpp"
#include "tuner/process/record.hpp"

namespace tuner::test {

/// Gives every field of a record, through its description, a value of its own that is not the default.
class Filler {
 public:
  explicit Filler(std::size_t alternative) : alternative_(alternative) {}

  template <typename T>
  Filler& operator()(std::string_view, T& value) {
    fill(value);
    return *this;
  }

 private:
  template <typename T>
  void fill(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = !value;
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(value == T{} ? 1 : 0);
    } else if constexpr (std::is_arithmetic_v<T>) {
      value = static_cast<T>(++number_);
    } else if constexpr (cache::HasCanonicalText<T>) {
      value = T::parse(std::to_string(++number_));
    } else {
      describe(*this, value);
    }
  }
  void fill(std::byte& value) { value = static_cast<std::byte>(++number_); }
  void fill(std::string& text) { text = "text " + std::to_string(++number_); }
  void fill(std::filesystem::path& path) { path = "/path/\xff" + std::to_string(++number_); }
  void fill(std::monostate&) {}
  template <typename Rep, typename Period>
  void fill(std::chrono::duration<Rep, Period>& duration) {
    duration = std::chrono::duration<Rep, Period>(++number_);
  }
  template <typename T>
  void fill(std::optional<T>& value) {
    fill(value.emplace());
  }
  template <typename T>
  void fill(std::vector<T>& list) {
    list.resize(2);
    for (T& each : list) fill(each);
  }
  template <typename T, std::size_t N>
  void fill(std::array<T, N>& list) {
    for (T& each : list) fill(each);
  }
  template <typename First, typename Second>
  void fill(std::pair<First, Second>& pair) {
    fill(pair.first);
    fill(pair.second);
  }
  template <typename T, typename Less>
  void fill(std::map<std::string, T, Less>& map) {
    for (const char* name : {"any name", "any other"}) fill(map[name]);
  }
  template <typename... T>
  void fill(std::variant<T...>& value) {
    std::size_t at = 0;
    ((at++ == alternative_ ? fill(value.template emplace<T>()) : void()), ...);
  }

  std::size_t alternative_;  ///< of variants
  int number_ = 100;
};

template <typename Record>
Record filled(std::size_t alternative = 0) {
  Record record;
  Filler{alternative}("", record);
  return record;
}

/// Whether two messages carry the same: type and body.
bool same(const Message& a, const Message& b);

/// Calls `look` with the message's body cut short, made longer, and changed in each byte, and restores it.
void damage_each_byte(Message& message, const std::function<void(const std::string& what)>& look);

/// Writes a record with `encode`, reads it with `decode`, and checks that every field arrives, and that of a damaged
/// message `decode` throws or makes another record: a text that was cut short or made longer is refused.
template <typename Record, typename Encode, typename Decode>
void check_each_field(const Record& record, Encode encode, Decode decode) {
  Message message = encode(record);
  const Message sent = encode(record);
  CHECK(same(sent, encode(decode(message))));
  int refused = 0;
  damage_each_byte(message, [&](const std::string& what) {
    CAPTURE(what);
    const bool has_other_size = message.body.size() != sent.body.size();
    try {
      const bool is_read_as_sent = same(sent, encode(decode(message)));
      CHECK_FALSE((has_other_size || is_read_as_sent));
    } catch (const Error& error) {
      CHECK(error.code() == Errc::internal);
      ++refused;
    }
  });
  CHECK(refused > 0);
}

/// The same for a record that is a message of its own.
template <typename Record>
void check_each_field() {
  check_each_field(
      filled<Record>(), [](const Record& record) { return to_message("record", record); },
      [](const Message& message) { return from_message<Record>(message); });
}

}  // namespace tuner::test
