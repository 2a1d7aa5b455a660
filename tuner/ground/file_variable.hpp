#pragma once

#include <cstdlib>

#include <sys/auxv.h>

namespace tuner {

/// Whether this program runs with other rights than those of the user who started it: set-user-ID, set-group-ID, file
/// capabilities. Its environment is then that of a stranger.
inline bool has_rights_of_another() noexcept {
  return getauxval(AT_SECURE) != 0;
}

/// The environment variable, if it is set and not empty; else null. For every variable that names a file: in a program
/// with the rights of another it is not read, since the user would choose what these rights open.
inline const char* file_variable(const char* name) noexcept {
  const char* const value = secure_getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace tuner
