#include "tuner/capture/stored/checked_json.hpp"

#include <fmt/format.h>

#include <charconv>

#include "tuner/error.hpp"

namespace tuner::capture {
namespace {

using nlohmann::json;

constexpr std::size_t kHashDigits = 32;
constexpr int kDeepest = 16;  // arrays and objects in each other; a replay has ten

}  // namespace

json parse_json_object(std::string_view text) {
  // What is nested without end would cost more memory than the text has.
  bool is_too_deep = false;
  const auto is_wanted = [&](int depth, json::parse_event_t, json&) {
    is_too_deep = is_too_deep || depth > kDeepest;
    return !is_too_deep;
  };
  json parsed = json::parse(text, is_wanted, false);
  return parsed.is_discarded() || is_too_deep || !parsed.is_object() ? json(nullptr) : parsed;
}

void CheckedJson::refuse() const {
  throw Error(Errc::store_damaged, fmt::format("{} is damaged, at `{}`: {}.", file_, path_, remedy_));
}

CheckedJson CheckedJson::operator[](const char* key) const {
  const std::string path = path_.empty() ? key : path_ + "." + key;
  const auto found = value_.is_object() ? value_.find(key) : value_.end();
  if (!value_.is_object() || found == value_.end()) CheckedJson(value_, path, file_, remedy_).refuse();
  return {*found, path, file_, remedy_};
}

CheckedJson CheckedJson::item(std::size_t position) const {
  return {value_[position], fmt::format("{}[{}]", path_, position), file_, remedy_};
}

void CheckedJson::get_axes(std::uint32_t (&axes)[3]) const {
  if (!value_.is_array() || value_.size() != 3) refuse();
  std::size_t axis = 0;
  each(3, [&](const CheckedJson& extent) { extent.get(axes[axis++]); });
}

std::uint64_t CheckedJson::address() const {
  const auto text = as<std::string>();
  std::uint64_t address = 0;
  const char* const end = text.data() + text.size();
  if (!text.starts_with("0x") || text.size() < 3) refuse();
  const auto [stop, error] = std::from_chars(text.data() + 2, end, address, 16);
  if (error != std::errc{} || stop != end) refuse();
  return address;
}

std::vector<std::byte> CheckedJson::bytes() const {
  const auto text = as<std::string>();
  std::vector<std::byte> bytes(text.size() / 2);
  if (text.size() % 2 != 0) refuse();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    unsigned byte = 0;
    const char* const begin = text.data() + 2 * i;
    const auto [stop, error] = std::from_chars(begin, begin + 2, byte, 16);
    if (error != std::errc{} || stop != begin + 2) refuse();
    bytes[i] = static_cast<std::byte>(byte);
  }
  return bytes;
}

std::string CheckedJson::hash() const {
  auto text = as<std::string>();
  if (text.size() != kHashDigits || text.find_first_not_of("0123456789abcdef") != std::string::npos) refuse();
  return text;
}

}  // namespace tuner::capture
