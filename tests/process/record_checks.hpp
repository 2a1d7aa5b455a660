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
    } else if constexpr (HasCanonicalText<T>) {
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
  template <typename T>
  void fill(std::map<std::string, T>& map) {
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

/// Changes the message's body in every way that leaves a field out or gives it, or an element of a list, another type;
/// calls `look` with what was changed, and restores it.
void damage_each_field(Message& message, const std::function<void(const std::string& what)>& look);

/// Whether two messages carry the same: type, body and bytes.
bool same(const Message& a, const Message& b);

/// Writes a record with `encode`, reads it with `decode`, and checks that every field arrives and that `decode` throws
/// for a field that is missing or of another type.
template <typename Record, typename Encode, typename Decode>
void check_each_field(const Record& record, Encode encode, Decode decode) {
  Message message = encode(record);
  CHECK(same(message, encode(decode(message))));
  int damages = 0;
  damage_each_field(message, [&](const std::string& what) {
    CAPTURE(what);
    CHECK_THROWS_AS(decode(message), Error);
    ++damages;
  });
  CHECK(damages > 0);
}

/// The same for a record that is a message of its own.
template <typename Record>
void check_each_field() {
  check_each_field(
      filled<Record>(), [](const Record& record) { return to_message("record", record); },
      [](const Message& message) { return from_message<Record>(message); });
}

}  // namespace tuner::test
