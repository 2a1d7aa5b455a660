#include "tuner/cli/compile_memory.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "tuner/core/base/count_text.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

Option compile_memory_option(const std::string& prefix) {
  return {kCompileMemory, Option::Kind::value, "SIZE",
          prefix +
              "give up on a configuration for which a compile process takes more memory than this, such as 512MB "
              "or 4GB; default: an equal share of the free memory for each process, from 1GB to 8GB"};
}

std::uint64_t compile_memory(const Arguments& arguments) {
  constexpr std::int64_t kLeast = std::int64_t{256} << 20;  // NVRTC itself takes 100 MB
  const std::optional<std::string> text = arguments.value(kCompileMemory);
  if (!text) return 0;
  std::string_view count = *text;
  if (count.ends_with('B')) count.remove_suffix(1);
  const std::optional<std::int64_t> bytes = read_count(count);
  if (!bytes || *bytes < kLeast) {
    throw Error(Errc::bad_usage, fmt::format("--{} needs a size of at least 256MB, such as 512MB or 4GB, not `{}`.",
                                             kCompileMemory, *text));
  }
  return static_cast<std::uint64_t>(*bytes);
}

}  // namespace tuner::cli
