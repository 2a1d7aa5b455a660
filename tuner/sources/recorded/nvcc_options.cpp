#include "tuner/sources/recorded/nvcc_options.hpp"

#include <algorithm>
#include <array>

namespace tuner::sources {
namespace {

using enum NvccValue;
using enum NvccUse;

/// `nvcc --help` of CUDA 13.0, and what it does not list but takes (-Xcicc, -Xcudafe). A flag that is not here stays.
constexpr std::array kOptions{
    // What is made.
    NvccOption{"cuda", "cuda", none, drop},
    NvccOption{"cubin", "cubin", none, drop},
    NvccOption{"fatbin", "fatbin", none, drop},
    NvccOption{"ptx", "ptx", none, phase_ptx},
    NvccOption{"optix-ir", "optix-ir", none, link_time},
    NvccOption{"ltoir", "ltoir", none, link_time},
    NvccOption{"preprocess", "E", none, drop},
    NvccOption{"generate-dependencies", "M", none, drop},
    NvccOption{"generate-nonsystem-dependencies", "MM", none, drop},
    NvccOption{"generate-dependencies-with-compile", "MD", none, drop},
    NvccOption{"generate-nonsystem-dependencies-with-compile", "MMD", none, drop},
    NvccOption{"dependency-output", "MF", one, drop},
    NvccOption{"generate-dependency-targets", "MP", none, drop},
    NvccOption{"dependency-target-name", "MT", one, drop},
    NvccOption{"compile", "c", none, drop},
    NvccOption{"device-c", "dc", none, relocatable},
    NvccOption{"device-w", "dw", none, whole},
    NvccOption{"device-link", "dlink", none, drop},
    NvccOption{"link", "link", none, drop},
    NvccOption{"lib", "lib", none, drop},
    NvccOption{"run", "run", none, drop},
    NvccOption{"run-args", "run-args", list, drop},
    NvccOption{"fdevice-syntax-only", "fdevice-syntax-only", none, drop},
    // Files and folders.
    NvccOption{"output-file", "o", one, drop},
    NvccOption{"output-directory", "odir", one, drop},
    NvccOption{"objdir-as-tempdir", "objtemp", none, drop},
    NvccOption{"pre-include", "include", list, keep},
    NvccOption{"define-macro", "D", list, keep},
    NvccOption{"undefine-macro", "U", list, keep},
    NvccOption{"include-path", "I", list, keep},
    NvccOption{"system-include", "isystem", list, keep},
    NvccOption{"compiler-bindir", "ccbin", one, keep},
    NvccOption{"libdevice-directory", "ldir", one, keep},
    NvccOption{"target-directory", "target-dir", one, keep},
    NvccOption{"input-drive-prefix", "idp", one, keep},
    NvccOption{"dependency-drive-prefix", "ddp", one, drop},
    NvccOption{"drive-prefix", "dp", one, keep},
    NvccOption{"options-file", "optf", list, file},
    // Linking.
    NvccOption{"library", "l", list, drop},
    NvccOption{"library-path", "L", list, drop},
    NvccOption{"archiver-binary", "arbin", one, drop},
    NvccOption{"cudart", "cudart", one, drop},
    NvccOption{"cudadevrt", "cudadevrt", one, drop},
    NvccOption{"linker-options", "Xlinker", list, drop},
    NvccOption{"archive-options", "Xarchive", list, drop},
    NvccOption{"nvlink-options", "Xnvlink", list, drop},
    NvccOption{"shared", "shared", none, drop},
    NvccOption{"no-device-link", "nodlink", none, drop},
    NvccOption{"host-linker-script", "hls", one, drop},
    NvccOption{"augment-host-linker-script", "aug-hls", none, drop},
    NvccOption{"relocatable-link", "r", none, drop},
    NvccOption{"forward-unknown-to-host-linker", "forward-unknown-to-host-linker", none, keep},
    NvccOption{"dlink-time-opt", "dlto", none, link_time},
    // Language and code.
    NvccOption{"x", "x", one, keep},
    NvccOption{"std", "std", one, keep},
    NvccOption{"machine", "m", one, keep},
    NvccOption{"m64", "m64", none, keep},
    NvccOption{"generate-line-info", "lineinfo", none, keep},  // not -l
    NvccOption{"optimize", "O", one, keep},
    NvccOption{"Ofast-compile", "Ofc", one, keep},
    NvccOption{"dopt", "dopt", one, keep},
    NvccOption{"optimization-info", "opt-info", list, keep},
    NvccOption{"ftemplate-backtrace-limit", "ftemplate-backtrace-limit", one, keep},
    NvccOption{"ftemplate-depth", "ftemplate-depth", one, keep},
    NvccOption{"compiler-options", "Xcompiler", list, host},
    NvccOption{"cudafe-options", "Xcudafe", list, keep},
    NvccOption{"cicc-options", "Xcicc", list, keep},
    NvccOption{"ptxas-options", "Xptxas", list, assembler},
    NvccOption{"maxrregcount", "maxrregcount", one, assembler},
    NvccOption{"split-compile", "split-compile", one, keep},
    NvccOption{"split-compile-extended", "split-compile-extended", one, keep},
    NvccOption{"static-global-template-stub", "static-global-template-stub", one, keep},
    NvccOption{"device-entity-has-hidden-visibility", "device-entity-has-hidden-visibility", one, keep},
    NvccOption{"gpu-architecture", "arch", one, architecture},
    NvccOption{"gpu-code", "code", list, code},
    NvccOption{"generate-code", "gencode", list, generate},
    NvccOption{"relocatable-device-code", "rdc", one, keep},
    NvccOption{"entries", "e", list, keep},
    NvccOption{"ftz", "ftz", one, keep},
    NvccOption{"prec-div", "prec-div", one, keep},
    NvccOption{"prec-sqrt", "prec-sqrt", one, keep},
    NvccOption{"fmad", "fmad", one, keep},
    NvccOption{"default-stream", "default-stream", one, keep},
    NvccOption{"Werror", "Werror", list, keep},
    NvccOption{"qpp-config", "qpp-config", one, keep},
    NvccOption{"diag-error", "diag-error", list, keep},
    NvccOption{"diag-suppress", "diag-suppress", list, keep},
    NvccOption{"diag-warn", "diag-warn", list, keep},
    NvccOption{"brief-diagnostics", "brief-diag", one, keep},
    NvccOption{"jump-table-density", "jtd", one, keep},
    NvccOption{"device-stack-protector", "device-stack-protector", one, keep},
    NvccOption{"compress-mode", "compress-mode", one, keep},
    NvccOption{"frandom-seed", "frandom-seed", one, keep},
    NvccOption{"sanitize", "sanitize", one, keep},
    // What nvcc does beside.
    NvccOption{"dryrun", "dryrun", none, drop},
    NvccOption{"verbose", "v", none, drop},
    NvccOption{"threads", "t", one, drop},
    NvccOption{"fdevice-time-trace", "fdevice-time-trace", one, drop},
    NvccOption{"keep", "keep", none, drop},
    NvccOption{"keep-dir", "keep-dir", one, drop},
    NvccOption{"save-temps", "save-temps", none, drop},
    NvccOption{"clean-targets", "clean", none, drop},
    NvccOption{"time", "time", one, drop},
    NvccOption{"jobserver", "jobserver", none, drop},
};

/// Options whose value may follow their letter at once. Not -e, -m, -o and -x, which are of one letter, too.
constexpr std::string_view kJoined = "DUILlOt";

const NvccOption* find_option(std::string_view word) {
  const bool is_long = word.starts_with("--");
  const std::string_view name = word.substr(is_long ? 2 : 1);
  const auto* const found = std::ranges::find_if(
      kOptions, [&](const NvccOption& option) { return name == (is_long ? option.long_name : option.short_name); });
  return found == kOptions.end() ? nullptr : found;
}

/// The word at `at`, and the next one where that is its value.
NvccWord read_word(std::span<const std::string> arguments, std::size_t at) {
  const std::string& word = arguments[at];
  NvccWord read{.words = {word}, .value = word};
  if (!word.starts_with('-')) return read;
  if ((read.option = find_option(word)) != nullptr) {
    read.value.clear();
    if (read.option->value != none && at + 1 < arguments.size()) read.words.push_back(read.value = arguments[at + 1]);
    return read;
  }
  const std::string_view text = word;
  const std::size_t equals = text.find('=');
  if (equals != text.npos && (read.option = find_option(text.substr(0, equals))) != nullptr) {
    read.value = text.substr(equals + 1);
  } else if (text.size() > 2 && kJoined.find(text[1]) != kJoined.npos) {
    read.option = find_option(text.substr(0, 2));
    read.value = text.substr(2);
  }
  return read;
}

}  // namespace

bool nvcc_takes_value(std::string_view name) {
  return std::ranges::any_of(kOptions, [&](const NvccOption& option) {
    return option.value != none && (name == option.long_name || name == option.short_name);
  });
}

std::vector<NvccWord> read_nvcc_words(std::span<const std::string> arguments) {
  std::vector<NvccWord> words;
  for (std::size_t at = 0; at < arguments.size(); at += words.back().words.size())
    words.push_back(read_word(arguments, at));
  return words;
}

std::vector<std::string> nvcc_flags(std::string_view value) {
  std::vector<std::string> words;
  constexpr std::string_view kBlanks = " \t\n";
  for (std::size_t at = 0; (at = value.find_first_not_of(kBlanks, at)) != value.npos;) {
    const std::size_t end = std::min(value.find_first_of(kBlanks, at), value.size());
    words.emplace_back(value.substr(at, end - at));
    at = end;
  }
  return words;
}

std::vector<std::string> nvcc_list(std::string_view value) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value.substr(i).starts_with("\\,")) {
      parts.back() += value[++i];
    } else if (value[i] == ',') {
      parts.emplace_back();
    } else {
      parts.back() += value[i];
    }
  }
  return parts;
}

}  // namespace tuner::sources
