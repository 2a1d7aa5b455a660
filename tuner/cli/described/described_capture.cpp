#include "tuner/cli/described/described_capture.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cache/file/fresh_file.hpp"
#include "tuner/capture/kernel_name.hpp"
#include "tuner/capture/stored/capture_folder.hpp"
#include "tuner/cli/described/complaint.hpp"
#include "tuner/cli/described/written_baseline.hpp"
#include "tuner/cli/given/compile_memory.hpp"
#include "tuner/cli/given/compiler_option.hpp"
#include "tuner/cli/terminal/interrupts.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/binary/cubin.hpp"
#include "tuner/core/description/kernel_text.hpp"
#include "tuner/core/skeleton/program_text.hpp"
#include "tuner/core/task/npy.hpp"
#include "tuner/engine/compile/pool.hpp"
#include "tuner/engine/replay/launch_facts.hpp"
#include "tuner/engine/replay/stored_replay.hpp"
#include "tuner/error.hpp"
#include "tuner/sources/device_compile/defined_macros.hpp"
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
std::size_t chosen_launch(const CapturedSource& from, const capture::Capture& capture, const KnownReplays& replays) {
  if (from.launch) {
    if (*from.launch > capture.launches.size()) {
      throw Error(Errc::bad_usage, fmt::format("--launch {}: the capture has {}.", *from.launch,
                                               counted(capture.launches.size(), "launch")));
    }
    const std::size_t position = *from.launch - 1;
    if (!replays.contains(position))
      not_replayed(from.folder, fmt::format("Launch {} of {}", *from.launch, from.folder.string()));
    return position;
  }
  if (replays.empty()) not_replayed(from.folder, from.folder.string());
  const auto rank = [&](const auto& known) {
    return std::pair(known.second.verdict < ReplayVerdict::not_repeatable, capture.launches[known.first].weight.share);
  };
  return std::ranges::max_element(replays, {}, rank)->first;
}

/// As sources name it: "scale" of "app::scale<float>".
std::string plain_name(const std::string& mangled) {
  std::string name = capture::short_name(capture::readable_name(mangled));
  name.resize(std::min(name.find('<'), name.size()));
  const std::size_t colon = name.rfind(':');
  return colon == std::string::npos ? name : name.substr(colon + 1);
}

/// What `make` makes with compilers, which a signal ends, and then the program.
template <class Make>
auto with_compilers(sources::RunLimits limits, const Make& make) {
  const Interrupts interrupts;
  limits.stop = &interrupts.flag();
  auto made = [&] {
    const SomethingToEnd compilers;
    return make(limits);
  }();
  const NothingToKeep ended;  // a signal that came meanwhile ends the program here
  return made;
}

/// The source that is named, or with a build the one that gives the machine code that ran.
sources::SourceProof proved_source(const CapturedSource& from, const capture::StoredLaunch& launch) {
  if (!from.build) return {};
  const std::vector<std::byte> module = capture::load_blob(from.folder, launch.module);
  const fs::path only = from.source.empty() ? fs::path() : fs::absolute(from.source).lexically_normal();
  const std::vector<sources::CompilerCommand> build = read_build(*from.build).commands;
  sources::SourceProof proof = with_compilers(from.limits, [&](const sources::RunLimits& limits) {
    return sources::prove_source(build, {module, launch.kernel, plain_name(launch.kernel)}, only, limits);
  });
  if (!proof.proved && from.source.empty()) throw Error(Errc::bad_usage, proof.sentence);
  if (!proof.proved) warn(proof.sentence);
  return proof;
}

/// Why nothing is written into what is there; empty if it is a folder that nobody else can lead elsewhere.
std::string why_not_written_into(const fs::path& folder) {
  struct stat status {};
  if (lstat(folder.c_str(), &status) != 0) return std::string("it cannot be examined: ") + std::strerror(errno);
  if (S_ISLNK(status.st_mode)) return "it is a symbolic link; remove it, or choose another name";
  if (!S_ISDIR(status.st_mode)) return "it is no folder; remove it, or choose another name";
  if (status.st_uid != geteuid()) return "it belongs to another user; choose another name";
  return {};
}

