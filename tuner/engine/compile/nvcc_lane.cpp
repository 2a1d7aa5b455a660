#include "tuner/engine/compile/nvcc_lane.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "cache/file/hash.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/engine/lanes/call.hpp"
#include "tuner/error.hpp"
#include "tuner/sources/device_compile/code_choice.hpp"
#include "tuner/sources/device_compile/compiler_version.hpp"
#include "tuner/sources/device_compile/reproduction.hpp"

namespace tuner::engine {

void NvccLane::use(NvccSource nvcc, std::string file_name) {
  nvcc_ = std::move(nvcc);
  file_name_ = std::move(file_name);
}

void NvccLane::submit(TicketId ticket, CompileRequest request) {
  // The front end alone tells types, for which NVRTC is as good, or gives no answer.
  if (nvcc_ && request.file_name == file_name_ && !request.front_end_only) request.nvcc = nvcc_;
  lane_.submit(ticket, std::move(request));
}

std::vector<CompileLane::Completion> NvccLane::poll() {
  std::vector<Completion> completions = lane_.poll();
  for (Completion& completion : completions)
    if (nvcc_ && !completion.reply.toolkit.empty()) completion.reply.toolkit = nvcc_->toolkit;
  return completions;
}

namespace {

std::string seconds_text(const CompileReply& reply) {
  return fmt::format("{:.2g} s", reply.milliseconds / 1000);
}

constexpr std::size_t kKeyLength = 12;

NvccSource nvcc_source(const sources::SourceOfBuild& recorded, const std::string& architecture,
                       const std::atomic<bool>& stop) {
  constexpr std::chrono::seconds kPatience{10};
  const sources::NvccVersion version = sources::nvcc_version(recorded.command, {.time = kPatience, .stop = &stop});
  const sources::DeviceCommand device =
      sources::device_command(recorded.command, {.source = recorded.source,
                                                 .architecture = sources::architecture_number(architecture),
                                                 .version = version.number,
                                                 .linked = recorded.linked});
  const std::string key = sources::compiler_key(version, device).text.substr(0, kKeyLength);
  return {{recorded.command, recorded.source, device.linked},
          version.number,
          fmt::format("nvcc {} {}", version.number, key)};
}

std::optional<CompileReply> compiled(CompileLane& lane, CompileRequest baseline, const NvccSource& nvcc,
                                     const std::atomic<bool>& stop) {
  baseline.nvcc = nvcc;
  return call(lane, std::move(baseline), stop);
}

/// By nvcc: as a whole, else linked with the program's other objects. Leaves in `nvcc` what those were. Relocatable
/// code of most kernels needs none of them, and a link may lack libraries.
std::optional<CompileReply> compiled_by_nvcc(CompileLane& lane, const CompileRequest& baseline, NvccSource& nvcc,
                                             const std::atomic<bool>& stop) {
  const std::vector<std::string> linked = std::exchange(nvcc.recorded.linked, {});
  std::optional<CompileReply> whole = compiled(lane, baseline, nvcc, stop);
  if (!whole || whole->outcome == Outcome::ok || linked.empty()) return whole;
  const auto is_gone = [](const std::string& object) { return access(object.c_str(), R_OK) != 0; };
  if (const auto gone = std::ranges::find_if(linked, is_gone); gone != linked.end()) {
    whole->message += fmt::format(" The program links it with {}, which cannot be read: build again.", one_line(*gone));
    return whole;
  }
  nvcc.recorded.linked = linked;
  std::optional<CompileReply> reply = compiled(lane, baseline, nvcc, stop);
  // Objects differ from build to build, what is linked does not.
  if (reply && reply->outcome == Outcome::ok)
    nvcc.toolkit = fmt::format("nvcc {} {}", nvcc.version,
                               cache::content_hash({nvcc.toolkit, reply->cubin.hash.text}).text.substr(0, kKeyLength));
  return reply;
}

std::string linked_text(const NvccSource& nvcc) {
  const std::vector<std::string>& linked = nvcc.recorded.linked;
  return linked.empty() ? "" : fmt::format(", linked with {}", one_line(fmt::format("{}", fmt::join(linked, ", "))));
}

/// Of two that compiled it.
ChosenCompiler chosen_of(const CompileReply& nvrtc, const CompileReply& nvcc, NvccSource source) {
  const sources::Reproduction code =
      sources::reproduces(nvcc.cubin.bytes, nvrtc.cubin.bytes, nvrtc.cubin.kernel, source.recorded.source);
  const std::string both = fmt::format("{} a configuration instead of {}", seconds_text(nvcc), seconds_text(nvrtc));
  if (code.result == sources::Reproduction::Result::reproduced)
    return {{},
            fmt::format("NVRTC compiles the kernel, to the machine code that the program's nvcc {} makes; that "
                        "would take {}.",
                        source.version, both)};
  std::string sentence = fmt::format(
      "nvcc {}{} compiles the kernel, because NVRTC makes other machine code of it{}; that takes {}.", source.version,
      linked_text(source), code.difference.empty() ? "" : fmt::format(" ({})", code.difference), both);
  return {std::move(source), std::move(sentence)};
}

std::optional<ChosenCompiler> choice_of(CompileLane& lane, const CompileRequest& baseline,
                                        const RecordedSource& recorded, const std::atomic<bool>& stop) {
  if (recorded.wanted == CompilerChoice::nvrtc)
    return ChosenCompiler{{}, "NVRTC compiles the kernel, as --compiler says."};
  NvccSource nvcc;
  try {
    nvcc = nvcc_source(recorded.of, baseline.architecture, stop);
  } catch (const Error& error) {
    if (stop) return std::nullopt;
    if (recorded.wanted == CompilerChoice::nvcc || error.code() != Errc::bad_usage) throw;
    return ChosenCompiler{
        {}, fmt::format("NVRTC compiles the kernel, because its build cannot be run again: {}", error.what())};
  }
  std::optional<CompileReply> by_nvrtc;
  if (recorded.wanted == CompilerChoice::automatic) {
    by_nvrtc = call(lane, baseline, stop);
    if (!by_nvrtc) return std::nullopt;
  }
  const std::optional<CompileReply> by_nvcc = compiled_by_nvcc(lane, baseline, nvcc, stop);
  if (!by_nvcc) return std::nullopt;
  const std::string name = fmt::format("nvcc {}{}", nvcc.version, linked_text(nvcc));
  if (!by_nvrtc) {
    std::string sentence = by_nvcc->outcome == Outcome::ok
                               ? fmt::format("{} compiles the kernel, as --compiler says.", name)
                               : fmt::format("{} does not compile the baseline: {}", name, by_nvcc->message);
    return ChosenCompiler{std::move(nvcc), std::move(sentence)};
  }
  if (by_nvrtc->outcome == Outcome::ok && by_nvcc->outcome == Outcome::ok)
    return chosen_of(*by_nvrtc, *by_nvcc, std::move(nvcc));
  if (by_nvcc->outcome == Outcome::ok)
    return ChosenCompiler{std::move(nvcc),
                          fmt::format("{} compiles the kernel, {} a configuration, because NVRTC does not: {}", name,
                                      seconds_text(*by_nvcc), by_nvrtc->message)};
  if (by_nvrtc->outcome == Outcome::ok)
    return ChosenCompiler{{},
                          fmt::format("NVRTC compiles the kernel, because {} does not: {}", name, by_nvcc->message)};
  const bool ends = by_nvrtc->message.ends_with('.');
  throw Error(Errc::baseline_failed, fmt::format("Neither compiler takes the baseline. NVRTC: {}{} {}: {}",
                                                 by_nvrtc->message, ends ? "" : ".", name, by_nvcc->message));
}

}  // namespace

std::optional<ChosenCompiler> NvccLane::choose(const CompileRequest& baseline, const RecordedSource& recorded,
                                               const std::atomic<bool>& stop) {
  std::optional<ChosenCompiler> chosen = choice_of(lane_, baseline, recorded, stop);
  if (chosen && chosen->nvcc) use(*chosen->nvcc, baseline.file_name);
  return chosen;
}

}  // namespace tuner::engine
