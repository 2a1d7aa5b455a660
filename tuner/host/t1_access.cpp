#include "tuner/host/t1_access.hpp"

#include <fmt/format.h>

namespace tuner::host {

std::string t1_access_edit(const KernelDescription& description, const std::string& buffer) {
  if (!description.is_from_t1()) return {};
  for (const Argument& argument : description.arguments) {
    if (argument.name != buffer || argument.role != Argument::Role::out) continue;
    return fmt::format("; {}.AccessType: set ReadWrite if the kernel reads it", argument.place.file);
  }
  return {};
}

}  // namespace tuner::host
