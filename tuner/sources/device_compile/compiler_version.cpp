#include "tuner/sources/device_compile/compiler_version.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <span>
#include <string_view>

#include "tuner/core/base/printable.hpp"
#include "tuner/error.hpp"
#include "tuner/sources/device_compile/compiler_folder.hpp"

namespace tuner::sources {
namespace {

void add(cache::ContentHash& hash, std::string_view text) {
  const std::string sized = fmt::format("{}:{}", text.size(), text);
  hash.add(std::as_bytes(std::span(sized)));
}

}  // namespace

NvccVersion nvcc_version(const CompilerCommand& recorded, const RunLimits& limits) {
  if (access(recorded.program.c_str(), X_OK) != 0)
    throw Error(Errc::bad_usage, fmt::format("The compiler {}, which the build ran, is not there any more: install it "
                                             "again, or record the build again.",
                                             one_line(recorded.program)));
  const PrivateFolder folder = compiler_folder("compile");
  // It answers on standard output, which leads nowhere.
  CompilerCommand ask = recorded;
  ask.program = "/bin/sh";
  ask.arguments = {"sh", "-c", "exec \"$0\" --version >&2", recorded.program};
  const LimitedRun run = run_limited(ask, folder.path(), limits);
  constexpr std::string_view kMark = ", V";
  const std::size_t mark = run.said.find(kMark);
  const std::size_t begin = mark + kMark.size();
  if (run.outcome != Outcome::ok || mark == std::string::npos) {
    throw Error(Errc::bad_usage, fmt::format("{} does not say its version (with --version it {}): is it NVIDIA's nvcc?",
                                             one_line(recorded.program), run.how));
  }
  const std::size_t end = std::min(run.said.find_first_not_of("0123456789.", begin), run.said.size());
  return {run.said.substr(begin, end - begin), run.said};
}

cache::Hash compiler_key(const NvccVersion& version, const DeviceCommand& device) {
  cache::ContentHash hash;
  add(hash, version.text);
  add(hash, device.command.folder);
  add(hash, device.from_ptx ? "ptx" : "");
  const std::vector<std::string>& arguments = device.command.arguments;
  for (std::size_t i = 1; i + 1 < arguments.size(); ++i) add(hash, arguments[i]);  // the last one is the source
  add(hash, "");
  for (const auto& [name, value] : device.command.environment) {
    add(hash, name);
    add(hash, value);
  }
  return hash.hash();
}

}  // namespace tuner::sources
