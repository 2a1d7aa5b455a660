#include "tuner/engine/compile/nvcc_lane.hpp"

#include <fmt/format.h>

#include <utility>

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

NvccSource nvcc_source(const sources::SourceOfBuild& recorded, const std::string& architecture,
                       const std::atomic<bool>& stop) {
  constexpr std::chrono::seconds kPatience{10};
  const sources::NvccVersion version = sources::nvcc_version(recorded.command, {.time = kPatience, .stop = &stop});
  const sources::DeviceCommand device =
      sources::device_command(recorded.command, {.source = recorded.source,
                                                 .architecture = sources::architecture_number(architecture),
                                                 .version = version.number,
                                                 .linked = recorded.linked});
  constexpr std::size_t kEnough = 12;
  const std::string key = sources::compiler_key(version, device).text.substr(0, kEnough);
  return {recorded, version.number, fmt::format("nvcc {} {}", version.number, key)};
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
  std::string sentence =
      fmt::format("nvcc {} compiles the kernel, because NVRTC makes other machine code of it; that takes {}.",
                  source.version, both);
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
  const std::string name = "nvcc " + nvcc.version;
  if (recorded.wanted == CompilerChoice::nvcc)
    return ChosenCompiler{std::move(nvcc), fmt::format("{} compiles the kernel, as --compiler says.", name)};
  const std::optional<CompileReply> by_nvrtc = call(lane, baseline, stop);
  if (!by_nvrtc) return std::nullopt;
  CompileRequest request = baseline;
  request.nvcc = nvcc;
  const std::optional<CompileReply> by_nvcc = call(lane, std::move(request), stop);
  if (!by_nvcc) return std::nullopt;
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
