#include "tuner/sources/recorded/json_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "cache/file/open_folder.hpp"
#include "cache/file/trust.hpp"
#include "tuner/error.hpp"
#include "tuner/process/fd.hpp"
#include "tuner/sources/recorded/bounded_file.hpp"

namespace tuner::sources {
namespace {

constexpr std::size_t kLongestJson = std::size_t{256} << 20;
constexpr int kDeepestJson = 8;

[[noreturn]] void unreadable(const std::filesystem::path& file, const std::string& why) {
  throw Error(Errc::file_not_found,
              fmt::format("{} cannot be read: {}. Name the record of a build.", file.string(), why));
}

}  // namespace

std::optional<JsonFile> read_json_file(const std::filesystem::path& file) {
  JsonFile read;
  std::optional<std::string> text;
  try {
    const cache::OpenFolder folder = cache::OpenFolder::of(file);
    const std::string name = file.filename();
    const UniqueFd opened(openat(folder.descriptor(), name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (opened) text = read_bounded(opened.get(), kLongestJson);
    if (!text) unreadable(file, std::strerror(errno));
    read.distrust = cache::reason_to_distrust(folder, name, cache::trusted_owners());
  } catch (const std::system_error& error) {
    unreadable(file, error.code().message());
  }
  // What is nested without end would cost more memory than the text has.
  bool is_too_deep = false;
  const auto is_wanted = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    is_too_deep = is_too_deep || depth > kDeepestJson;
    return !is_too_deep;
  };
  read.value = nlohmann::json::parse(*text, is_wanted, false);
  if (read.value.is_discarded() || is_too_deep) return std::nullopt;
  return read;
}

bool is_word(const nlohmann::json& value) {
  return value.is_string() && value.get_ref<const std::string&>().find('\0') == std::string::npos;
}

}  // namespace tuner::sources
