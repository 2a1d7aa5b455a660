// Starts other programs in the ways that builds do: starter MANNER [WORDS].
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

extern char** environ;

namespace {

volatile sig_atomic_t seen = 0;

int code_of(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

int spawn(char** words) {
  pid_t pid = 0;
  return posix_spawn(&pid, words[0], nullptr, nullptr, words, environ) == 0 ? code_of(pid) : 98;
}

[[gnu::noinline]] int start_with_vfork(char** words) {
  const pid_t pid = vfork();
  if (pid == 0) {
    execv(words[0], words);
    _exit(97);
  }
  return code_of(pid);
}

int start_from_thread(char** words) {
  std::thread([words] { execv(words[0], words); }).join();
  return 96;
}

/// From two threads at once, each its own.
int start_from_threads(char** words) {
  int codes[2] = {};
  std::thread first([&] { codes[0] = spawn(words); });
  std::thread second([&] { codes[1] = start_with_vfork(words); });
  first.join();
  second.join();
  return codes[0] + codes[1];
}

/// `{N}` in a word stands for its number.
int start_many(int count, char** words) {
  std::vector<pid_t> all;
  for (int i = 0; i < count; ++i) {
    const pid_t pid = fork();
    if (pid != 0) {
      all.push_back(pid);
      continue;
    }
    char name[64];
    std::snprintf(name, sizeof name, "%d.cu", i);
    for (char** word = words; *word != nullptr; ++word) {
      if (std::strcmp(*word, "{N}.cu") == 0) *word = name;
    }
    execv(words[0], words);
    _exit(97);
  }
  int sum = 0;
  for (const pid_t pid : all) sum += code_of(pid);
  return sum;
}

/// Leaves a process in a session of its own that says who it is, then that it still runs.
int leave_daemon(const char* file) {
  if (fork() != 0) return 0;
  setsid();
  if (fork() != 0) _exit(0);
  for (int i = 0; i < 6000; ++i) {
    if (std::FILE* const out = std::fopen(file, "w")) {
      std::fprintf(out, "%d %d\n", static_cast<int>(getpid()), i);
      std::fclose(out);
    }
    if (fork() == 0) _exit(0);  // whoever watches it would have to let it go on
    wait(nullptr);
    usleep(10000);
  }
  _exit(0);
}

/// A child stops, is seen to have stopped, and goes on: what a shell does with jobs.
int stop_and_go_on() {
  int gate[2] = {-1, -1};
  if (pipe(gate) != 0) return 4;
  const pid_t pid = fork();
  if (pid == 0) {
    close(gate[1]);
    raise(SIGSTOP);
    char end = 0;
    if (read(gate[0], &end, 1) != 0) _exit(8);
    _exit(7);  // once it was seen to go on
  }
  int status = 0;
  waitpid(pid, &status, WUNTRACED);
  if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGSTOP) return 1;
  kill(pid, SIGCONT);
  waitpid(pid, &status, WCONTINUED);
  if (!WIFCONTINUED(status)) return 2;
  close(gate[1]);
  return code_of(pid) == 7 ? 0 : 3;
}

int get_signals() {
  for (const int number : {SIGUSR1, SIGTRAP, SIGCHLD}) {
    signal(number, [](int) { seen = seen + 1; });
    raise(number);
  }
  return seen == 3 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view manner = argc > 1 ? argv[1] : "";
  char** const words = argv + 2;
  if (manner == "spawn") return spawn(words);
  if (manner == "vfork") return start_with_vfork(words);
  if (manner == "thread") return start_from_thread(words);
  if (manner == "threads") return start_from_threads(words);
  if (manner == "many") return start_many(std::atoi(words[0]), words + 1);
  if (manner == "daemon") return leave_daemon(words[0]);
  if (manner == "stop") return stop_and_go_on();
  if (manner == "signals") return get_signals();
  return 95;
}
