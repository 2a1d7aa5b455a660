#include "tuner/tuned_values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/error.hpp"

namespace tuner {
namespace {

std::string text_of(const TunedValues::Named& named) {
  return std::visit(
      [](const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>)
          return "the name " + value;
        else
          return fmt::format("{}", value);
      },
      named.value);
}

[[noreturn]] void refuse(const TunedValues::Named& named, std::string_view what) {
  throw Error(Errc::bad_usage, fmt::format("The parameter `{}` is {}, which {}.", named.name, text_of(named), what));
}

}  // namespace

const TunedValues::Named& TunedValues::find(std::string_view name) const {
  const auto found = std::find_if(begin(), end(), [&](const Named& named) { return named.name == name; });
  if (found != end()) return *found;
  if (empty()) {
    throw Error(Errc::bad_usage, fmt::format("There is no value of `{}`: the kernel has no parameters, or no "
                                             "configuration of it is launched (see Instance::rung).",
                                             name));
  }
  std::string names;
  for (const Named& named : values_) names += (names.empty() ? "" : ", ") + named.name;
  throw Error(Errc::bad_usage, fmt::format("The kernel has no parameter `{}`; its parameters are {}.", name, names));
}

std::int64_t TunedValues::integer(std::string_view name, std::int64_t least, std::int64_t greatest) const {
  const Named& named = find(name);
  const auto* const value = std::get_if<std::int64_t>(&named.value);
  if (value == nullptr) refuse(named, "is not an integer");
  if (*value < least || *value > greatest) refuse(named, "does not fit the requested type");
  return *value;
}

double TunedValues::real(std::string_view name) const {
  const Named& named = find(name);
  if (const auto* const value = std::get_if<double>(&named.value)) return *value;
  if (const auto* const value = std::get_if<std::int64_t>(&named.value)) return static_cast<double>(*value);
  refuse(named, "is not a number");
}

bool TunedValues::boolean(std::string_view name) const {
  const Named& named = find(name);
  if (const auto* const value = std::get_if<bool>(&named.value)) return *value;
  const auto* const number = std::get_if<std::int64_t>(&named.value);
  if (number == nullptr || (*number != 0 && *number != 1)) refuse(named, "is neither true nor false");
  return *number == 1;
}

const std::string& TunedValues::word(std::string_view name) const {
  const Named& named = find(name);
  const auto* const value = std::get_if<std::string>(&named.value);
  if (value == nullptr) refuse(named, "is not a name");
  return *value;
}

}  // namespace tuner
