#include "tuner/engine/compile/failure_sentence.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "tuner/core/base/words.hpp"
#include "tuner/core/description/code_text.hpp"
#include "tuner/core/description/host_code.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"
#include "tuner/core/standard_headers/unknown_member.hpp"
#include "tuner/engine/compile/foreign_error.hpp"
#include "tuner/engine/compile/resource_log.hpp"

namespace tuner::engine {
namespace {

/// An error as NVRTC prints it: "user.cu(3): error: sentence", the line, and a caret under what it is about.
struct NvrtcError {
  std::string_view place;     ///< "user.cu(3): "
  std::string_view line;      ///< that it is about
  std::string_view sentence;  ///< the rest of the first line
  std::string_view word;      ///< the one above the caret
  std::string_view before;    ///< what stands on its line before it
  std::string_view behind;    ///< and behind it
};

std::string_view line_at(std::string_view text, std::size_t begin) {
  return begin >= text.size() ? std::string_view{} : text.substr(begin, text.find('\n', begin) - begin);
}

NvrtcError read_error(std::string_view log, std::string_view first) {
  NvrtcError error;
  const std::size_t mark = first.find("error: ");
  if (mark == std::string_view::npos) return error;
  error.place = first.substr(0, mark - (first.substr(0, mark).ends_with("catastrophic ") ? 13 : 0));
  error.sentence = first.substr(mark + 7);
  const std::size_t begin = log.find(first) + first.size() + 1;
  const std::string_view line = error.line = line_at(log, begin);
  const std::size_t caret = line_at(log, begin + line.size() + 1).find('^');
  if (caret == std::string_view::npos || caret >= line.size()) return error;
  std::size_t end = caret;
  while (end < line.size() && is_word_character(line[end])) ++end;
  error.word = line.substr(caret, end - caret);
  error.before = line.substr(0, caret);
  error.behind = line.substr(end);
  return error;
}

/// What stands between the quotes behind `before`; nothing if the sentence has no such words.
std::optional<std::string_view> quoted_behind(std::string_view sentence, std::string_view before) {
  const std::size_t at = sentence.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t begin = sentence.find('"', at + before.size());
  const std::size_t end = begin == std::string_view::npos ? begin : sentence.find('"', begin + 1);
  if (end == std::string_view::npos) return std::nullopt;
  return sentence.substr(begin + 1, end - begin - 1);
}

/// The header that nvcc's users need not name, or forget to.
std::string_view header_of(std::string_view name) {
  for (const auto& [header, file] :
       {std::pair{"cstdint", "stdint.h"}, {"cfloat", "float.h"}, {"climits", "limits.h"}, {"cmath", "math.h"}}) {
    const std::string_view text = *standard_header(file);
    const auto says = [&](const std::string& words) { return text.find(words) != std::string_view::npos; };
    if (says(fmt::format("#define {} ", name)) || says(fmt::format(" {};", name))) return header;
  }
  for (const std::string_view type : {"half", "half2", "__half", "__half2", "__float2half", "__half2float"}) {
    if (name == type) return "cuda_fp16.h";
  }
  for (const std::string_view type : {"__nv_bfloat16", "__nv_bfloat162", "nv_bfloat16", "nv_bfloat162"}) {
    if (name == type) return "cuda_bf16.h";
  }
  return {};
}

std::string of_member(std::string_view space, std::string_view member) {
  if (space.find("cub") != std::string_view::npos && member.starts_with("Device")) {
    return fmt::format(
        "`cub::{}` runs on the host and launches kernels of its own, so no kernel can call it: if only the host does, "
        "{}; within a kernel there are cub::BlockReduce and the like",
        member, kForHost);
  }
  return space == "std" ? unknown_member_of_std(member) : std::string();
}

std::string of_space(const NvrtcError& error) {
  if (error.before.ends_with("std::")) return of_member("std", error.word);
  if (error.word == "thrust")
    return fmt::format(
        "Thrust's algorithms and containers run on the host and launch kernels of their own, so no kernel can use "
        "them: if only the host does, {}",
        kForHost);
  if (error.word.empty() || !error.behind.starts_with("::")) return {};
  if (error.word != "cub") {
    return fmt::format("`{}` is not known here: include what declares it; if only the host uses it, {}", error.word,
                       kForHost);
  }
  const std::string_view member = error.behind.substr(2);
  const auto end = std::find_if_not(member.begin(), member.end(), is_word_character);
  const std::string device = of_member("cub", member.substr(0, static_cast<std::size_t>(end - member.begin())));
  return device.empty() ? "`cub` is not known here: include <cub/cub.cuh>" : device;
}

/// Of a call that fits no overload, or several.
std::string of_call(std::string_view function, bool fits_several) {
  if (fits_several)
    return fmt::format(
        "this call of `{0}` fits several overloads equally well: convert its arguments to the types of one of them, "
        "as in `{0}(float(a), float(b))`",
        function);
  constexpr std::string_view kStd = "std::";
  if (!function.starts_with(kStd)) return {};
  return fmt::format(
      "`{0}` of the headers that the tuner supplies (docs/sources.md) cannot be called like this: call it with the "
      "arguments that it takes there, or use `cuda::{0}` from the toolkit's <cuda/std/...>; if only the host calls it, "
      "{1}",
      function, kForHost);
}

std::string of_name(std::string_view name) {
  if (name.size() > 4 && name.starts_with("cuda") && name[4] >= 'A' && name[4] <= 'Z')
    return fmt::format("`{}` belongs to the runtime of the host, which kernels do not see: {}", name, kForHost);
  if (const std::string_view header = header_of(name); !header.empty())
    return fmt::format("`{}` is not known here: include <{}>", name, header);
  return {};
}

bool is_of_host(std::string_view sentence) {
  const auto says = [&](std::string_view words) { return sentence.find(words) != std::string_view::npos; };
  return says("considered a host") || says("explicitly marked as a __host__ function") ||
         says("cannot open source file") || says("identifier \"cuda");
}

/// Of an error in a file of the toolkit's, which the user can only include or not.
std::string of_toolkit(const ForeignInclude& include, const NvrtcError& error, const std::string& first) {
  if (!is_of_host(error.sentence))
    return fmt::format("{} (in what {} includes with <{}>)", first, include.place, include.name);
  return fmt::format(
      "{}: error: <{}> brings code of the host, which is not compiled here ({}{}): if only the host needs it, {}.",
      include.place, include.name, error.place, error.sentence, kForHost);
}

/// Of what ptxas calls `_ZNK4Grid4Cell3getEv`; empty for its other errors.
std::string of_linker(std::string_view first) {
  constexpr std::string_view kMark = "Unresolved extern function '";
  const std::size_t at = first.find(kMark);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = first.substr(at + kMark.size());
  const std::string mangled(rest.substr(0, rest.find('\'')));
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return fmt::format(
      "the kernel calls `{}`, which is declared for the GPU but not defined for it: mark its definition `__device__`, "
      "as a definition without a mark may be left out as a function of the host (docs/sources.md)",
      status == 0 && name ? name.get() : mangled.c_str());
}

/// Of what ptxas refuses for the architecture it compiles for: "sm_90a" has instructions that "sm_90" lacks. Empty for
/// its other errors.
std::string of_architecture(std::string_view first) {
  constexpr std::string_view kTarget = "not supported on .target '", kError = "error ";
  const std::size_t target = first.find(kTarget), error = first.find(kError);
  if (target == std::string_view::npos || error == std::string_view::npos) return {};
  std::string_view reason = first.substr(error + kError.size());
  reason.remove_prefix(std::min(reason.find_first_not_of(" :"), reason.size()));
  const std::string_view rest = first.substr(target + kTarget.size());
  const std::string_view architecture = rest.substr(0, rest.find('\''));
  if (architecture.empty() || architecture.back() < '0' || architecture.back() > '9') return std::string(reason);
  return fmt::format(
      "{}: if it is an instruction of {}a alone, add options(\"-arch={}a\") to the directives; the binary then runs on "
      "no other architecture",
      reason, architecture, architecture);
}

/// Where the last line of a text begins that is called so by `#line`; its end if there is none.
std::size_t begin_of_line(std::string_view text, std::string_view number) {
  constexpr std::string_view kLine = "#line ";
  const std::size_t wanted = std::strtoul(std::string(number).c_str(), nullptr, 10);
  std::size_t found = text.size(), line = 1;
  for (std::size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size()) + 1, ++line) {
    if (text.substr(at, kLine.size()) == kLine)
      line = std::strtoul(std::string(text.substr(at + kLine.size(), 10)).c_str(), nullptr, 10) - 1;
    else if (line == wanted)
      found = at;
  }
  return found;
}

/// Of an error in a function that nothing marks: what to do about that function. `place` is "user.cu(3): ".
std::string of_unmarked_function(const CompileRequest& request, std::string_view place) {
  const std::size_t open = std::min(place.rfind('('), place.size());
  const std::string_view file = place.substr(0, open);
  const std::string* text = file == request.file_name ? &request.source : nullptr;
  for (const Header& header : request.headers) {
    if (header.name == file && !is_standard(header)) text = &header.text;
  }
  if (text == nullptr || open == place.size()) return {};
  const std::size_t line = begin_of_line(*text, place.substr(open + 1));
  const std::string name = unmarked_function_at(*text, std::min(text->find_first_not_of(" \t", line), text->size()));
  if (name.empty()) return {};
  return fmt::format(
      "`{}`, which this is a part of, has no mark: mark it `__device__` if the kernel calls it; if only the host does, "
      "{}",
      name, kForHost);
}

/// Of a name in `kernel(...)` that is none, or that of several. `first` is what the name map says.
std::string of_kernel_name(const CompileRequest& request, std::string_view first) {
  const std::string_view said = first.substr(first.find("error: ") + 7);
  const std::string& name = request.name_expression;
  const auto says = [&](std::string_view words) { return said.find(words) != std::string_view::npos; };
  if (says("instance of overloaded function"))
    return fmt::format(
        "{0}: the source has several kernels `{1}`, and kernel({1}) does not say which. Give the one to tune a name of "
        "its own, or put the others between `#ifndef __CUDACC_RTC__` and `#endif`.",
        request.file_name, name);
  if (says("instance of function template"))
    return fmt::format("{0}: `{1}` is a template: name its arguments, as in kernel({1}<float>).", request.file_name,
                       name);
  return fmt::format("{}: no kernel '{}' was found after compiling; the name map says: {}{}", request.file_name, name,
                     said,
                     says("is undefined") ? ". A name in a namespace begins with it, as in kernel(app::NAME)." : "");
}

/// The first member of std on a line, as in `std::vector<float> v;`, where NVRTC does not name it.
std::string of_line(std::string_view line) {
  constexpr std::string_view kStd = "std::";
  const std::size_t at = line.find(kStd);
  if (at == std::string_view::npos) return {};
  const std::string_view member = line.substr(at + kStd.size());
  const auto end = std::find_if_not(member.begin(), member.end(), is_word_character);
  return unknown_member_of_std(member.substr(0, static_cast<std::size_t>(end - member.begin())));
}

/// Whether the name of a type or a function cannot stand before that.
bool is_value(std::string_view behind) {
  const std::size_t next = behind.find_first_not_of(' ');
  return next != std::string_view::npos &&
         std::string_view(";,)]+-/%=!?.[|^").find(behind[next]) != std::string_view::npos;
}

/// Empty where NVRTC's own words are as good.
std::string in_our_words(const NvrtcError& error) {
  const auto says = [&](std::string_view words) { return error.sentence.find(words) != std::string_view::npos; };
  const std::string what = error.word.empty() ? "this" : fmt::format("`{}`", error.word);
  if (says("considered a host function") || says("explicitly marked as a __host__ function")) {
    return fmt::format(
        "{} is a function of the host, which is not compiled here: mark it `__device__` if the kernel "
        "calls it; if only the host does, {}",
        what, kForHost);
  }
  if (says("considered a host variable")) {
    return fmt::format(
        "{} is a variable of the host, which kernels do not see: declare it `__device__`, "
        "`__constant__` or `constexpr` if the kernel reads it; if only the host does, {}",
        what, kForHost);
  }
  if (const auto header = quoted_behind(error.sentence, "cannot open source file")) {
    return fmt::format("the header \"{}\" was not found: name its folder with -I, or, if only the host needs it, {}",
                       *header, kForHost);
  }
  if (const auto space = quoted_behind(error.sentence, "namespace ")) {
    for (const std::string_view lacks : {"has no member", "has no tag member named"}) {
      if (const auto member = quoted_behind(error.sentence, lacks)) return of_member(*space, *member);
    }
  }
  if (says("is not a template") && !error.word.empty()) {
    return fmt::format("{} is not known here as a template: include what declares it; if only the host uses it, {}",
                       what, kForHost);
  }
  if (says("name followed by \"::\" must be a class or namespace name")) return of_space(error);
  if (const auto function = quoted_behind(error.sentence, "more than one instance of overloaded function"))
    return of_call(*function, true);
  for (const std::string_view kind : {"no instance of overloaded function", "no instance of function template"}) {
    if (const auto function = quoted_behind(error.sentence, kind)) return of_call(*function, false);
  }
  if (says("is undefined")) {
    if (const auto name = quoted_behind(error.sentence, "identifier ")) {
      const std::string known = of_name(*name);
      if (!known.empty() || error.word != *name) return known;
      if (is_value(error.behind)) {
        return fmt::format(
            "`{}` is not known here: if it is a variable of the host, which is left out, declare it `__device__`, "
            "`__constant__` or `constexpr`",
            *name);
      }
      if (!error.behind.starts_with('(')) return known;
      return fmt::format(
          "`{}` is not known here: if it is a function of yours without a mark, which is left out as the host's, mark "
          "it `__device__`",
          *name);
    }
  }
  if (says("annotation on lambda requires")) {
    return "a lambda cannot take its mark from a macro here: leave the macro out, as a lambda in device code needs no "
           "mark";
  }
  if (says("explicit type is missing") || says("qualified name is not allowed")) return of_line(error.line);
  return {};
}

/// Where a bracket is missing, a function of the host is not told from one of the kernel's, and is blamed.
std::string of_brackets(const std::string& source) {
  const std::string code = read_code(source).code;
  if (std::count(code.begin(), code.end(), '{') <= std::count(code.begin(), code.end(), '}')) return {};
  return " Or a `}` is missing: the source has more of `{`.";
}

/// The first error, or one that it follows from: a kernel with a parameter of an unknown type has no type itself.
std::string telling_error(const std::string& log) {
  const std::string first = first_error(log);
  const auto says = [&](std::string_view words) { return first.find(words) != std::string::npos; };
  if (!says("incomplete type \"void\" is not allowed") && !says("\"__global__\" does not apply here")) return first;
  constexpr std::string_view kUnknown = ": error: identifier \"";
  const std::size_t at = log.find(kUnknown);
  if (at == std::string::npos) return first;
  const std::size_t begin = log.rfind('\n', at) + 1;  // 0 on the first line
  return std::string(line_at(log, begin));
}

}  // namespace

std::string failure_sentence(const CompileRequest& request, const std::string& log,
                             const std::vector<std::filesystem::path>& toolkit_folders) {
  const std::string first = telling_error(log);
  if (first.starts_with("__nv_name_map")) return of_kernel_name(request, first);
  const NvrtcError error = read_error(log, first);
  if (const ForeignInclude include = foreign_include(request, error.place, toolkit_folders); !include.name.empty())
    return of_toolkit(include, error, first);
  if (const std::string ours = of_linker(first); !ours.empty())
    return fmt::format("{}: error: {}.", request.file_name, ours);
  if (const std::string ours = of_architecture(first); !ours.empty())
    return fmt::format("{}: error: {}.", request.file_name, ours);
  if (const std::string ours = in_our_words(error); !ours.empty()) {
    return fmt::format("{}error: {}.{}", error.place, ours,
                       is_of_host(error.sentence) ? of_brackets(request.source) : std::string());
  }
  const std::string function = of_unmarked_function(request, error.place);
  return function.empty() ? first : fmt::format("{}; {}.", first, function);
}

}  // namespace tuner::engine
