#include "tuner/cli/check/new_from_capture.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "cache/file/fresh_file.hpp"
#include "tuner/capture/kernel_name.hpp"
#include "tuner/capture/stored/capture_folder.hpp"
#include "tuner/cli/check/complaint.hpp"
#include "tuner/cli/given/compiler_option.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/description/kernel_text.hpp"
#include "tuner/core/skeleton/program_text.hpp"
#include "tuner/core/task/npy.hpp"
#include "tuner/engine/replay/launch_facts.hpp"
#include "tuner/engine/replay/stored_replay.hpp"
#include "tuner/error.hpp"
#include "tuner/sources/device_compile/proved_source.hpp"
#include "tuner/sources/from_capture/from_capture.hpp"
#include "tuner/sources/recorded/compiler_words.hpp"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;
using engine::KnownReplays;
using engine::ReplayVerdict;

[[noreturn]] void not_replayed(const fs::path& folder, const std::string& what) {
  throw Error(
      Errc::bad_usage,
      fmt::format("{} was not replayed, so it is not known what the kernel reads and writes: run `tuner replay {}` "
                  "first, on a GPU of the same kind.",
                  what, in_command(folder)));
}

/// The one that is asked for; else of those that repeat, or of all that are known, the one that takes most time.
std::size_t chosen_launch(const Arguments& arguments, const fs::path& folder, const capture::Capture& capture,
                          const KnownReplays& replays) {
  if (const auto number = arguments.number("launch", 1)) {
    if (*number > capture.launches.size()) {
      throw Error(Errc::bad_usage,
                  fmt::format("--launch {}: the capture has {}.", *number, counted(capture.launches.size(), "launch")));
    }
    const std::size_t position = *number - 1;
    if (!replays.contains(position)) not_replayed(folder, fmt::format("Launch {} of {}", *number, folder.string()));
    return position;
  }
  if (replays.empty()) not_replayed(folder, folder.string());
  const auto rank = [&](const auto& known) {
    return std::pair(known.second.verdict < ReplayVerdict::not_repeatable, capture.launches[known.first].weight.share);
  };
  return std::ranges::max_element(replays, {}, rank)->first;
}

/// Which source the kernel was made of, and where its headers are.
struct KernelSource {
  fs::path file;
  std::vector<fs::path> folders;
  bool is_proved = false;
};

/// As sources name it: "scale" of "app::scale<float>".
std::string plain_name(const std::string& mangled) {
  std::string name = capture::short_name(capture::readable_name(mangled));
  name.resize(std::min(name.find('<'), name.size()));
  const std::size_t colon = name.rfind(':');
  return colon == std::string::npos ? name : name.substr(colon + 1);
}

/// The one that is named, or with `--build` the one that gives the machine code that ran.
KernelSource kernel_source(const Arguments& arguments, const fs::path& folder, const capture::StoredLaunch& launch) {
  KernelSource source;
  if (!arguments.operands().empty()) source.file = arguments.operands().front();
  for (const std::string& named : arguments.values("I")) source.folders.emplace_back(named);
  const std::optional<std::string> build = arguments.value("build");
  if (!build) {
    if (source.file.empty())
      throw Error(Errc::bad_usage,
                  "`tuner new --capture` needs the kernel's source, or --build FILE to find it: `tuner "
                  "capture --build -- make` writes that.");
    return source;
  }
  const std::vector<std::byte> module = capture::load_blob(folder, launch.module);
  const fs::path only = source.file.empty() ? fs::path() : fs::absolute(source.file).lexically_normal();
  const sources::SourceProof proof =
      sources::prove_source(read_build(*build).commands, {module, launch.kernel, plain_name(launch.kernel)}, only, {});
  if (!proof.proved && source.file.empty()) throw Error(Errc::bad_usage, proof.sentence);
  if (!proof.proved) {
    warn(proof.sentence);
    return source;
  }
  source.is_proved = true;
  source.file = proof.proved->source;
  for (fs::path& each : sources::include_folders_of(proof.proved->command)) source.folders.push_back(std::move(each));
  return source;
}

