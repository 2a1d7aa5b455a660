#include "tuner/engine/compile/nvcc_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "tuner/core/base/printable.hpp"
#include "tuner/engine/compile/kernel_search.hpp"
#include "tuner/engine/compile/resource_log.hpp"
#include "tuner/error.hpp"
#include "tuner/process/private_folder.hpp"
#include "tuner/sources/device_compile/code_choice.hpp"
#include "tuner/sources/device_compile/device_compile.hpp"

namespace tuner::engine {
namespace {

namespace fs = std::filesystem;

CompileReply refused(std::string sentence) {
  CompileReply reply;
  reply.outcome = Outcome::compile_error;
  reply.message = std::move(sentence);
  return reply;
}

/// A description may come from another person, and nvcc hands words to a shell. (Which options a description may have
/// is decided where it is read.)
bool is_read_by_shell(const std::string& option) {
  return std::ranges::any_of(option, [](char c) {
    return static_cast<unsigned char>(c) < ' ' || std::string_view("$`\"\\").find(c) != std::string_view::npos;
  });
}

sources::DeviceCommand command_of(const CompileRequest& request, const fs::path& file) {
  const NvccSource& nvcc = *request.nvcc;
  sources::DeviceCommand device =
      sources::device_command(nvcc.command, {.source = nvcc.source,
                                             .architecture = sources::architecture_number(request.architecture),
                                             .version = nvcc.version,
                                             .file = file.string()});
  std::vector<std::string>& arguments = device.command.arguments;
  // Behind the program: as for the source itself, its own folder comes before all others.
  arguments.insert(arguments.begin() + 1, "-I" + fs::path(nvcc.source).parent_path().string());
  arguments.insert(arguments.end(), request.options.begin(), request.options.end());
  arguments.insert(arguments.end(), {"-Xptxas", "-v"});
  return device;
}

CompileReply compiled(const CompileRequest& request, const sources::RunLimits& limits) {
  for (const std::string& option : request.options)
    if (is_read_by_shell(option))
      return refused(
          fmt::format("{}: nvcc's shell would read characters of the option `{}`: write it without $, `, \" "
                      "and \\.",
                      request.file_name, one_line(option)));
  const PrivateFolder folder("nvcc", "a compiler");
  // Called like the source: names in anonymous namespaces and messages have that name.
  const fs::path file = folder.path() / fs::path(request.nvcc->source).filename();
  std::ofstream stream(file, std::ios::binary);
  stream << request.source << kernel_marker(request.name_expression);
  stream.close();
  if (!stream) return refused(fmt::format("{} could not be written.", file.string()));
  sources::DeviceCode code = sources::compile_for_device(command_of(request, file), limits);
  CompileReply reply;
  reply.outcome = code.outcome;
  reply.log = std::move(code.log);
  reply.message = std::move(code.message);
  if (reply.outcome != Outcome::ok) return reply;
  reply.cubin.bytes = std::move(code.cubin);
  reply.cubin.hash = cache::content_hash(reply.cubin.bytes);
  if (!request.name_expression.empty()) reply.cubin.kernel = find_kernel(reply.cubin.bytes, request.name_expression);
  if (!request.name_expression.empty() && reply.cubin.kernel.empty())
    return refused(fmt::format("{}: what nvcc made of it has no kernel {}, or several of that name.", request.file_name,
                               request.name_expression));
  reply.facts = facts_from_log(reply.log, reply.cubin.kernel);
  reply.facts.binary_hash = reply.cubin.hash;
  if (const std::optional<CubinFacts> facts = facts_from_cubin(reply.cubin.bytes, reply.cubin.kernel)) {
    reply.parameters = facts->parameters;
    if (!reply.facts.registers) reply.facts.registers = facts->registers;
  }
  return reply;
}

}  // namespace

CompileReply compile_with_nvcc(const CompileRequest& request, const sources::RunLimits& limits) {
  const auto start = std::chrono::steady_clock::now();
  CompileReply reply;
  try {
    reply = compiled(request, limits);
  } catch (const Error& error) {
    reply = refused(error.what());
  }
  reply.toolkit = request.nvcc->toolkit;
  reply.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return reply;
}

}  // namespace tuner::engine
