#include "tuner/engine/session/t1_edit.hpp"

#include <fmt/format.h>

namespace tuner::engine {
namespace {

bool quotes(const std::string& message, const std::string& name) {
  return message.find(fmt::format("'{}'", name)) != std::string::npos ||
         message.find(fmt::format("`{}`", name)) != std::string::npos;
}

const char* edit_after(Outcome outcome) {
  switch (outcome) {
    case Outcome::input_modified:
      return "set its AccessType to ReadWrite, or to WriteOnly if the kernel does not read it";
    case Outcome::guard_violation:
    case Outcome::illegal_access:
      return "its Size is probably too small for this launch";
    default:
      return nullptr;
  }
}

}  // namespace

std::string t1_edit(const KernelDescription& description, Outcome outcome, const std::string& message) {
  const char* const edit = edit_after(outcome);
  if (edit == nullptr) return {};
  for (const Argument& argument : description.arguments) {
    const bool is_t1 = argument.place.line == 0 && !argument.place.file.empty();
    if (is_t1 && quotes(message, argument.name)) return fmt::format(" {}: {}.", argument.place.file, edit);
  }
  return {};
}

}  // namespace tuner::engine