/// A folder that nobody else can look into: a capture has the data of users.
void make_data_folder(const fs::path& folder, bool may_exist) {
  if (mkdir(folder.c_str(), 0700) == 0 || (errno == EEXIST && may_exist)) return;
  const std::string why = errno == EEXIST ? "it is there already; add --force to write into it"
                                          : std::string("it cannot be made: ") + std::strerror(errno);
  throw Error(Errc::bad_usage, fmt::format("The data of the kernel belongs into {}, and {}.", folder.string(), why));
}

void write_data(const fs::path& folder, const sources::DataPart& part, const std::vector<std::byte>& all, bool force) {
  std::vector<std::uint64_t> shape{part.bytes /
                                   (size_of(part.type.element) * static_cast<std::uint64_t>(part.type.lanes))};
  if (part.type.lanes > 1) shape.push_back(static_cast<std::uint64_t>(part.type.lanes));
  cache::FreshFile file(folder / part.file, force, cache::FreshFile::Kind::text);
  file.append(npy_header(part.type.element, shape));
  file.append({reinterpret_cast<const char*>(all.data()) + part.offset, static_cast<std::size_t>(part.bytes)});
  file.publish();
}

}  // namespace

ExitCode new_from_capture(const Arguments& arguments) {
  const std::optional<std::string> output = arguments.value("output");
  if (!output || *output == kStandardOutput)
    throw Error(Errc::bad_usage, "--capture writes data beside the description: add --output FILE.");
  if (arguments.has("kernel")) throw Error(Errc::bad_usage, "The capture says which kernel it is: leave out --kernel.");
  const fs::path folder = *arguments.value("capture");
  const bool force = arguments.has("force");
  const capture::Capture capture = capture::read_capture(folder);
  const KnownReplays replays = engine::stored_replays(folder, capture);
  const std::size_t position = chosen_launch(arguments, folder, capture, replays);
  const capture::StoredLaunch& launch = capture.launches[position];
  const KernelSource source = kernel_source(arguments, folder, launch);
  const auto& [file, folders, is_proved] = source;
  const ProgramText program = program_text(read_kernel_file(file), file, folders);
  const auto load = [&](const capture::Blob& blob) { return capture::load_blob(folder, blob); };
  const fs::path data = fs::path(*output).replace_extension(".data");
  const sources::CapturedDescription described = sources::describe_captured(
      {program.text, file, program.elsewhere},
      {launch, replays.at(position), engine::constants_of(folder, launch), load}, data.filename().string(),
      fmt::format("launch {} of {}", position + 1, folder.filename().string()));
  if (const std::string complaint = complaint_about(described.text, file, folders); !complaint.empty())
    throw Error(Errc::bad_description, "The kernel cannot be described from this launch: " + complaint);
  make_data_folder(data, force);
  for (const sources::DataPart& part : described.data) write_data(data, part, load(part.blob), force);
  cache::FreshFile fresh(*output, force, cache::FreshFile::Kind::text);
  fresh.append(described.text);
  fresh.publish();
  for (const std::string& name : program.included)
    say(fmt::format("The text of \"{}\", which has kernels, stands in place of the line that includes it.", name));
  if (is_proved) say(fmt::format("{} makes the machine code that the program ran.", file.string()));
  const std::string build =
      is_proved ? fmt::format(" --build {} --source {}", in_command(*arguments.value("build")), in_command(file)) : "";
  say(
      fmt::format("Written to {0}, with {1} in {2}. `tuner check {0}{3}` tells whether the kernel leaves what the "
                  "program's left, and `tuner tune {0}{3}` tunes it.",
                  in_command(*output), counted(described.data.size(), "file"), in_command(data), build));
  return ExitCode::done;
}

}  // namespace tuner::cli
