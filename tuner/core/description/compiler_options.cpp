#include "tuner/core/description/compiler_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "search/expression/expression.hpp"
#include "search/expression/quoting.hpp"

namespace tuner {
namespace {

/// What may stand behind the name.
enum class Value {
  switched,  ///< nothing, or =true or =false
  word,      ///< =word: numbers, names, commas
  text,      ///< any text: -DNAME=text, -I folder
  ptxas,     ///< an option of ptxas
};

struct Allowed {
  std::string_view name;  ///< without dashes
  Value value;
};

// One letter stands with one dash and its value right behind it; all else with one dash or two, as NVRTC has them.
constexpr std::array kAllowed = std::to_array<Allowed>({
    {"D", Value::text},
    {"define-macro", Value::text},
    {"U", Value::text},
    {"undefine-macro", Value::text},
    {"I", Value::text},
    {"include-path", Value::text},
    {"no-source-include", Value::switched},
    {"std", Value::word},
    {"builtin-move-forward", Value::switched},
    {"builtin-initializer-list", Value::switched},
    {"restrict", Value::switched},
    {"device-as-default-execution-space", Value::switched},
    {"default-device", Value::switched},
    {"device-int128", Value::switched},
    {"device-float128", Value::switched},
    {"minimal", Value::switched},
    {"no-cache", Value::switched},
    {"modify-stack-limit", Value::switched},
    {"gpu-architecture", Value::word},
    {"arch", Value::word},
    {"maxrregcount", Value::word},
    {"use_fast_math", Value::switched},
    {"fmad", Value::switched},
    {"ftz", Value::switched},
    {"prec-sqrt", Value::switched},
    {"prec-div", Value::switched},
    {"fassociative-math", Value::switched},
    {"extra-device-vectorization", Value::switched},
    {"dopt", Value::word},
    {"Ofast-compile", Value::word},
    {"Ofc", Value::word},
    {"split-compile", Value::word},
    {"jump-table-density", Value::word},
    {"jtd", Value::word},
    {"uumn", Value::switched},
    {"frandom-seed", Value::word},
    {"device-stack-protector", Value::switched},
    {"extensible-whole-program", Value::switched},
    {"ewp", Value::switched},
    {"relocatable-device-code", Value::switched},
    {"rdc", Value::switched},
    {"device-debug", Value::switched},
    {"G", Value::switched},
    {"generate-line-info", Value::switched},
    {"lineinfo", Value::switched},
    {"no-lineinfo-inlined-at", Value::switched},
    {"no-lineinfo-ia", Value::switched},
    {"discard-value-names", Value::switched},
    {"disable-warnings", Value::switched},
    {"w", Value::switched},
    {"diag-error", Value::word},
    {"diag-suppress", Value::word},
    {"diag-warn", Value::word},
    {"display-error-number", Value::switched},
    {"err-no", Value::switched},
    {"no-display-error-number", Value::switched},
    {"no-err-no", Value::switched},
    {"brief-diagnostics", Value::switched},
    {"brief-diag", Value::switched},
    {"optimization-info", Value::word},
    {"opt-info", Value::word},
    {"ptxas-options", Value::ptxas},
    {"Xptxas", Value::ptxas},
});

// ptxas has options that read and write files, too: --options-file, --compiler-stats-file.
constexpr std::array kAllowedOfPtxas = std::to_array<Allowed>({
    {"v", Value::switched},
    {"verbose", Value::switched},
    {"O0", Value::switched},
    {"O1", Value::switched},
    {"O2", Value::switched},
    {"O3", Value::switched},
    {"O4", Value::switched},
    {"opt-level", Value::word},
    {"allow-expensive-optimizations", Value::switched},
    {"fmad", Value::switched},
    {"maxrregcount", Value::word},
    {"minnctapersm", Value::word},
    {"maxntid", Value::word},
    {"override-directive-values", Value::switched},
    {"register-usage-level", Value::word},
    {"regUsageLevel", Value::word},
    {"def-load-cache", Value::word},
    {"dlcm", Value::word},
    {"def-store-cache", Value::word},
    {"dscm", Value::word},
    {"force-load-cache", Value::word},
    {"flcm", Value::word},
    {"force-store-cache", Value::word},
    {"fscm", Value::word},
    {"disable-optimizer-constants", Value::switched},
    {"disable-optimizer-consts", Value::switched},
    {"optimize-float-atomics", Value::switched},
    {"opt-fp-atomics", Value::switched},
    {"Ofast-compile", Value::word},
    {"Ofc", Value::word},
    {"split-compile", Value::word},
    {"generate-line-info", Value::switched},
    {"lineinfo", Value::switched},
    {"device-debug", Value::switched},
    {"g", Value::switched},
    {"warn-on-spills", Value::switched},
    {"warn-spills", Value::switched},
    {"warn-on-local-memory-usage", Value::switched},
    {"warn-lmem-usage", Value::switched},
    {"warn-on-double-precision-use", Value::switched},
    {"warn-double-usage", Value::switched},
    {"suppress-double-demote-warning", Value::switched},
    {"suppress-stack-size-warning", Value::switched},
    {"disable-warnings", Value::switched},
    {"w", Value::switched},
    {"warning-as-error", Value::switched},
    {"Werror", Value::switched},
    {"suppress-async-bulk-multicast-advisory-warning", Value::switched},
    {"make-errors-visible-at-exit", Value::switched},
    {"return-at-end", Value::switched},
    {"ret-end", Value::switched},
    {"sp-bounds-check", Value::switched},
    {"position-independent-code", Value::switched},
    {"pic", Value::switched},
});

constexpr std::string_view kWhatIsPassed =
    "a description may give only options that affect the language or the machine code, such as --use_fast_math, "
    "--fmad=false, --maxrregcount=64, -std=c++20, -DNAME=1 or --ptxas-options=-v (docs/directives.md lists them), and "
    "none that read or write files or run other programs";

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
}

bool is_word(std::string_view text) {
  constexpr std::string_view kSigns = "_.,:+-";
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kSigns.find(c) != std::string_view::npos;
  });
}

