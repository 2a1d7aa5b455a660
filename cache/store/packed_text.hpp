#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
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
// ties its members, or one with a description (cache/store/described.hpp). Numbers end in ';', texts and bytes have
// their length before them. Whoever keeps such a text keeps with it the version of what wrote it, and makes sure that
// it is as it was written.

namespace tuner::cache {

/// One walk through a record, which writes it or reads it. Throws Error{internal} for a text that no walk through the
/// same record wrote.
class Packing {
 public:
  Packing() = default;
  explicit Packing(std::string_view read) : reads_(true), rest_(read) {}

  void operator()(const char*, auto& value) { pass(value); }

  template <class T>
  void pass(T& value) {
    if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::vector<std::byte>>) {
      pass_block(value);
    } else if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>) {
      auto number = static_cast<std::int64_t>(value);
      pass(number);
      value = static_cast<T>(number);
    } else if constexpr (std::is_arithmetic_v<T>) {
      pass_number(value);
    } else if constexpr (requires { T::parse(value.text()); }) {
      std::string text = reads_ ? std::string() : value.text();
      pass(text);
      if (reads_) value = T::parse(text);
    } else if constexpr (requires { value.fields(); }) {
      std::apply([this](auto&... field) { (pass(field), ...); }, value.fields());
    } else if constexpr (requires { std::tuple_size<T>::value; }) {
      for (auto& each : value) pass(each);
    } else if constexpr (requires { value.has_value(); }) {
      bool has = value.has_value();
      pass(has);
      if (has) pass(value ? *value : value.emplace());
    } else if constexpr (requires { typename T::allocator_type; }) {
      std::size_t count = value.size();
      pass(count);
      auto next = value.begin();
      for (; count > 0; --count) {
        if constexpr (requires { typename T::mapped_type; }) {
          std::string name = reads_ ? std::string() : next->first;
          pass(name);
          pass(reads_ ? value[name] : next++->second);
        } else {
          pass(reads_ ? value.emplace_back() : *next++);
        }
      }
    } else {
      describe(*this, value);
    }
  }

  const std::string& written() const { return written_; }

 private:
  [[noreturn]] static void refuse() { throw Error(Errc::internal, "A packed text is not as it was written."); }
  template <class Block>
  void pass_block(Block& block) {
    std::size_t size = block.size();
    pass(size);
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
    if (reads_) {
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (error != std::errc() || end == rest_.data() + rest_.size() || *end != ';') refuse();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()) + 1);
    } else {
      std::array<char, 32> digits{};
      written_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr) += ';';
    }
  }

  bool reads_ = false;
  std::string_view rest_;
  std::string written_;
};

template <class Record>
std::string packed(Record record) {
  Packing writer;
  writer.pass(record);
  return writer.written();
}

template <class Record>
Record unpacked(std::string_view text) {
  Record record;
  Packing(text).pass(record);
  return record;
}

}  // namespace tuner::cache
