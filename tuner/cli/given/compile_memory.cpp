#include "tuner/cli/given/compile_memory.hpp"

#include <fmt/format.h>

#include <optional>

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
  constexpr double kLeast = 256 << 20;  // NVRTC itself takes 100 MB
  const std::optional<std::string> text = arguments.value(kCompileMemory);
  if (!text) return 0;
  const std::optional<double> bytes = read_byte_count(*text);
  if (!bytes || !(*bytes >= kLeast && *bytes < 0x1p63)) {
    throw Error(Errc::bad_usage, fmt::format("--{} needs a size of at least 256MB, such as 512MB or 4GB, not `{}`.",
                                             kCompileMemory, *text));
  }
  return static_cast<std::uint64_t>(*bytes);
}

}  // namespace tuner::cli
