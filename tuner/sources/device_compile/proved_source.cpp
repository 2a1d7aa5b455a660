#include "tuner/sources/device_compile/proved_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/binary/cubin.hpp"
#include "tuner/error.hpp"
#include "tuner/sources/device_compile/compiler_version.hpp"
#include "tuner/sources/device_compile/device_compile.hpp"
#include "tuner/sources/device_compile/reproduction.hpp"

namespace tuner::sources {
namespace {

namespace fs = std::filesystem;
using Result = Reproduction::Result;

bool names(const std::string& source, const std::string& kernel) {
  std::ifstream stream(source, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return find_word(text, kernel) != std::string::npos;
}

/// Those that are to be tried, in this order.
std::vector<SourceOfBuild> candidates(const std::vector<CompilerCommand>& build, const fs::path& only,
                                      const std::string& kernel) {
  std::vector<SourceOfBuild> all = sources_of_build(build);
  std::erase_if(all, [&](const SourceOfBuild& one) { return !only.empty() && one.source != only; });
  std::ranges::stable_partition(all, [&](const SourceOfBuild& one) { return names(one.source, kernel); });
  return all;
}

std::string name_of(const std::vector<SourceOfBuild>& all, const SourceOfBuild& one) {
  const auto newest = std::ranges::find(all, one.source, &SourceOfBuild::source);
  return &*newest == &one ? one.source : object_of(one);
}

/// What cannot be run again for the device is a failure like any other.
DeviceCode compiled(const SourceOfBuild& one, int architecture, const RunLimits& limits) try {
  const std::string version = nvcc_version(one.command, limits).number;
  return compile_for_device(
      device_command(one.command, {.source = one.source, .architecture = architecture, .version = version}), limits);
} catch (const Error& error) {
  if (error.code() != Errc::bad_usage) throw;
  DeviceCode code;
  code.outcome = Outcome::compile_error;
  code.message = error.what();
  return code;
}

}  // namespace

SourceProof prove_source(const std::vector<CompilerCommand>& build, const RanKernel& kernel, const fs::path& only,
                         const RunLimits& limits) {
  const int architecture = cubin_architecture(kernel.module);
  if (architecture == 0) return {{}, "The capture has no machine code that a source could be compared with."};
  const std::vector<SourceOfBuild> all = candidates(build, only, kernel.name);
  std::string other_code, failure;
  for (const SourceOfBuild& one : all) {
    if (limits.stop != nullptr && *limits.stop) break;
    const DeviceCode code = compiled(one, architecture, limits);
    if (code.outcome != Outcome::ok) {
      failure = fmt::format("{} could not be compiled for the device: {}", one_line(one.source), code.message);
      continue;
    }
    Reproduction made = reproduces(code.cubin, kernel.module, kernel.mangled, one.source);
    if (made.result == Result::reproduced)
      return {SourceOfBuild{one.command, one.source, linked_with(build, one)}, {}, name_of(all, one)};
    if (made.result == Result::other_code) other_code = std::move(made.sentence);
  }
  if (!other_code.empty()) return {{}, other_code};
  if (!failure.empty()) return {{}, failure};
  return {{},
          only.empty() ? fmt::format("None of the {} sources of the build has the kernel {}.", all.size(), kernel.name)
                       : fmt::format("The build does not compile {}, or it does not have the kernel {}.",
                                     one_line(only.string()), kernel.name)};
}

}  // namespace tuner::sources
