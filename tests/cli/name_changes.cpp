// Preloaded into a program: kill -9 right before the change of a name with the number $TUNER_TEST_KILLED_CHANGE, from
// 1, and with $TUNER_TEST_NO_EXCHANGE a file system that can only rename. A transaction ends by removing its journal.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

namespace {

void change() {
  static int changes = 0;
  const char* const killed = getenv("TUNER_TEST_KILLED_CHANGE");
  if (killed != nullptr && ++changes == atoi(killed)) raise(SIGKILL);
}

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  if (flags != 0 && getenv("TUNER_TEST_NO_EXCHANGE") != nullptr) {
    errno = EINVAL;
    return -1;
  }
  change();
  return real<decltype(&renameat2)>("renameat2")(from_folder, from, to_folder, to, flags);
}

extern "C" int rename(const char* from, const char* to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

extern "C" int unlink(const char* path) {
  change();
  return real<decltype(&unlink)>("unlink")(path);
}
