#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tuner/error.hpp"

// A record as one text that is quick to write and to read: its values in order, without names. A record is a struct
// with a description beside it, which lists its fields once:
//
//     void describe(auto& fields, RunBlock& block) {
//       auto& [order, launches] = block;  // does not compile while a field is missing here
//       fields("order", order)("launches", launches);
//     }
//
// Writing, reading and the tests follow from that. A field is a number, an enum, text, a path, bytes, a duration, a
// record, a type with text() and parse(), or an optional, vector, array, map by name or variant of these. Numbers end
// in ';', texts and bytes have their length before them. Such a text is read by the build that wrote it: whoever keeps
// or sends one makes sure of that.

namespace tuner::cache {

template <typename T>
concept HasCanonicalText = requires(const T& value) {
  { T::parse(value.text()) } -> std::same_as<T>;
};

/// One walk through a record, which writes it or reads it. Reading throws Error{internal} for a text that no walk
/// through the same record wrote, and for an enum value for which is_known(), where there is one, is false.
class Packing {
 public:
  Packing() = default;
  explicit Packing(std::string_view read) : reads_(true), rest_(read) {}

  Packing& operator()(std::string_view, auto& value) {
    pass(value);
    return *this;
  }
  std::string written() && { return std::move(written_); }
  /// Nothing may be left to be read.
  void finish() const {
    if (!rest_.empty()) refuse();
  }

 private:
  [[noreturn]] static void refuse() { throw Error(Errc::internal, "A packed text is not as it was written."); }

  template <class T>
  void pass(T& value) {
    if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::vector<std::byte>>) {
      pass_block(value);
    } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      pass_number(value);
    } else if constexpr (std::is_same_v<T, bool>) {
      pass_as(value, static_cast<int>(value), [](int number) {
        if (number != 0 && number != 1) refuse();
        return number == 1;
      });
    } else if constexpr (std::is_enum_v<T>) {
      pass_as(value, static_cast<std::underlying_type_t<T>>(value), [](auto number) {
        const auto read = static_cast<T>(number);
        if constexpr (requires { is_known(read); }) {
          if (!is_known(read)) refuse();
        }
        return read;
      });
    } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
      pass_as(value, value.native(), [](std::string& text) { return T(std::move(text)); });
    } else if constexpr (requires { typename T::period; }) {
      pass_as(value, value.count(), [](auto count) { return T(count); });
    } else if constexpr (HasCanonicalText<T>) {
      pass_as(value, value.text(), [](const std::string& text) { return T::parse(text); });
    } else if constexpr (requires { std::variant_size<T>::value; }) {
      pass_variant(value, std::make_index_sequence<std::variant_size_v<T>>());
    } else if constexpr (requires { std::tuple_size<T>::value; }) {
      std::apply([this](auto&... each) { (this->pass(each), ...); }, value);
    } else if constexpr (requires { value.has_value(); }) {
      const bool has = passed(value.has_value());
      if (reads_) value.reset();
      if (has) pass(reads_ ? value.emplace() : *value);
    } else if constexpr (requires { typename T::mapped_type; }) {
      pass_map(value);
    } else if constexpr (requires { typename T::allocator_type; }) {
      pass_list(value);
    } else if constexpr (!std::is_same_v<T, std::monostate>) {
      describe(*this, value);
    }
  }

  /// Writes `shown`, or reads it and makes the value of that.
  template <class T, class Shown, class Make>
  void pass_as(T& value, Shown shown, const Make& make) {
    pass(shown);
    if (reads_) value = make(shown);
  }
  /// `value`, or what is read in its place.
  template <class T>
  T passed(T value) {
    pass(value);
    return value;
  }
  template <class Variant, std::size_t... i>
  void pass_variant(Variant& value, std::index_sequence<i...>) {
    const std::size_t index = passed(value.index());
    if (index >= sizeof...(i)) refuse();
    if (reads_) ((i == index ? static_cast<void>(value.template emplace<i>()) : void()), ...);
    std::visit([this](auto& held) { this->pass(held); }, value);
  }
  void pass_map(auto& map) {
    std::size_t count = passed(map.size());
    if (reads_) map.clear();
    for (auto next = map.begin(); count > 0; --count) {
      const std::string name = passed(reads_ ? std::string() : next->first);
      pass(reads_ ? map[name] : next++->second);
    }
  }
  void pass_list(auto& list) {
    const std::size_t count = passed(list.size());
    if (reads_) list.clear();
    for (std::size_t i = 0; i < count; ++i) {
      if (reads_ && rest_.empty()) refuse();
      pass(reads_ ? list.emplace_back() : list[i]);
    }
  }
  template <class Block>
  void pass_block(Block& block) {
    const std::size_t size = passed(block.size());
    if (!reads_) {
      written_.append(reinterpret_cast<const char*>(block.data()), size);
      return;
    }
    if (size > rest_.size()) refuse();
    block.resize(size);
    std::copy_n(reinterpret_cast<const typename Block::value_type*>(rest_.data()), size, block.begin());
    rest_.remove_prefix(size);
  }
  void pass_number(auto& value) {
    if (!reads_) {
      std::array<char, 32> digits{};
      written_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr) += ';';
      return;
    }
    const char* const last = rest_.data() + rest_.size();
    const auto [end, error] = std::from_chars(rest_.data(), last, value);
    if (error != std::errc() || end == last || *end != ';') refuse();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()) + 1);
  }

  bool reads_ = false;
  std::string_view rest_;
  std::string written_;
};

template <class Record>
std::string packed(const Record& record) {
  Packing writer;
  writer("", const_cast<Record&>(record));  // one walk serves reading, too; this one changes nothing
  return std::move(writer).written();
}

template <class Record>
Record unpacked(std::string_view text) {
  Record record{};
  Packing reader(text);
  reader("", record);
  reader.finish();
  return record;
}

}  // namespace tuner::cache
