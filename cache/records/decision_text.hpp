#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tuner::cache {

/// What a text says of its decision. Databases name it by `to_string`.
enum class TextKind : std::uint8_t {
  source,   ///< the kernel's source; its name is that of the file
  header,   ///< a header of the user's that it was compiled with; its name is the one in the include
  samples,  ///< what the final race measured; its name is the configuration, the text to_json of nanoseconds
  insight,  ///< what `tuner explain` found, as JSON; its name is kExplanation
  /// What is known of the kernel over all its problems, as JSON; the newest of a kernel on a GPU counts. Its name is
  /// kAllSizes, or kRuleOfSizes where it is what programs need of it.
  sizes,
};

/// The names in databases, in the order of the enumerators. Never rename one.
inline constexpr std::array<std::string_view, 5> kTextKinds{"source", "header", "samples", "insight", "sizes"};

constexpr std::string_view to_string(TextKind kind) {
  const auto number = static_cast<std::size_t>(kind);
  return number < kTextKinds.size() ? kTextKinds[number] : "unknown";
}
/// The kind of that name; nothing if none is called so.
constexpr std::optional<TextKind> text_kind_from_string(std::string_view text) {
  for (std::size_t i = 0; i < kTextKinds.size(); ++i) {
    if (kTextKinds[i] == text) return TextKind(i);
  }
  return std::nullopt;
}

inline constexpr std::string_view kAllSizes = "", kRuleOfSizes = "rule";
/// The name of an insight.
inline constexpr std::string_view kExplanation = "explain";

/// A long text that belongs to a decision. It is read only when somebody asks for it; a decision has at most one of
/// each kind and name.
struct DecisionText {
  TextKind kind = TextKind::source;
  std::string name;
  std::string text;
  bool operator==(const DecisionText&) const = default;
};

inline bool is_explanation(const DecisionText& text) {
  return text.kind == TextKind::insight && text.name == kExplanation;
}

}  // namespace tuner::cache
