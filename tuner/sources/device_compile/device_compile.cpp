#include "tuner/sources/device_compile/device_compile.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/binary/cubin.hpp"
#include "tuner/sources/device_compile/compiler_folder.hpp"

namespace tuner::sources {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> read_bytes(const fs::path& file) {
  std::error_code error;
  std::vector<std::byte> bytes(fs::is_regular_file(file, error) ? fs::file_size(file, error) : 0);
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()))) return {};
  return bytes;
}

/// Runs it with its output in `made`. False, with the reason in `code`, if it made no cubin.
bool run(CompilerCommand command, const fs::path& folder, const fs::path& made, const RunLimits& limits,
         DeviceCode& code) {
  command.arguments.insert(command.arguments.begin() + 1, {"-o", made.string()});
  LimitedRun ended = run_limited(command, folder, limits);
  code.outcome = ended.outcome;
  code.log += ended.said;
  if (ended.outcome == Outcome::ok) {
    code.cubin = read_bytes(made);
    if (cubin_architecture(code.cubin) != 0) return true;
    code.outcome = Outcome::compile_error;
    ended.how = "made no machine code";
  }
  code.cubin.clear();
  if (code.outcome == Outcome::compile_error) code.message = first_error(ended.said);
  if (code.message.empty()) code.message = fmt::format("{} {}.", one_line(command.program), ended.how);
  return false;
}

}  // namespace

std::string first_error(const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    for (const std::string_view word : {"error", "fatal"}) {
      // "k.cu(3): error: …", "k.cu:3:1: fatal error: …", "nvcc fatal   : …", "ptxas error   : …", "error #20: …"
      const std::size_t at = find_word(line, word);
      if (at != std::string::npos && line.find(':', at) != std::string::npos) return one_line(line);
    }
  }
  return {};
}

DeviceCode compile_for_device(const DeviceCommand& device, const RunLimits& limits) {
  const auto start = std::chrono::steady_clock::now();
  const PrivateFolder folder = compiler_folder("compile");
  const fs::path compiled = folder.path() / "device.cubin", linked = folder.path() / "linked.cubin";
  DeviceCode code;
  if (run(device.command, folder.path(), compiled, limits, code) && !device.linked.empty())
    run(link_command(device, compiled.string()), folder.path(), linked, limits, code);
  code.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return code;
}

}  // namespace tuner::sources
