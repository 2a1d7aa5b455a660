#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tuner/error.hpp"
#include "tuner/process/channel.hpp"

// Records as messages. A record is a struct with a description beside it, which lists its fields once:
//
//     void describe(auto& fields, RunBlock& block) {
//       auto& [order, launches] = block;  // does not compile while a field is missing here
//       fields("order", order)("launches", launches);
//     }
//
// Writing, reading and the tests follow from that. A field is a number, an enum, text, a path, bytes, a duration, a
// record, a type with text() and parse(), or an optional, vector, array, map by name or variant of these. The body is
// JSON. Bytes and text that is long or not UTF-8 travel in one file in memory, one after the other, with their sizes
// in the body: every text arrives as it was sent.

namespace tuner {

template <typename T>
concept HasCanonicalText = requires(const T& value) {
  { T::parse(value.text()) } -> std::same_as<T>;
};

/// Writes fields in the order of the calls. Used once.
class RecordWriter {
 public:
  template <typename T>
  RecordWriter& operator()(std::string_view name, const T& value) {
    key(name);
    write(value);
    return *this;
  }
  /// Throws Error{internal} when descriptors or memory are exhausted.
  Message message(std::string type) &&;

 private:
  void key(std::string_view name);
  void token(std::string_view text);
  void open(char bracket);
  void close(char bracket);

  void write(bool value);
  void write(double value);
  void write(const std::string& text);
  void write(const std::filesystem::path& path) { write(path.native()); }
  void write(const std::vector<std::byte>& bytes);
  void write(std::monostate) { token("null"); }
  void write(std::integral auto value) { token(std::to_string(value)); }
  template <typename T>
  requires std::is_enum_v<T>
  void write(T value) { write(static_cast<std::underlying_type_t<T>>(value)); }
  template <typename Rep, typename Period>
  void write(std::chrono::duration<Rep, Period> duration) {
    write(duration.count());
  }
  void write(const HasCanonicalText auto& value) { write(value.text()); }
  template <typename T>
  void write(const std::optional<T>& value) {
    value ? write(*value) : token("null");
  }
  template <typename T>
  void write(const std::vector<T>& list) {
    open('[');
    for (const T& each : list) write(each);
    close(']');
  }
  template <typename T, std::size_t N>
  void write(const std::array<T, N>& list) {
    open('[');
    for (const T& each : list) write(each);
    close(']');
  }
  template <typename T>
  void write(const std::map<std::string, T>& map) {
    open('{');
    for (const auto& [name, value] : map) (*this)(name, value);
    close('}');
  }
  template <typename... T>
  void write(const std::variant<T...>& value) {
    open('[');
    write(value.index());
    std::visit([this](const auto& held) { write(held); }, value);
    close(']');
  }
  template <typename T>
  requires requires(RecordWriter& fields, T& record) { describe(fields, record); }
  void write(const T& record) {
    open('{');
    describe(*this, const_cast<T&>(record));  // descriptions serve reading too; this one changes nothing
    close('}');
  }

  std::string body_{'{'};
  std::vector<std::byte> blob_;
};

/// Reads fields by name; bytes in the order in which they were written. Every call throws Error{internal} naming the
/// message for a field that is missing, of another type or out of its range, and for an enum value for which
/// is_known(), where there is one, is false. Fields that nothing asks for are ignored. The message must outlive it.
class RecordReader {
 public:
  explicit RecordReader(const Message& message);
  ~RecordReader();
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  template <typename T>
  RecordReader& operator()(std::string_view name, T& value) {
    enter(name);
    read(value);
    leave();
    return *this;
  }

 private:
  void enter(std::string_view field);
  void enter(std::size_t element);
  void leave();
  bool is_null() const;
  std::size_t list_size() const;
  void expect_object() const;
  std::vector<std::string> names() const;
  std::int64_t integer(std::int64_t least, std::int64_t greatest) const;
  std::uint64_t natural(std::uint64_t greatest) const;
  [[noreturn]] void refuse(const std::string& why) const;

  void read(bool& value);
  void read(double& value);
  void read(std::string& text);
  void read(std::filesystem::path& path);
  void read(std::vector<std::byte>& bytes);
  void read(std::monostate&) {
    if (!is_null()) refuse("nothing was expected");
  }
  template <std::integral T>
  void read(T& value) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_signed_v<T>) {
      value = static_cast<T>(integer(Limits::min(), Limits::max()));
    } else {
      value = static_cast<T>(natural(Limits::max()));
    }
  }
  template <typename T>
  requires std::is_enum_v<T>
  void read(T& value) {
    std::underlying_type_t<T> number{};
    read(number);
    value = static_cast<T>(number);
    if constexpr (requires { is_known(value); }) {
      if (!is_known(value)) refuse(std::to_string(number) + " is none of its values");
    }
  }
  template <typename Rep, typename Period>
  void read(std::chrono::duration<Rep, Period>& duration) {
    Rep count{};
    read(count);
    duration = std::chrono::duration<Rep, Period>(count);
  }
  template <HasCanonicalText T>
  void read(T& value) {
    std::string text;
    read(text);
    value = T::parse(text);
  }
  template <typename T>
  void read(std::optional<T>& value) {
    value.reset();
    if (!is_null()) read(value.emplace());
  }
  template <typename T>
  void read(std::vector<T>& list) {
    list.clear();
    for (std::size_t i = 0, size = list_size(); i < size; ++i) read_element(i, list.emplace_back());
  }
  template <typename T, std::size_t N>
  void read(std::array<T, N>& list) {
    if (list_size() != N) refuse("its length is not the expected one");
    for (std::size_t i = 0; i < N; ++i) read_element(i, list[i]);
  }
  template <typename T>
  void read(std::map<std::string, T>& map) {
    map.clear();
    for (const std::string& name : names()) (*this)(name, map[name]);
  }
  template <typename... T>
  void read(std::variant<T...>& value) {
    std::size_t wanted = 0, at = 0;
    read_element(0, wanted);
    const bool found = ((at++ == wanted && (read_element(1, value.template emplace<T>()), true)) || ...);
    if (!found) refuse("there is no alternative " + std::to_string(wanted));
  }
  template <typename T>
  requires requires(RecordReader& fields, T& record) { describe(fields, record); }
  void read(T& record) {
    expect_object();
    describe(*this, record);
  }
  template <typename T>
  void read_element(std::size_t element, T& value) {
    enter(element);
    read(value);
    leave();
  }

  struct State;
  std::unique_ptr<State> state_;
};

/// The whole record as a message of its own.
template <typename Record>
Message to_message(std::string type, const Record& record) {
  RecordWriter writer;
  describe(writer, const_cast<Record&>(record));
  return std::move(writer).message(std::move(type));
}

/// Throws Error{internal} as RecordReader does.
template <typename Record>
Record from_message(const Message& message) {
  Record record;
  RecordReader reader(message);
  describe(reader, record);
  return record;
}

/// One field of a message. Throws likewise.
template <typename T>
T field_from(const Message& message, std::string_view name) {
  T value{};
  RecordReader reader(message);
  reader(name, value);
  return value;
}

/// What a process says that cannot go on.
inline constexpr const char* kErrorMessage = "error";
Message to_message(const Error& error);
Error error_from(const Message& message);

}  // namespace tuner
