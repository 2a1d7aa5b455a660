#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tuner/api.hpp"

namespace tuner {

/// The values of a configuration's parameters, in declared order. A value itself: copied, and never changed.
class TUNER_API TunedValues {
 public:
  struct Named {
    std::string name;
    std::variant<std::int64_t, double, bool, std::string> value;
  };

  TunedValues() = default;
  explicit TunedValues(std::vector<Named> values) : values_(std::move(values)) {}

  /// The value of one parameter as T: an integer type, a floating-point type (for whole numbers too), bool (for 0 and 1
  /// too), or std::string or std::string_view for names; the latter refers into this object. Throws Error{bad_usage}
  /// with the parameters there are, or with the value, if there is none of that name or it is no T.
  template <class T>
  T get(std::string_view name) const {
    if constexpr (std::same_as<T, bool>) {
      return boolean(name);
    } else if constexpr (std::integral<T>) {
      constexpr bool wide = static_cast<std::uintmax_t>(std::numeric_limits<T>::max()) >
                            static_cast<std::uintmax_t>(std::numeric_limits<std::int64_t>::max());
      return static_cast<T>(integer(
          name, static_cast<std::int64_t>(std::numeric_limits<T>::min()),
          wide ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(std::numeric_limits<T>::max())));
    } else if constexpr (std::floating_point<T>) {
      return static_cast<T>(real(name));
    } else {
      static_assert(std::same_as<T, std::string> || std::same_as<T, std::string_view>,
                    "A parameter is an integer, a real number, a bool or a std::string.");
      return T(word(name));
    }
  }

  auto begin() const noexcept { return values_.begin(); }
  auto end() const noexcept { return values_.end(); }
  std::size_t size() const noexcept { return values_.size(); }
  bool empty() const noexcept { return values_.empty(); }

 private:
  const Named& find(std::string_view name) const;
  std::int64_t integer(std::string_view name, std::int64_t least, std::int64_t greatest) const;
  double real(std::string_view name) const;
  bool boolean(std::string_view name) const;
  const std::string& word(std::string_view name) const;

  std::vector<Named> values_;
};

}  // namespace tuner
