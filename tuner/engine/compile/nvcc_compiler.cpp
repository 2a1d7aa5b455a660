#include "tuner/engine/compile/nvcc_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tuner/core/base/printable.hpp"
#include "tuner/core/description/code_text.hpp"
#include "tuner/core/description/live_lines.hpp"
#include "tuner/engine/compile/kernel_search.hpp"
#include "tuner/engine/compile/resource_log.hpp"
#include "tuner/error.hpp"
#include "tuner/sources/device_compile/code_choice.hpp"
#include "tuner/sources/device_compile/compiler_folder.hpp"
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

/// Where the source's headers are, and those of the file that takes its place. By names without commas and blanks, at
/// which nvcc splits options.
struct OwnFolders {
  OwnFolders(const CompileRequest& request, const fs::path& folder)
      : all{{folder / "tuner-source", fs::path(request.nvcc->recorded.source).parent_path()},
            {folder / "tuner-file", fs::absolute(request.file_name).parent_path()}} {
    std::error_code error;
    for (const auto& [link, there] : all) fs::create_directory_symlink(there, link, error);
  }
  std::vector<std::pair<fs::path, fs::path>> all;
};

/// The text with the folder in front of each header that is looked for beside the source. An option would name the
/// folder for the headers of libraries, too, which may have files of these names.
std::string with_own_headers(std::string_view text, const OwnFolders& folders) {
  std::string result;
  std::size_t copied = 0;
  for (const LiveLine& line : live_lines(text)) {
    if (line.text.empty()) continue;
    const auto at = static_cast<std::size_t>(line.text.data() - text.data());
    const std::size_t begin = text.rfind('#', at), end = at + line.text.size();
    const auto include = include_of(text.substr(begin, end - begin));
    const std::size_t quote = text.find('"', at);
    if (!include || !include->is_quoted || quote >= end || fs::path(include->name).is_absolute()) continue;
    const auto has_it = [&](const auto& own) {
      std::error_code error;
      return fs::is_regular_file(own.second / include->name, error);
    };
    const auto own = std::ranges::find_if(folders.all, has_it);
    if (own == folders.all.end()) continue;
    result += text.substr(copied, quote + 1 - copied);
    result += own->first.filename().string() + '/';
    copied = quote + 1;
  }
  result += text.substr(copied);
  return result;
}

/// The source with `#undef` in front of the prelude's macros: the build's command may define them, too, which is a
/// warning, and perhaps an error. Headers in front of the prelude have what the command defines.
std::string with_own_macros(const std::string& source, const std::vector<std::string>& macros) {
  if (macros.empty()) return source;
  const auto starts_with_define = [&](std::size_t at, const std::string& macro) {
    return source.compare(at, 9 + macro.size(), "#define " + macro + " ") == 0;
  };
  for (std::size_t at = 0; at < source.size(); at = std::min(source.find('\n', at), source.size() - 1) + 1) {
    std::size_t end = at;
    const bool is_prelude = std::ranges::all_of(macros, [&](const std::string& macro) {
      const bool is_next = starts_with_define(end, macro);
      end = std::min(source.find('\n', end), source.size() - 1) + 1;
      return is_next;
    });
    if (!is_prelude || source.compare(end, 6, "#line ") != 0) continue;
    std::string text = source.substr(0, at);
    for (const std::string& macro : macros) text += "#undef " + macro + '\n';
    return text + source.substr(at);
  }
  return source;
}

/// Where the host's compiler looks for them: what a macro includes is looked for there first. In the code, as in that
/// of an assert, they have the names of the folders that they are in.
std::vector<std::string> options_for(const OwnFolders& folders, bool computes_includes) {
  std::string list;
  for (const auto& [link, there] : folders.all) {
    list +=
        fmt::format("{}{},{}", list.empty() ? "" : ",", computes_includes ? "-iquote" : "-idirafter", link.string());
    if (there.string().find_first_of(", =") == std::string::npos)
      list += fmt::format(",-fmacro-prefix-map={}={}", link.string(), there.string());
  }
  return {"-Xcompiler", list};
}

/// What nvcc kept of PTX; empty if there is none.
std::string kept_ptx(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".ptx") continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  return {};
}

