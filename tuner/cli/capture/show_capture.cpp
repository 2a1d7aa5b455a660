#include "tuner/cli/capture/show_capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "tuner/capture/kernel_name.hpp"
#include "tuner/capture/stored/capture_folder.hpp"
#include "tuner/capture/stored/manifest.hpp"
#include "tuner/capture/stored/unstored.hpp"
#include "tuner/cli/capture/profile_output.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/wrapping.hpp"

namespace tuner::cli {
namespace {

using capture::Capture;
using capture::NumberedFact;
using capture::Parameter;
using capture::StoredLaunch;
using capture::StoredMemory;

constexpr std::size_t kShownMemories = 40, kShownFrames = 8, kShownBytes = 16;
using Align = Table::Align;

std::string extents(const std::uint32_t (&axes)[3]) {
  return fmt::format("{}x{}x{}", axes[0], axes[1], axes[2]);
}

template <typename T>
T value_at(std::span<const std::byte> bytes, std::size_t offset = 0) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// "allocation 3 + 0x100", where an address leads; empty if that was not stored.
std::string place_of(std::uint64_t address, const StoredLaunch& launch) {
  const auto found = [&](const std::vector<StoredMemory>& memories, std::string_view kind) -> std::string {
    for (std::size_t i = 0; i < memories.size(); ++i) {
      const std::uint64_t inside = address - memories[i].address;
      if (address < memories[i].address || inside >= memories[i].before.size) continue;
      return fmt::format("{} {}{}", kind, i + 1, inside == 0 ? "" : fmt::format(" + 0x{:x}", inside));
    }
    return {};
  };
  const std::string allocation = found(launch.allocations, "allocation");
  return allocation.empty() ? found(launch.variables, "variable") : allocation;
}

std::string bytes_text(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes.first(std::min(bytes.size(), kShownBytes)))
    text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return bytes.size() > kShownBytes ? text + "..." : text;
}

/// What the bytes may mean: their type is not known.
std::string value_text(const Parameter& parameter, const StoredLaunch& launch) {
  const std::span<const std::byte> bytes = parameter.bytes;
  switch (bytes.size()) {
    case 1:
      return fmt::format("{}", value_at<std::int8_t>(bytes));
    case 2:
      return fmt::format("{}", value_at<std::int16_t>(bytes));
    case 4:
      return fmt::format("{}, or {:g} as float", value_at<std::int32_t>(bytes), value_at<float>(bytes));
    case 8: {
      const auto address = value_at<std::uint64_t>(bytes);
      const std::string place = place_of(address, launch);
      if (!place.empty()) return fmt::format("pointer to {}", place);
      return fmt::format("{}, or {:g} as double", value_at<std::int64_t>(bytes), value_at<double>(bytes));
    }
    default:
      break;
  }
  std::string text = bytes_text(bytes);
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  for (std::size_t at = (kWord - parameter.offset % kWord) % kWord; at + kWord <= bytes.size(); at += kWord) {
    const std::string place = place_of(value_at<std::uint64_t>(bytes, at), launch);
    if (!place.empty()) text += fmt::format(", at {} a pointer to {}", at, place);
  }
  return text;
}

std::string parameters_text(const StoredLaunch& launch) {
  if (launch.parameters.empty()) return {};
  Table table({{"#", Align::right}, {"offset", Align::right}, {"bytes", Align::right}, {"value"}});
  for (std::size_t i = 0; i < launch.parameters.size(); ++i) {
    const Parameter& parameter = launch.parameters[i];
    table.add({std::to_string(i + 1), std::to_string(parameter.offset), std::to_string(parameter.bytes.size()),
               value_text(parameter, launch)});
  }
  return "  Parameters\n" + table.text(output_width());
}

std::string memories_text(std::string_view title, const std::vector<StoredMemory>& memories) {
  if (memories.empty()) return {};
  Table table({{"#", Align::right}, {"address"}, {"bytes", Align::right}, {"launch"}, {"name"}});
  const std::size_t shown = std::min(memories.size(), kShownMemories);
  for (std::size_t i = 0; i < shown; ++i) {
    const StoredMemory& memory = memories[i];
    table.add({std::to_string(i + 1), fmt::format("0x{:x}", memory.address), grouped(memory.before.size),
               memory.before == memory.after ? "left it" : "changed it",
               memory.name.empty() ? "" : capture::readable_name(memory.name)});
  }
  const std::size_t left = memories.size() - shown;
  return fmt::format("  {}{}\n{}", title, left == 0 ? "" : fmt::format(", {} more with `--json`", left),
                     table.text(output_width()));
}

/// "max dynamic shared bytes 65536, registers 40".
std::string facts_text(const std::vector<NumberedFact>& facts, std::string_view (*name_of)(int)) {
  std::string text;
  for (const NumberedFact& fact : facts) {
    const std::string_view name = name_of(fact.number);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        name.empty() ? fmt::format("number {}:", fact.number) : std::string(name), fact.value);
  }
  return text;
}