/// A folder that nobody else can look into: a capture has the data of users.
void make_data_folder(const fs::path& folder, bool may_exist) {
  if (mkdir(folder.c_str(), 0700) == 0) return;
  std::string why = std::string("it cannot be made: ") + std::strerror(errno);
  if (errno == EEXIST)
    why = may_exist ? why_not_written_into(folder) : "it is there already; add --force to write into it";
  if (why.empty()) return;
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

sources::RunLimits compiler_limits(const Arguments& arguments) {
  sources::RunLimits limits;
  limits.time = arguments.duration("compile-timeout").value_or(limits.time);
  limits.memory = compile_memory(arguments);
  if (limits.memory == 0) limits.memory = engine::memory_share(1);
  return limits;
}

CapturedKernel::CapturedKernel(CapturedSource from)
    : from_(std::move(from)),
      capture_(capture::read_capture(from_.folder)),
      replays_(engine::stored_replays(from_.folder, capture_)),
      position_(chosen_launch(from_, capture_, replays_)),
      proof_(proved_source(from_, launch())) {}

std::string CapturedKernel::name() const {
  return plain_name(launch().kernel);
}

void CapturedKernel::write(const fs::path& output, bool force) const {
  const std::optional<sources::SourceOfBuild>& proved = proof_.proved;
  const fs::path file = proved ? fs::path(proved->source) : from_.source;
  std::vector<fs::path> folders = from_.header_folders;
  if (proved)
    for (fs::path& each : sources::include_folders_of(proved->command)) folders.push_back(std::move(each));
  const ProgramText program = program_text(read_kernel_file(file), file, folders, name());
  const auto load = [&](const capture::Blob& blob) { return capture::load_blob(from_.folder, blob); };
  const fs::path data = fs::path(output).replace_extension(".data");
  const sources::CapturedKernel kernel{launch(), replays_.at(position_), engine::constants_of(from_.folder, launch()),
                                       load};
  sources::CapturedSource source{program.text, file, program.elsewhere, proved.has_value()};
  const auto describe = [&](const std::set<std::string>& fixed) {
    source.fixed = fixed;
    return sources::describe_captured(source, kernel, data.filename().string(),
                                      fmt::format("launch {} of {}", position_ + 1, from_.folder.filename().string()));
  };
  WrittenBaseline written;
  if (proved) {
    const std::vector<std::byte> module = load(launch().module);
    written = with_compilers(from_.limits, [&](const sources::RunLimits& limits) {
      source.macros = sources::defined_macros(*proved, cubin_architecture(module), limits);
      return written_baseline({*proved, module, launch().kernel, folders}, describe, limits);
    });
  } else {
    written.description = describe({});
  }
  const sources::CapturedDescription& described = written.description;
  if (const std::string complaint = complaint_about(described.text, file, folders); !complaint.empty())
    throw Error(Errc::bad_description, "The kernel cannot be described from this launch: " + complaint);
  make_data_folder(data, force);
  for (const sources::DataPart& part : described.data) write_data(data, part, load(part.blob), force);
  cache::FreshFile fresh(output, force, cache::FreshFile::Kind::text);
  fresh.append(described.text);
  fresh.publish();
  for (const std::string& name : program.included)
    say(fmt::format("The text of \"{}\", which has kernels, stands in place of the line that includes it.", name));
  if (proved) say(fmt::format("{} makes the machine code that the program ran.", file.string()));
  for (const std::string& name : written.fixed)
    say(fmt::format("`{}` stays as it is: as a parameter it makes other machine code of the baseline.", name));
  if (!written.difference.empty())
    warn(fmt::format("The baseline of the description is not the machine code that the program ran: {}{}",
                     one_line(written.difference), written.difference.ends_with('.') ? "" : "."));
  say(fmt::format("Written to {}, with {} in {}.", in_command(output), counted(described.data.size(), "file"),
                  in_command(data)));
}

}  // namespace tuner::cli