/// Where the build does not say what is linked with it: what it calls in other sources is an error of the compiler's,
/// and no surprise at the launch.
void remove_relocatable(std::vector<std::string>& arguments) {
  for (const std::string name : {"-rdc", "--rdc", "-relocatable-device-code", "--relocatable-device-code"}) {
    std::erase(arguments, name + "=true");
    const auto word = std::ranges::find(arguments, name);
    if (word != arguments.end()) arguments.erase(word, word + std::min<std::ptrdiff_t>(2, arguments.end() - word));
  }
}

sources::DeviceCommand command_of(const CompileRequest& request, const OwnFolders& folders, const fs::path& file) {
  const NvccSource& nvcc = *request.nvcc;
  sources::DeviceCommand device = sources::device_command(
      nvcc.recorded.command, {.source = nvcc.recorded.source,
                              .architecture = sources::architecture_number(request.architecture),
                              .version = nvcc.version,
                              .file = file.string(),
                              .linked = nvcc.recorded.linked});
  std::vector<std::string>& arguments = device.command.arguments;
  const auto add = [&](const std::vector<std::string>& words) {
    arguments.insert(arguments.end() - 1, words.begin(), words.end());  // before the source
  };
  if (device.linked.empty()) remove_relocatable(arguments);
  add(options_for(folders, read_code(request.source).computes_includes));
  add(request.options);
  add({"-Xptxas", "-v"});
  if (request.keeps_ptx) add({"-keep", "-keep-dir", file.parent_path().string()});
  return device;
}

CompileReply compiled(const CompileRequest& request, const sources::RunLimits& limits) {
  // A description may come from another person. Which options it may have at all is decided where it is read.
  for (const std::string& option : request.options)
    if (sources::is_read_by_others(option))
      return refused(
          fmt::format("{}: nvcc and what it starts would read characters of the option `{}`: write it "
                      "without $, `, \", \\ and @.",
                      request.file_name, one_line(option)));
  const PrivateFolder folder = sources::compiler_folder("nvcc");
  // Called like the source: names in anonymous namespaces and messages have that name.
  const fs::path file = folder.path() / fs::path(request.nvcc->recorded.source).filename();
  std::ofstream stream(file, std::ios::binary);
  // Not the private folder's name, which would be in messages, and in the code of an assert.
  if (request.file_name.find_first_of("\"\\\n") == std::string::npos)
    stream << "#line 1 \"" << request.file_name << "\"\n";
  const OwnFolders folders(request, folder.path());
  stream << with_own_headers(with_own_macros(request.source, request.macros), folders);
  if (!request.name_expression.empty()) stream << kernel_marker(request.name_expression);
  stream.close();
  if (!stream) return refused(fmt::format("{} could not be written.", file.string()));
  sources::DeviceCode code = sources::compile_for_device(command_of(request, folders, file), limits);
  CompileReply reply;
  reply.outcome = code.outcome;
  reply.log = std::move(code.log);
  reply.message = std::move(code.message);
  if (reply.message.find("Unresolved extern") != std::string::npos)
    reply.message += ": it is in another source, which is not linked with this one.";
  if (reply.outcome != Outcome::ok) return reply;
  reply.cubin.bytes = std::move(code.cubin);
  reply.cubin.hash = cache::content_hash(reply.cubin.bytes);
  if (!request.name_expression.empty()) reply.cubin.kernel = marked_kernel(reply.cubin.bytes);
  if (!request.name_expression.empty() && reply.cubin.kernel.empty())
    return refused(
        fmt::format("{}: what nvcc made of it has no kernel {}.", request.file_name, request.name_expression));
  if (request.keeps_ptx) reply.ptx = kept_ptx(folder.path());
  reply.facts = facts_from_log(reply.log, reply.cubin.kernel);
  reply.facts.binary_hash = reply.cubin.hash;
  if (const std::optional<CubinFacts> facts = facts_from_cubin(reply.cubin.bytes, reply.cubin.kernel)) {
    reply.parameters = facts->parameters;
    // A linker gives a kernel the registers of all that it calls.
    if (!reply.facts.registers || !request.nvcc->recorded.linked.empty()) reply.facts.registers = facts->registers;
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
