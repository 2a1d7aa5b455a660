#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "cache/file/fresh_file.hpp"
#include "tuner/cli/check/new_from_capture.hpp"
#include "tuner/cli/described/complaint.hpp"
#include "tuner/cli/given/compile_memory.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/description/kernel_text.hpp"
#include "tuner/core/skeleton/program_text.hpp"
#include "tuner/core/skeleton/skeleton.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

ExitCode run_new(const Arguments& arguments) {
  if (arguments.operands().empty() && !arguments.has("capture")) {
    throw Error(Errc::bad_usage,
                "`tuner new` needs a CUDA source, for example `tuner new scale.cu --output tuned.cu`.");
  }
  if (arguments.has("json")) throw Error(Errc::bad_usage, "`tuner new` prints a source, not JSON: leave out --json.");
  for (const char* const option : {"compile-timeout", kCompileMemory})
    if (arguments.has(option) && !(arguments.has("capture") && arguments.has("build")))
      throw Error(Errc::bad_usage, fmt::format("{} limits the compilers of --build: add --capture FOLDER --build FILE, "
                                               "or leave it out.",
                                               spelled(option)));
  if (arguments.has("capture")) return new_from_capture(arguments);
  if (arguments.has("build"))
    throw Error(Errc::bad_usage, "--build says which source a captured kernel is from: add --capture FOLDER.");
  if (arguments.has("launch")) throw Error(Errc::bad_usage, "--launch is one of a capture: add --capture FOLDER.");
  std::optional<std::string> output = arguments.value("output");
  if (output == kStandardOutput) output.reset();
  if (arguments.has("force") && !output) {
    throw Error(Errc::bad_usage, "--force replaces an older file: add --output FILE, or leave it out.");
  }
  const std::filesystem::path file = arguments.operands().front();
  const std::vector<std::string> named = arguments.values("I");
  const std::vector<std::filesystem::path> folders(named.begin(), named.end());
  const ProgramText program = program_text(read_kernel_file(file), file, folders);
  std::string judged, judgement;
  const auto complaint = [&](const std::string& text) {
    if (text != judged) judgement = complaint_about(text, file, folders);
    judged = text;
    return judgement;
  };
  const std::string text =
      skeleton(program.text, file, arguments.value("kernel").value_or(""), program.elsewhere, complaint);
  if (const std::string rest = complaint(text); !rest.empty()) {
    const bool has_any = text.find("\n#pragma tuner kernel(") != std::string::npos;
    warn(has_any ? "`tuner describe` does not accept this yet, so it needs your hand: " + rest
                 : "`tuner describe` does not accept these proposals yet: mend the comments below `// ?`.");
  }
  for (const std::string& name : program.included) {
    say(fmt::format("The text of \"{}\", which has kernels, stands in place of the line that includes it.", name));
  }
  if (!output) {
    print_file(text);
    return ExitCode::done;
  }
  cache::FreshFile fresh(*output, arguments.has("force"), cache::FreshFile::Kind::text);
  fresh.append(text);
  fresh.publish();
  say(fmt::format("Written to {0}: answer its lines `// ?`, then `tuner describe {0}`.", in_command(*output)));
  return ExitCode::done;
}

}  // namespace

Command new_command() {
  using Kind = Option::Kind;
  return {
      .name = "new",
      .synopsis =
          "tuner new FILE.cu [--kernel NAME | --capture FOLDER [--build FILE]] [-I DIR] [--output FILE [--force]]",
      .summary = "propose the directives for a plain CUDA source, or write those of a captured kernel",
      .purpose =
          "Prints a CUDA source with directives for its kernels. A line `// ?` asks what it does not say. With\n"
          "--capture they are those of a stored launch, and nothing is asked. Needs no GPU.",
      .options =
          {
              {"kernel", Kind::value, "NAME", "only this kernel; default: every kernel in the file"},
              {"capture", Kind::value, "FOLDER",
               "describe the kernel of this capture as it was launched; writes its data beside FILE of --output"},
              {"launch", Kind::value, "N",
               "with --capture: this launch, counted from 1; default: of those that a replay repeats, the one of the "
               "shape that takes most time"},
              {"build", Kind::value, "FILE",
               "with --capture: what `tuner capture --build` wrote. The source that makes the machine code that ran is "
               "looked for, or FILE.cu is compared with that"},
              {"compile-timeout", Kind::value, "TIME",
               "with --build: give up on a source that takes longer than this to compile (ms, s, min); default 2min"},
              compile_memory_option("with --build: "),
              {"output", Kind::value, "FILE", "write to FILE instead of standard output (-); an existing file is kept"},
              {"force", Kind::flag, "", "with --output: replace FILE if it exists"},
              {"I", Kind::repeatable, "DIR", "also search DIR for headers included with quotes; repeatable"},
          },
      .most_operands = 1,
      .operands = {"FILE"},
      .examples = {{"tuner new scale.cu", "print scale.cu with directives"},
                   {"tuner new scale.cu --output tuned.cu", "write that to another file, which then can be tuned"},
                   {"tuner new scale.cu --capture scale.capture --output tuned.cu",
                    "the kernel with the data that a program gave it, and what it has to compute"},
                   {"tuner new --capture scale.capture --build tuner-build.json --output tuned.cu",
                    "the same, from the source of the build that made the machine code"}},
      .exit_codes = {},
      .run = run_new,
  };
}

}  // namespace tuner::cli
