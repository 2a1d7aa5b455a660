#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "cache/file/fresh_file.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/description/headers.hpp"
#include "tuner/core/description/kernel_text.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/signature/check_signatures.hpp"
#include "tuner/core/skeleton/program_text.hpp"
#include "tuner/core/skeleton/skeleton.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

/// What `tuner describe` would say against the text; empty if it accepts it.
std::string complaint_about(const std::string& text, const std::filesystem::path& file,
                            const std::vector<std::filesystem::path>& folders) {
  try {
    for (const KernelDescription& description : parse_descriptions(text, file)) {
      check_written_signatures(description, quoted_headers(description, folders));
      const Task task(description, ProblemValues(), known_device(kPlanDevice), {}, {});
      if (!task.baseline()) {
        return fmt::format("The configuration {}.", task.space().why_invalid(task.space().defaults()).value_or(""));
      }
    }
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

ExitCode run_new(const Arguments& arguments) {
  if (arguments.operands().empty()) {
    throw Error(Errc::bad_usage,
                "`tuner new` needs a CUDA source, for example `tuner new scale.cu --output tuned.cu`.");
  }
  if (arguments.has("json")) throw Error(Errc::bad_usage, "`tuner new` prints a source, not JSON: leave out --json.");
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
      .synopsis = "tuner new FILE.cu [--kernel NAME] [-I DIR] [--output FILE [--force]]",
      .summary = "propose the directives for a plain CUDA source",
      .purpose =
          "Prints a CUDA source with proposed directives for its kernels, and for those in files that it\n"
          "includes with quotes. A line `// ?` asks what the source does not say. Needs no GPU.",
      .options =
          {
              {"kernel", Kind::value, "NAME", "only this kernel; default: every kernel in the file"},
              {"output", Kind::value, "FILE", "write to FILE instead of standard output (-); an existing file is kept"},
              {"force", Kind::flag, "", "with --output: replace FILE if it exists"},
              {"I", Kind::repeatable, "DIR", "also search DIR for headers included with quotes; repeatable"},
          },
      .most_operands = 1,
      .operands = {"FILE"},
      .examples = {{"tuner new scale.cu", "print scale.cu with directives"},
                   {"tuner new scale.cu --output tuned.cu", "write that to another file, which then can be tuned"}},
      .exit_codes = {},
      .run = run_new,
  };
}

}  // namespace tuner::cli
