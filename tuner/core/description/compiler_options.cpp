#include "tuner/core/description/compiler_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "search/expression/expression.hpp"
#include "search/expression/quoting.hpp"
#include "tuner/core/base/words.hpp"

namespace tuner {
namespace {

/// What may stand behind the name.
enum class Value {
  switched,  ///< nothing, or =true or =false
  word,      ///< =word: a number or a name
  words,     ///< =words with commas between them
  text,      ///< any text: -DNAME=text, -I folder
  ptxas,     ///< options of ptxas with commas between them
};

/// Options that take the same kind of value: their names without dashes, with a blank between two.
struct Allowed {
  Value value;
  std::string_view names;
};

// One letter stands with one dash and its value right behind it; all else with one dash or two, as NVRTC has them.
constexpr std::string_view kTexts = "D define-macro U undefine-macro I include-path";
constexpr std::string_view kWords =
    "std gpu-architecture arch maxrregcount dopt Ofast-compile Ofc split-compile jump-table-density jtd "
    "frandom-seed";
constexpr std::string_view kLists = "diag-error diag-suppress diag-warn optimization-info opt-info";
constexpr std::string_view kSwitches =
    "no-source-include builtin-move-forward builtin-initializer-list restrict device-as-default-execution-space "
    "default-device device-int128 device-float128 minimal no-cache modify-stack-limit use_fast_math fmad ftz "
    "prec-sqrt prec-div fassociative-math extra-device-vectorization uumn device-stack-protector "
    "extensible-whole-program ewp relocatable-device-code rdc device-debug G generate-line-info lineinfo "
    "no-lineinfo-inlined-at no-lineinfo-ia discard-value-names disable-warnings w display-error-number err-no "
    "no-display-error-number no-err-no brief-diagnostics brief-diag";
constexpr Allowed kAllowed[] = {{Value::text, kTexts},
                                {Value::word, kWords},
                                {Value::words, kLists},
                                {Value::switched, kSwitches},
                                {Value::ptxas, "ptxas-options Xptxas"}};

// ptxas has options that read and write files, too: --options-file, --compiler-stats-file.
constexpr std::string_view kWordsOfPtxas =
    "opt-level maxrregcount minnctapersm maxntid register-usage-level regUsageLevel def-load-cache dlcm "
    "def-store-cache dscm force-load-cache flcm force-store-cache fscm Ofast-compile Ofc split-compile";
constexpr std::string_view kSwitchesOfPtxas =
    "v verbose O0 O1 O2 O3 O4 allow-expensive-optimizations fmad override-directive-values "
    "disable-optimizer-constants disable-optimizer-consts optimize-float-atomics opt-fp-atomics generate-line-info "
    "lineinfo device-debug g warn-on-spills warn-spills warn-on-local-memory-usage warn-lmem-usage "
    "warn-on-double-precision-use warn-double-usage suppress-double-demote-warning suppress-stack-size-warning "
    "disable-warnings w warning-as-error Werror suppress-async-bulk-multicast-advisory-warning "
    "make-errors-visible-at-exit return-at-end ret-end sp-bounds-check position-independent-code pic";
constexpr Allowed kAllowedOfPtxas[] = {{Value::word, kWordsOfPtxas}, {Value::switched, kSwitchesOfPtxas}};

constexpr std::string_view kWhatIsPassed =
    "a description may give only options that affect the language or the machine code, such as --use_fast_math, "
    "--fmad=false, --maxrregcount=64, -std=c++20, -DNAME=1 or --ptxas-options=-v (docs/directives.md lists them), and "
    "none that read or write files or run other programs";

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
}

bool is_word(std::string_view text) {
  constexpr std::string_view kSigns = ".:+-";
  return !text.empty() && !text.starts_with('-') && std::all_of(text.begin(), text.end(), [&](char c) {
    return is_word_character(c) || kSigns.find(c) != std::string_view::npos;
  });
}

/// Whether `holds` is true of each part between commas. nvcc hands each on as a word of its own.
template <typename Holds>
bool all_parts(std::string_view list, Holds holds) {
  for (std::size_t at = 0, end = 0; at <= list.size(); at = end + 1) {
    end = std::min(list.find(',', at), list.size());
    if (!holds(list.substr(at, end - at))) return false;
  }
  return true;
}

bool fits(std::string_view value, Value kind);

/// Of an option that has a name: what stands behind the name, with its `=`.
std::optional<std::string_view> behind(std::string_view option, std::string_view name, Value kind) {
  const bool two_dashes = option.starts_with("--");
  option.remove_prefix(two_dashes ? 2 : 1);
  if (!option.starts_with(name)) return std::nullopt;
  option.remove_prefix(name.size());
  const bool is_letter = name.size() == 1 && kind == Value::text;
  if (is_letter) return two_dashes || option.empty() ? std::nullopt : std::optional(option);
  return option.empty() || option.front() == '=' ? std::optional(option) : std::nullopt;
}

/// Whether `matches(name, kind of value)` holds for one of the names.
template <typename Matches>
bool any_name(std::span<const Allowed> list, Matches matches) {
  for (const auto& [kind, names] : list) {
    for (std::size_t at = 0, end = 0; at < names.size(); at = end + 1) {
      end = std::min(names.find(' ', at), names.size());
      if (matches(names.substr(at, end - at), kind)) return true;
    }
  }
  return false;
}

bool is_allowed(std::string_view option, std::span<const Allowed> list) {
  return option.starts_with('-') && any_name(list, [&](std::string_view name, Value kind) {
           const std::optional<std::string_view> rest = behind(option, name, kind);
           return rest && fits(*rest, kind);
         });
}

/// `value` with its `=`, if it has one.
bool fits(std::string_view value, Value kind) {
  const std::string_view text = value.starts_with('=') ? value.substr(1) : value;
  switch (kind) {
    case Value::switched:
      return value.empty() || text == "true" || text == "false";
    case Value::word:
      return is_word(text);
    case Value::words:
      return all_parts(text, is_word);
    case Value::text:
      return !text.empty();
    case Value::ptxas:
      return all_parts(text, [](std::string_view part) { return is_allowed(part, kAllowedOfPtxas); });
  }
  return false;
}

std::string without_value(std::string_view option) {
  return std::string(option.substr(0, option.find_first_of("= ")));
}

std::string nearest(std::string_view option) {
  std::vector<std::string> names;
  any_name(kAllowed, [&](std::string_view name, Value) {
    if (name.size() > 2) names.push_back("--" + std::string(name));
    return false;
  });
  const std::string name = without_value(option);
  const std::string found = search::nearest_name(name.starts_with("--") ? name : "-" + name, names);
  return found.empty() || found == name || found == "-" + name ? "" : fmt::format(" (did you mean `{}`?)", found);
}

/// The version that `-std=` asks for; nothing for other options.
std::optional<std::string_view> language_of(std::string_view option) {
  while (option.starts_with('-')) option.remove_prefix(1);
  if (!option.starts_with("std=")) return std::nullopt;
  return option.substr(4);
}

std::optional<std::string> why_no_language(std::string_view option) {
  constexpr std::array<std::string_view, 6> kLanguages{"c++03", "c++11", "c++14", "c++17", "c++20", "c++23"};
  const auto language = language_of(option);
  if (!language || std::find(kLanguages.begin(), kLanguages.end(), *language) != kLanguages.end()) return std::nullopt;
  return fmt::format("the run-time compiler has no language {}: choose one of {}",
                     search::quote(search::shortened(*language)), fmt::join(kLanguages, ", "));
}

}  // namespace

std::optional<std::string> why_refused(std::string_view option) {
  if (!std::any_of(option.begin(), option.end(), is_control) && is_allowed(option, kAllowed)) {
    return why_no_language(option);
  }
  return fmt::format("the compiler option {} is not allowed{}: {}", search::quote(search::shortened(option)),
                     nearest(option), kWhatIsPassed);
}

bool value_follows(std::string_view option) {
  if (option == "-D" || option == "-U" || option == "-I") return true;
  return option.starts_with('-') && any_name(kAllowed, [&](std::string_view name, Value kind) {
           if (kind == Value::switched || name.size() == 1) return false;
           const std::optional<std::string_view> rest = behind(option, name, kind);
           return rest && rest->empty();
         });
}

std::optional<std::string_view> include_folder(std::string_view option) {
  for (const std::string_view name : {"-I", "--include-path=", "-include-path="}) {
    if (option.starts_with(name)) return search::trimmed(option.substr(name.size()));
  }
  return std::nullopt;
}

std::string joined_option(std::string_view option, std::string_view value) {
  const bool is_letter = option.size() == 2;
  return fmt::format("{}{}{}", option, is_letter ? "" : "=", value);
}

}  // namespace tuner
