#include "tuner/host/reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <utility>

#include "tuner/core/standard_headers/standard_headers.hpp"
#include "tuner/core/standard_headers/unknown_member.hpp"

namespace tuner::host {
namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string first_line_with(const std::string& text, std::string_view part) {
  const std::size_t at = text.find(part);
  if (at == std::string::npos) return "";
  const std::size_t begin = text.rfind('\n', at);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     text.find('\n', at) - (begin == std::string::npos ? 0 : begin + 1));
}

std::string between(const std::string& text, std::string_view before, std::string_view after) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + before.size();
  const std::size_t end = text.find(after, begin);
  return end == std::string::npos ? "" : text.substr(begin, end - begin);
}

Finding undefined_behaviour(const std::string& report, const KnownFiles& files) {
  Finding finding;
  const std::string line = first_line_with(report, "runtime error: ");
  const std::string what = line.substr(line.find("runtime error: ") + std::string_view("runtime error: ").size());
  finding.kind = FindingKind::undefined_behaviour;
  if (contains(what, "misaligned address")) finding.kind = FindingKind::misaligned_access;
  if (contains(what, "out of bounds")) finding.kind = FindingKind::out_of_bounds_read;
  finding.sentence = what;
  SourceSpot within;
  finding.place = place_in_stack(report, files, within);
  if (finding.place.line == 0) finding.place = spot_of(line, files);
  if (within.line != 0) finding.sentence += " (in " + within.text() + ")";
  return finding;
}

std::string where_touched(const Touched& touched, const std::string& report) {
  switch (touched.what) {
    case Touched::What::argument:
      return fmt::format("at byte {} of `{}`, which has {}", touched.offset, touched.name, touched.bytes);
    case Touched::What::dynamic_shared:
      return fmt::format("at byte {} of dynamic shared memory, which has {}", touched.offset, touched.bytes);
    case Touched::What::copy:
      return "before waiting for the asynchronous copy that fills it";
    case Touched::What::unknown:
      break;
  }
  if (const std::string variable = between(report, "global variable '", "'"); !variable.empty())
    return "outside the array `" + variable + "`";
  if (contains(report, "stack-buffer")) {
    const std::string row = first_line_with(report, "<== Memory access");
    const std::string variable = between(row, "'", "'");
    return variable.empty() ? "outside a local array" : "outside the local array `" + variable + "`";
  }
  return "of memory that belongs to no object";
}

/// The member of std that the compiler does not know, as g++ and clang++ say it; empty if it says anything else.
std::string unknown_in_std(const std::string& error) {
  for (const std::string_view words :
       {"' has not been declared in 'std'", "' is not a member of 'std'", "' in namespace 'std' does not name a"}) {
    if (std::string name = between(error, "'", words); !name.empty())
      return name.substr(name.starts_with("std::") ? 5 : 0);
  }
  return between(error, "no member named '", "' in namespace 'std'");
}

/// Whether what stands before "error: " names a line: "kernel.cu:4:9: fatal ". What a compiler says without one, such
/// as "g++: error: unit.cpp: No such file or directory", is about itself and not about a header.
bool names_line(std::string_view before) {
  if (before.ends_with("fatal ")) before.remove_suffix(std::string_view("fatal ").size());
  if (!before.ends_with(": ")) return false;
  before.remove_suffix(2);
  const std::size_t colon = before.find_last_not_of("0123456789");
  return colon != std::string_view::npos && before[colon] == ':' && colon + 1 < before.size();
}

/// What a compiler that crashed says of itself: "kernel.cu:4:9: internal compiler error: Segmentation fault". A line of
/// the source that it quotes, which begins with a blank, and `#error`, behind "error: ", may have the same words.
std::optional<Unchecked> read_crash(const std::string& messages, const KnownFiles& files) {
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("PLEASE submit a bug report")) return Unchecked{"The compiler crashed on it: internal error"};
    const std::string_view said = std::string_view(line).substr(std::min(line.find(": "), line.size()));
    if (!line.starts_with(' ') && said.starts_with(": internal compiler error"))
      return Unchecked{"The compiler crashed on it" + std::string(said), spot_of(line, files)};
  }
  return std::nullopt;
}

/// What a compiler, GCC or Clang, says, or which feature of CUDA it is that has no counterpart here. Quotes are those
/// of LC_ALL=C.
std::string in_words_of_a_kernel(const std::string& error) {
  constexpr std::string_view kWayOut =
      "cannot run on the CPU: check on a GPU, or exclude it with `#if !defined(TUNER_HOST_EMULATION)`";
  std::string header = between(error, "'", "' file not found");
  if (const std::size_t end = error.find(": No such file or directory"); end != std::string::npos)
    header = error.substr(0, end);
  if (!header.empty() && !is_library_header(header))
    return fmt::format("The header `{}` was not found: name its folder with -I", header);
  if (!header.empty())
    return fmt::format("The header `{}` is not known here, and what it declares {}", header, kWayOut);
  for (const std::string_view space : {"cub", "cooperative_groups", "nvcuda::wmma", "cuda", "cuda::std", "cg"}) {
    std::string name = between(error, "'", fmt::format("' is not a member of '{}'", space));
    if (name.empty()) name = between(error, "no member named '", fmt::format("' in namespace '{}'", space));
    if (!name.empty()) return fmt::format("`{}::{}` {}", space, name, kWayOut);
  }
  if (const std::string member = unknown_in_std(error); !member.empty()) return unknown_member_of_std(member);
  if (error.find("unable to deduce 'const auto' from '&") != std::string::npos ||
      error.find("<overloaded function type>") != std::string::npos) {
    return "The kernel's name stands for several functions: give the one to check a name of its own, or name its "
           "template arguments, as in kernel(NAME<float>)";
  }
  std::string name = between(error, "'", "' was not declared in this scope");
  if (name.empty()) name = between(error, "use of undeclared identifier '", "'");
  if (name.starts_with("__")) return fmt::format("`{}` {}", name, kWayOut);
  return "The C++ compiler says: " + error;
}

}  // namespace

