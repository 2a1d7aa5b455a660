#include "tuner/engine/searching/t1_edit.hpp"

#include <fmt/format.h>

#include <string_view>

#include "tuner/core/signature/signature.hpp"

namespace tuner::engine {
namespace {

bool quotes(const std::string& message, const std::string& name) {
  return message.find(fmt::format("'{}'", name)) != std::string::npos ||
         message.find(fmt::format("`{}`", name)) != std::string::npos;
}

/// After what a search for reads beside buffers found (overread_search.cpp).
std::string edit_after_search(const std::string& name, const std::string& message) {
  const auto says = [&](const std::string& words) { return message.find(words) != std::string::npos; };
  if (says(fmt::format("declare `{}` as inout", name))) return "set its AccessType to ReadWrite";
  const std::string larger = says(fmt::format("behind `{}`", name)) ? "its Size is probably too small" : "";
  constexpr std::string_view kPad = "`pad ";
  const std::size_t end = message.find(fmt::format("` in the directive of `{}`", name));
  const std::size_t begin = end == std::string::npos ? end : message.rfind(kPad, end);
  if (begin == std::string::npos) return larger;
  const std::string bytes = message.substr(begin + kPad.size(), end - begin - kPad.size());
  return fmt::format("{}add \"Padding\": {} to allow such reads", larger.empty() ? "" : larger + "; or ", bytes);
}

std::string edit_after(Outcome outcome, const std::string& name, const std::string& message) {
  switch (outcome) {
    case Outcome::input_modified:
      return "set its AccessType to ReadWrite, or to WriteOnly if the kernel does not read it";
    case Outcome::guard_violation:
      return "its Size is probably too small for this launch";
    case Outcome::illegal_access:
      return edit_after_search(name, message);
    default:
      return {};
  }
}

/// The words of a compile that failed (failure_sentence.cpp).
bool says_missing_header(const std::string& message) {
  return message.find("was not found: name its folder with -I") != std::string::npos;
}

}  // namespace

std::string t1_edit(const KernelDescription& description, Outcome outcome, const std::string& message) {
  std::string edits;
  for (const Argument& argument : description.arguments) {
    if (!is_t1(argument) || !quotes(message, argument.name)) continue;
    // What a sum of the old content and something else shows, or a content that was never there.
    const bool is_unwritten = outcome == Outcome::nondeterministic && argument.role == Argument::Role::out;
    if (is_unwritten)
      edits += fmt::format(" {}.AccessType: set ReadWrite if the kernel reads it.", argument.place.file);
    const std::string edit = edit_after(outcome, argument.name, message);
    if (!edit.empty()) edits += fmt::format(" {}: {}.", argument.place.file, edit);
  }
  if (!description.is_from_t1()) return edits;
  const std::string& kernel = description.place.file;
  if (outcome == Outcome::compile_error && says_missing_header(message)) {
    edits += fmt::format(" {}.CompilerOptions: add \"-I DIR\".", kernel.substr(0, kernel.rfind('.')));
  }
  return edits;
}

}  // namespace tuner::engine