std::string line(std::string_view label, const std::string& text) {
  return text.empty() ? text : labelled(fmt::format("  {:<11}", label), text);
}

std::string launch_text(const StoredLaunch& launch, std::size_t number) {
  const capture::FactsOfLaunch& facts = launch.launch;
  const std::string readable = capture::readable_name(launch.kernel);
  std::string text = fmt::format("\nLaunch {}: number {} of {} in process {}\n", number, grouped(facts.ordinal),
                                 one_line(capture::short_name(readable)), facts.process);
  std::string shape = fmt::format("grid {}, block {}, {} bytes of dynamic shared memory", extents(facts.grid),
                                  extents(facts.block), grouped(facts.dynamic_shared));
  if (facts.cluster[0] != 0) shape += fmt::format(", clusters of {}", extents(facts.cluster));
  if (facts.cooperative != 0) shape += ", cooperative";
  text += line("kernel", one_line(readable));
  text += line("mangled", unbroken(one_line(launch.kernel)));
  text += line("shape", shape);
  if (const capture::Weight& weight = launch.weight; weight.launches > 0) {
    text +=
        line("weight", fmt::format("{} of this shape, {} each, {} of the GPU's time", launches_text(weight.launches),
                                   time_text(weight.mean_ns), percent(weight.share)));
  }
  text += line("GPU", fmt::format("{}, compute capability {}.{}, driver {}.{}", one_line(launch.gpu),
                                  launch.device.compute_capability / 10, launch.device.compute_capability % 10,
                                  launch.device.driver / 1000, launch.device.driver % 1000 / 10));
  text += line("module", launch.module.size == 0
                             ? "not known"
                             : fmt::format("{} bytes{}", grouped(launch.module.size),
                                           launch.toolkit.empty() ? "" : ", toolkit " + one_line(launch.toolkit)));
  text += line("function", facts_text(launch.attributes, capture::function_attribute_name));
  text += line("limits", facts_text(launch.limits, capture::limit_name));
  text += line("attributes", facts_text(launch.launch_attributes, capture::launch_attribute_name));
  for (std::size_t i = 0; i < std::min(launch.frames.size(), kShownFrames); ++i) {
    text += line(i == 0 ? "called at" : "",
                 fmt::format("{} + 0x{:x}", one_line(launch.frames[i].file), launch.frames[i].offset));
  }
  return text + parameters_text(launch) + memories_text("Allocations", launch.allocations) +
         memories_text("Variables", launch.variables) +
         line("warning", one_line(capture::unstored_text(launch.unstored)));
}

std::string command_text(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) text += (text.empty() ? "" : " ") + in_command(word);
  return text;
}

std::string capture_text(const Capture& capture, const std::filesystem::path& folder) {
  std::string text =
      fmt::format("Capture in {}: {}\n", one_line(folder.string()), launches_text(capture.launches.size()));
  text += line("command", one_line(command_text(capture.program.command)));
  text += line("started in", one_line(capture.program.folder));
  text += line("executable", one_line(capture.program.executable));
  text += line("hash", unbroken(one_line(capture.program.executable_hash)));
  text += line("stored", fmt::format("{}, tuner {}", date_text(capture.created_unix_ms), one_line(capture.tuner)));
  for (std::size_t i = 0; i < capture.launches.size(); ++i) text += launch_text(capture.launches[i], i + 1);
  return text;
}

}  // namespace

ExitCode show_capture(const std::filesystem::path& folder, bool as_json) {
  const Capture capture = capture::read_capture(folder);
  if (as_json) {
    print_json(capture::manifest_json(capture));
  } else {
    print(capture_text(capture, folder));
  }
  return ExitCode::done;
}

}  // namespace tuner::cli
