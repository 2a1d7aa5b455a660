// Preloaded into a program, makes a server of it: it comes as far as main() once, and then forks a process for every
// command line that it is sent, which runs main() as if it had been started with these words. What a campaign starts
// tens of thousands of times is loaded once.
//
// It reads packets from the socket whose number stands in $TUNER_ATTACK_SERVER: the folder to work in and the words,
// each ended by a zero byte; and descriptors: standard output, standard error and, perhaps, what becomes number 3. It
// answers twice: with the process's number, and with its status as waitpid gives it.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using Main = int (*)(int, char**, char**);

constexpr std::size_t kLongestRequest = 180 * 1024;
constexpr rlim_t kLongestFile = rlim_t{1} << 30;

Main the_main = nullptr;

struct Request {
  std::vector<char> text;
  std::vector<int> descriptors;
};

bool receive(int socket, Request& request) {
  request.text.resize(kLongestRequest);
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 4)];
  iovec part{request.text.data(), request.text.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  const ssize_t size = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  if (size <= 0) return false;
  request.text.resize(static_cast<std::size_t>(size));
  request.descriptors.clear();
  for (cmsghdr* each = CMSG_FIRSTHDR(&header); each != nullptr; each = CMSG_NXTHDR(&header, each)) {
    request.descriptors.resize((each->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(request.descriptors.data(), CMSG_DATA(each), sizeof(int) * request.descriptors.size());
  }
  return request.descriptors.size() >= 2;
}

/// The words of the request, for as long as the process lives.
std::vector<char*> words_of(Request& request) {
  std::vector<char*> words;
  char* const end = request.text.data() + request.text.size();
  for (char* at = request.text.data(); at < end; at += std::strlen(at) + 1) words.push_back(at);
  words.push_back(nullptr);
  return words;
}

[[noreturn]] void become(Request& request, int socket) {
  setpgid(0, 0);
  // A campaign that is killed leaves nothing behind.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(request.descriptors[0], STDOUT_FILENO);
  dup2(request.descriptors[1], STDERR_FILENO);
  close(socket);
  const bool connected = request.descriptors.size() > 2;
  if (connected) dup2(request.descriptors[2], 3);
  closefrom(connected ? 4 : 3);
  const rlimit limit{kLongestFile, kLongestFile};
  setrlimit(RLIMIT_FSIZE, &limit);
  std::vector<char*> words = words_of(request);
  if (words.size() < 3 || chdir(words[0]) != 0) _exit(126);
  const int code = the_main(static_cast<int>(words.size()) - 2, words.data() + 1, environ);
  // Destructors of what is static are other tests' business: a sanitizer makes them a third of a short process's life.
  std::fflush(nullptr);
  _exit(code);
}

int serve(int, char**, char**) {
  const int socket = std::atoi(std::getenv("TUNER_ATTACK_SERVER"));
  unsetenv("TUNER_ATTACK_SERVER");
  unsetenv("LD_PRELOAD");
  Request request;
  while (receive(socket, request)) {
    const pid_t pid = fork();
    if (pid == 0) become(request, socket);
    setpgid(pid, pid);
    for (const int each : request.descriptors) close(each);
    int status = -1;
    if (send(socket, &pid, sizeof pid, MSG_NOSIGNAL) < 0) break;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (send(socket, &status, sizeof status, MSG_NOSIGNAL) < 0) break;
  }
  _exit(0);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int __libc_start_main(Main real_main, int argc, char** argv,
                                                                        void (*init)(), void (*fini)(),
                                                                        void (*loader_fini)(), void* stack_end) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  the_main = real_main;
  return start(std::getenv("TUNER_ATTACK_SERVER") != nullptr ? serve : real_main, argc, argv, init, fini, loader_fini,
               stack_end);
}
