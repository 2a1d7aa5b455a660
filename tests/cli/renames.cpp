// Preloaded into a program: kill -9 right before the rename with the number $TUNER_TEST_KILLED_RENAME, from 1, and with
// $TUNER_TEST_NO_EXCHANGE a file system that can only rename.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

extern "C" int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  static int renames = 0;
  if (flags != 0 && getenv("TUNER_TEST_NO_EXCHANGE") != nullptr) {
    errno = EINVAL;
    return -1;
  }
  const char* const killed = getenv("TUNER_TEST_KILLED_RENAME");
  if (killed != nullptr && ++renames == atoi(killed)) raise(SIGKILL);
  static const auto real = reinterpret_cast<decltype(&renameat2)>(dlsym(RTLD_NEXT, "renameat2"));
  return real(from_folder, from, to_folder, to, flags);
}

extern "C" int rename(const char* from, const char* to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}
