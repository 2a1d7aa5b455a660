// Preloaded into a program, makes every file system one without locks, as NFS without its lock service is.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>

#include <cstdarg>

namespace {

bool locks(int command) {
  return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

int answer(const char* name, int descriptor, int command, void* argument) {
  if (locks(command)) {
    errno = ENOLCK;
    return -1;
  }
  using Function = int (*)(int, int, ...);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
  return real(descriptor, command, argument);
}

}  // namespace

#define FORWARD(name)                                     \
  extern "C" int name(int descriptor, int command, ...) { \
    va_list arguments;                                    \
    va_start(arguments, command);                         \
    void* const argument = va_arg(arguments, void*);      \
    va_end(arguments);                                    \
    return answer(#name, descriptor, command, argument);  \
  }

FORWARD(fcntl)
FORWARD(fcntl64)
