#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tuner::capture {

/// The object that a text is; null if it is none, or if arrays and objects in it are nested more deeply than in any
/// file of a capture.
nlohmann::json parse_json_object(std::string_view text);

/// A value of a file that anybody may have written, with the keys that lead to it. What is not as it should be is
/// Error{store_damaged}: "FILE is damaged, at `launches[0].grid`: REMEDY." Keeps references to all that it is given.
class CheckedJson {
 public:
  CheckedJson(const nlohmann::json& value, std::string path, std::string_view file, std::string_view remedy)
      : value_(value), path_(std::move(path)), file_(file), remedy_(remedy) {}

  [[noreturn]] void refuse() const;
  CheckedJson operator[](const char* key) const;
  bool has(const char* key) const { return value_.is_object() && value_.contains(key); }
  bool is_null() const { return value_.is_null(); }

  /// Of each item of a list.
  template <typename Read>
  void each(std::size_t most, Read read) const {
    if (!value_.is_array() || value_.size() > most) refuse();
    for (std::size_t i = 0; i < value_.size(); ++i) read(item(i));
  }

  template <typename Number>
  void get(Number& number) const {
    if constexpr (std::is_same_v<Number, std::string>) {
      if (!value_.is_string()) refuse();
      number = value_.get<std::string>();
    } else if constexpr (std::is_same_v<Number, bool>) {
      if (!value_.is_boolean()) refuse();
      number = value_.get<bool>();
    } else if constexpr (std::is_floating_point_v<Number>) {
      if (!value_.is_number() || !(value_.get<double>() >= 0) || !std::isfinite(value_.get<double>())) refuse();
      number = value_.get<Number>();
    } else if (value_.is_number_unsigned()) {
      const auto read = value_.get<std::uint64_t>();
      if (!std::in_range<Number>(read)) refuse();
      number = static_cast<Number>(read);
    } else {
      if (!value_.is_number_integer() || !std::in_range<Number>(value_.get<std::int64_t>())) refuse();
      number = static_cast<Number>(value_.get<std::int64_t>());
    }
  }
  template <typename T>
  T as() const {
    T value{};
    get(value);
    return value;
  }
  /// Empty for null.
  std::string text_or_nothing() const { return is_null() ? std::string() : as<std::string>(); }

  void get_axes(std::uint32_t (&axes)[3]) const;
  std::uint64_t address() const;
  std::vector<std::byte> bytes() const;
  /// Of a content; it may become the name of a file.
  std::string hash() const;

 private:
  CheckedJson item(std::size_t position) const;

  const nlohmann::json& value_;
  std::string path_;
  std::string_view file_, remedy_;
};

}  // namespace tuner::capture