SourceSpot spot_of(const std::string& text, const KnownFiles& files) {
  for (const std::string& file : files) {
    const std::size_t at = text.find(file + ":");
    if (at == std::string::npos || (at > 0 && text[at - 1] != '/' && text[at - 1] != ' ')) continue;
    const int line = std::atoi(text.c_str() + at + file.size() + 1);
    if (line > 0) return {file, line};
  }
  return {};
}

SourceSpot place_in_stack(const std::string& report, const KnownFiles& files, SourceSpot& within) {
  SourceSpot first;
  std::istringstream lines(report);
  bool in_stack = false;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t number = line.find_first_not_of(' ');
    const bool is_frame = number != std::string::npos && line[number] == '#';
    if (!is_frame) {
      if (in_stack) break;  // the stacks that follow are of something else
      continue;
    }
    in_stack = true;
    const SourceSpot spot = spot_of(line, files);
    if (spot.line == 0) continue;
    if (spot.file == files.front()) {
      if (first.line != 0) within = first;
      return spot;
    }
    if (first.line == 0) first = spot;
  }
  return first;
}

Finding read_sanitizer_report(const std::string& report, const Touched& touched, const KnownFiles& files) {
  if (contains(report, "runtime error: ")) return undefined_behaviour(report, files);
  Finding finding;
  SourceSpot within;
  finding.place = place_in_stack(report, files, within);
  const bool writes = contains(report, "\nWRITE of size") || contains(report, "caused by a WRITE");
  const std::string size = between(report, writes ? "WRITE of size " : "READ of size ", " ");
  if (touched.what == Touched::What::copy) {
    finding.kind = FindingKind::unwaited_copy;
    finding.sentence = fmt::format("{} {} bytes {}", writes ? "writes" : "reads", size.empty() ? "some" : size,
                                   where_touched(touched, report));
  } else if (contains(report, "AddressSanitizer: SEGV") || contains(report, "AddressSanitizer: BUS")) {
    finding.kind = writes ? FindingKind::out_of_bounds_write : FindingKind::out_of_bounds_read;
    finding.sentence = writes ? "writes to an unmapped address" : "reads from an unmapped address";
  } else if (contains(report, "AddressSanitizer: out-of-memory") ||
             contains(report, "AddressSanitizer: allocation-size-too-big") ||
             contains(report, "AddressSanitizer failed to allocate")) {
    finding.kind = FindingKind::crash;
    finding.sentence = "allocates more memory than a run may use (2 GB and 128 times its arguments)";
  } else if (contains(report, "AddressSanitizer: stack-overflow")) {
    finding.kind = FindingKind::crash;
    finding.sentence = "needs more stack than a thread has (252 KB): recursion, or very large local arrays";
  } else if (contains(report, "AddressSanitizer:")) {
    finding.kind = writes ? FindingKind::out_of_bounds_write : FindingKind::out_of_bounds_read;
    finding.sentence = fmt::format("{} {} bytes {}", writes ? "writes" : "reads", size.empty() ? "some" : size,
                                   where_touched(touched, report));
  } else {
    finding.kind = FindingKind::crash;
    finding.sentence = "ends its process";
  }
  if (within.line != 0) finding.sentence += " (in " + within.text() + ")";
  return finding;
}

Unchecked read_compiler_messages(const std::string& messages, const KnownFiles& files) {
  if (auto crash = read_crash(messages, files)) return *std::move(crash);
  Unchecked unchecked;
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t error = line.find("error: ");
    if (error == std::string::npos) continue;
    const std::string said = line.substr(error + std::string_view("error: ").size());
    unchecked.sentence = names_line(std::string_view(line).substr(0, error)) ? in_words_of_a_kernel(said)
                                                                             : "The C++ compiler says: " + said;
    unchecked.place = spot_of(line, files);
    if (unchecked.place.line != 0) return unchecked;
    // In a file of the shim: a line that follows says what in the kernel led there.
    for (std::string more; std::getline(lines, more);) {
      unchecked.place = spot_of(more, files);
      if (unchecked.place.line != 0) return unchecked;
    }
    return unchecked;
  }
  unchecked.sentence = messages.empty() ? "The C++ compiler failed without a message"
                                        : "The C++ compiler failed: " + messages.substr(0, messages.find('\n'));
  return unchecked;
}

}  // namespace tuner::host
