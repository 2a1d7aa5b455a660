#include "tuner/cli/given/compile_memory.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>

#include "tuner/core/base/count_text.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {
namespace {

/// "512MB", "1.5G", "4GiB", "1TB" or "1<<30".
std::optional<double> read_size(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  if (const auto count = read_count(text)) return static_cast<double>(*count);
  if (text.ends_with('B')) text.remove_suffix(1);
  if (text.ends_with('i')) text.remove_suffix(1);
  const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  if (unit == std::string_view::npos) return std::nullopt;
  text.remove_suffix(1);
  double size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::ldexp(size, 10 * (static_cast<int>(unit) + 1));
}

}  // namespace

Option compile_memory_option(const std::string& prefix) {
  return {kCompileMemory, Option::Kind::value, "SIZE",
          prefix +
              "give up on a configuration for which a compile process takes more memory than this, such as 512MB "
              "or 4GB; default: an equal share of the free memory for each process, from 1GB to 8GB"};
}

std::uint64_t compile_memory(const Arguments& arguments) {
  constexpr double kLeast = 256 << 20;  // NVRTC itself takes 100 MB
  const std::optional<std::string> text = arguments.value(kCompileMemory);
  if (!text) return 0;
  const std::optional<double> bytes = read_size(*text);
  if (!bytes || !(*bytes >= kLeast && *bytes < 0x1p63)) {
    throw Error(Errc::bad_usage, fmt::format("--{} needs a size of at least 256MB, such as 512MB or 4GB, not `{}`.",
                                             kCompileMemory, *text));
  }
  return static_cast<std::uint64_t>(*bytes);
}

}  // namespace tuner::cli