bool fits(std::string_view value, Value kind);

/// Of an option that has a name: what stands behind the name, with its `=`.
std::optional<std::string_view> behind(std::string_view option, const Allowed& allowed) {
  const bool two_dashes = option.starts_with("--");
  option.remove_prefix(two_dashes ? 2 : 1);
  if (!option.starts_with(allowed.name)) return std::nullopt;
  option.remove_prefix(allowed.name.size());
  const bool is_letter = allowed.name.size() == 1 && allowed.value == Value::text;
  if (is_letter) return two_dashes || option.empty() ? std::nullopt : std::optional(option);
  return option.empty() || option.front() == '=' ? std::optional(option) : std::nullopt;
}

bool is_allowed(std::string_view option, std::span<const Allowed> list) {
  if (!option.starts_with('-')) return false;
  return std::any_of(list.begin(), list.end(), [&](const Allowed& allowed) {
    const std::optional<std::string_view> rest = behind(option, allowed);
    if (!rest) return false;
    return fits(*rest, allowed.value);
  });
}

/// `value` with its `=`, if it has one.
bool fits(std::string_view value, Value kind) {
  const std::string_view text = value.starts_with('=') ? value.substr(1) : value;
  switch (kind) {
    case Value::switched:
      return value.empty() || text == "true" || text == "false";
    case Value::word:
      return !text.empty() && is_word(text);
    case Value::text:
      return !text.empty();
    case Value::ptxas:
      return is_allowed(text, kAllowedOfPtxas);
  }
  return false;
}

std::string without_value(std::string_view option) {
  return std::string(option.substr(0, option.find_first_of("= ")));
}

std::string nearest(std::string_view option) {
  std::vector<std::string> names;
  for (const Allowed& allowed : kAllowed) {
    if (allowed.name.size() > 2) names.push_back("--" + std::string(allowed.name));
  }
  const std::string name = without_value(option);
  const std::string found = search::nearest_name(name.starts_with("--") ? name : "-" + name, names);
  return found.empty() || found == name || found == "-" + name ? "" : fmt::format(" (did you mean `{}`?)", found);
}

}  // namespace

std::optional<std::string> why_refused(std::string_view option) {
  if (!std::any_of(option.begin(), option.end(), is_control) && is_allowed(option, kAllowed)) return std::nullopt;
  return fmt::format("the compiler option {} is not allowed{}: {}", search::quote(search::shortened(option)),
                     nearest(option), kWhatIsPassed);
}

bool value_follows(std::string_view option) {
  if (option == "-D" || option == "-U" || option == "-I") return true;
  return std::any_of(kAllowed.begin(), kAllowed.end(), [&](const Allowed& allowed) {
    if (allowed.value == Value::switched || allowed.name.size() == 1) return false;
    const std::optional<std::string_view> rest = option.starts_with('-') ? behind(option, allowed) : std::nullopt;
    return rest && rest->empty();
  });
}

std::string joined_option(std::string_view option, std::string_view value) {
  const bool is_letter = option.size() == 2;
  return fmt::format("{}{}{}", option, is_letter ? "" : "=", value);
}

}  // namespace tuner
