#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "tuner/api.hpp"

namespace tuner {

/// The value of one problem property: a whole number, a real one, or a word (an element type such as "float"). Converts
/// from any of them, so that requests read `kernel.request({528, 65536})`. Refers to a word, does not copy it.
class ProblemValue {
 public:
  enum class Kind : std::uint8_t { integer, real, word };

  /// What does not fit in 64 bits with a sign becomes the greatest number that does.
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool> && !std::same_as<Integer, char>) constexpr ProblemValue(Integer value) noexcept
      : kind_(Kind::integer),
        integer_(std::in_range<std::int64_t>(value) ? static_cast<std::int64_t>(value)
                                                    : std::numeric_limits<std::int64_t>::max()) {}
  constexpr ProblemValue(std::floating_point auto value) noexcept
      : kind_(Kind::real), real_(static_cast<double>(value)) {}
  constexpr ProblemValue(std::string_view word) noexcept : kind_(Kind::word), word_(word) {}
  constexpr ProblemValue(const char* word) noexcept : ProblemValue(std::string_view(word)) {}
  ProblemValue(const std::string& word) noexcept : ProblemValue(std::string_view(word)) {}

  constexpr Kind kind() const noexcept { return kind_; }
  constexpr std::int64_t integer() const noexcept { return integer_; }  ///< only of Kind::integer
  constexpr double real() const noexcept { return real_; }              ///< only of Kind::real
  constexpr std::string_view word() const noexcept { return word_; }    ///< only of Kind::word

 private:
  Kind kind_;
  union {
    std::int64_t integer_;
    double real_;
    std::string_view word_;
  };
};

/// A problem property with its value, for the form of `Kernel::request` that names them.
struct NamedValue {
  std::string_view name;
  ProblemValue value;
};

}  // namespace tuner
