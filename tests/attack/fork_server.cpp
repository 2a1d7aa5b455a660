// Preloaded into a program, makes a server of it: it comes as far as main() once, and then forks processes that run
// main() as if they had been started with the words that they are sent. What a campaign starts tens of thousands of
// times is loaded once.
//
// A process runs $TUNER_ATTACK_LIVES command lines in turn: to fork one under AddressSanitizer, and to bring its pages
// in and out, takes longer than most commands do. It ends earlier if a command left a thread, a child or many
// descriptors behind. What a program's static variables keep between commands may hide a defect; hence the campaign
// repeats cases, and kills, with one command line a process.
//
// A process reads packets from the socket whose number stands in $TUNER_ATTACK_SERVER: how it is to be ended (see
// interruption.hpp), the folder to work in and the words, each ended by a zero byte; and descriptors: standard output,
// standard error and, perhaps, what becomes number 3. There are two answers, see Reply: the number of the process, and
// its status as waitpid gives it.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "tests/attack/interruption.hpp"
#include "tests/attack/reply.hpp"

namespace {

namespace attack = tuner::attack;

using Main = int (*)(int, char**, char**);

constexpr std::size_t kLongestRequest = 180 * 1024;
constexpr int kSocket = 500;
constexpr std::size_t kMostDescriptors = 16;
constexpr rlim_t kLongestFile = rlim_t{1} << 30;

Main the_main = nullptr;

struct Request {
  std::string_view text;  ///< in the buffer that the next one is received into
  std::vector<int> descriptors;
};

bool receive(int socket, Request& request) {
  static char buffer[kLongestRequest];
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 4)];
  iovec part{buffer, sizeof buffer};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  const ssize_t size = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  if (size <= 0) return false;
  request.text = {buffer, static_cast<std::size_t>(size)};
  for (cmsghdr* each = CMSG_FIRSTHDR(&header); each != nullptr; each = CMSG_NXTHDR(&header, each)) {
    request.descriptors.resize((each->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(request.descriptors.data(), CMSG_DATA(each), sizeof(int) * request.descriptors.size());
  }
  return request.descriptors.size() >= 2;
}

std::vector<char*> words_of(const Request& request) {
  std::vector<char*> words;
  const char* const end = request.text.data() + request.text.size();
  for (const char* at = request.text.data(); at < end; at += std::strlen(at) + 1)
    words.push_back(const_cast<char*>(at));
  words.push_back(nullptr);
  return words;
}

/// What the server and its process know of the command line that is being run.
struct Turn {
  std::atomic<std::uint64_t> number{0};  ///< of command lines so far
  std::atomic<bool> running{false};      ///< it has not been answered for
  std::atomic<bool> over{false};         ///< there will be no more
};

bool answer(int socket, const Turn& turn, int value) {
  const attack::Reply reply{turn.number, value};
  return send(socket, &reply, sizeof reply, MSG_NOSIGNAL) == sizeof reply;
}

/// What the program keeps open for the next command line stays: it knows its descriptors by their numbers.
void take_descriptors(const Request& request) {
  std::vector<int> from = request.descriptors;
  from.insert(from.begin(), open("/dev/null", O_RDONLY));
  for (int number = 0; number < static_cast<int>(from.size()); ++number) {
    dup2(from[static_cast<std::size_t>(number)], number);
    close(from[static_cast<std::size_t>(number)]);
  }
}

/// What is a process's own and not a variable of the program, as it is at a start.
void begin_anew() {
  for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGPIPE, SIGXFSZ}) signal(each, SIG_DFL);
  alarm(0);
  for (FILE* each : {stdin, stdout, stderr}) clearerr(each);
}

int run_main(const Request& request) {
  take_descriptors(request);
  begin_anew();
  std::vector<char*> words = words_of(request);
  if (words.size() < 4 || chdir(words[1]) != 0) _exit(126);
  attack::interrupt_at(words[0]);
  const int code = the_main(static_cast<int>(words.size()) - 3, words.data() + 2, environ);
  std::fflush(nullptr);
  attack::print_changes();
  return code & 0xff;
}

std::size_t entries_of(const char* folder) {
  DIR* const opened = opendir(folder);
  if (opened == nullptr) return 0;
  std::size_t count = 0;
  while (const dirent* entry = readdir(opened)) count += entry->d_name[0] == '.' ? 0 : 1;
  closedir(opened);
  return count;
}

/// Whether a command has left what the next would not find in a process of its own. A descriptor is no such thing:
/// the program keeps some of databases, since to close them would give up locks.
bool left_something() {
  return waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD || entries_of("/proc/self/task") != 1 ||
         entries_of("/proc/self/fd") > kMostDescriptors;
}

/// Runs command lines until there are no more, or it is to be a new process that runs the next.
[[noreturn]] void run_command_lines(Turn& turn, int lives) {
  setpgid(0, 0);
  // A campaign that is killed leaves nothing behind.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit limit{kLongestFile, kLongestFile};
  setrlimit(RLIMIT_FSIZE, &limit);
  while (true) {
    Request request;
    if (!receive(kSocket, request)) {
      turn.over = true;
      _exit(0);
    }
    ++turn.number;
    turn.running = true;
    if (!answer(kSocket, turn, getpid())) _exit(0);
    const int code = run_main(request);
    // Destructors of what is static are other tests' business: a sanitizer makes them a third of a short process's
    // life.
    if (--lives <= 0 || left_something()) _exit(code);
    if (!answer(kSocket, turn, code << 8)) _exit(0);
    turn.running = false;
  }
}

int serve(int, char**, char**) {
  // Where no program looks for it.
  dup3(std::atoi(std::getenv("TUNER_ATTACK_SERVER")), kSocket, O_CLOEXEC);
  const int lives = std::atoi(std::getenv("TUNER_ATTACK_LIVES"));
  for (const char* each : {"TUNER_ATTACK_SERVER", "TUNER_ATTACK_LIVES", "LD_PRELOAD"}) unsetenv(each);
  close_range(STDERR_FILENO + 1, kSocket - 1, 0);
  void* const shared = mmap(nullptr, sizeof(Turn), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) _exit(127);
  Turn& turn = *new (shared) Turn;
  while (!turn.over) {
    const pid_t pid = fork();
    if (pid < 0) _exit(127);
    if (pid == 0) run_command_lines(turn, lives);
    int status = -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    // One that was killed when it had just answered is answered for twice; the campaign goes by the number.
    if (turn.running.exchange(false) && !answer(kSocket, turn, status)) break;
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
