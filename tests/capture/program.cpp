// A program that launches kernels with the fake driver and knows nothing of the tuner's injected library. Its words are
// what it does, in order; those whose kernels change memory are in adding.cpp and working.cpp.
#include <dlfcn.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/capture/adding.hpp"
#include "tests/capture/driver_calls.hpp"
#include "tests/capture/working.hpp"
#include "tuner/capture/message.hpp"
#include "tuner/driver/driver.hpp"

namespace {

using namespace tuner;

void launch(const std::string& instructions, unsigned blocks, int times, CUstream stream = nullptr) {
  test::use_context();
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  cuda::check(cuda::driver().load_module(&module, ("records " + instructions).c_str(), 0, nullptr, nullptr), "load");
  cuda::check(cuda::driver().module_function(&function, module, "kernel"), "cuModuleGetFunction");
  for (int i = 0; i < times; ++i)
    cuda::check(cuda::driver().launch(function, blocks, 1, 1, 256, 1, 1, 512, stream, nullptr, nullptr), "launch");
}

/// Three kernels: most of the time in one with two shapes.
void launch_three() {
  launch("called=_Z5scaleIfEvPT_i time=6000 registers=40 shared=1024", 64, 3);
  launch("called=_Z5scaleIfEvPT_i time=2000 registers=40 shared=1024", 8, 1);
  launch("called=plain time=5000", 16, 2);
  launch("called=_ZN3cub18DeviceReduceKernelEPf time=1000", 1, 2);
}

/// The socket that a program inherits, as any code in it could find it.
int socket_of_tuner() {
  int socket = -1;
  std::sscanf(std::getenv(capture::kToVariable), "%d", &socket);
  return socket;
}

void send_nonsense() {
  capture::MessageHead head{.kind = capture::MessageKind::launches};
  const std::string empty, cut(reinterpret_cast<const char*>(&head), 3), unknown(5000, '\xff');
  std::string endless(reinterpret_cast<const char*>(&head), sizeof head);
  endless.append(100000, 'x');
  for (const std::string& packet : {cut, unknown, endless, std::string(sizeof head, '\0')})
    send(socket_of_tuner(), packet.data(), packet.size(), MSG_NOSIGNAL);
}

void subscribe() {
  void* const cupti = dlopen(std::getenv("TUNER_CUPTI"), RTLD_NOW);
  void* handle = nullptr;
  reinterpret_cast<int (*)(void**, void*, void*)>(dlsym(cupti, "cuptiSubscribe"))(&handle, nullptr, nullptr);
}

void wait_for_flushes(int more) {
  void* const cupti = dlopen(std::getenv("TUNER_CUPTI"), RTLD_NOW | RTLD_NOLOAD);
  const auto count = reinterpret_cast<int (*)()>(dlsym(cupti, "fake_cupti_flushes"));
  for (const int last = count() + more; count() < last;) usleep(1000);
}

void launch_graph() {
  test::use_context();
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  CUgraphExec instance = nullptr;
  cuda::check(cuda::driver().create_stream(&stream, 0), "cuStreamCreate");
  test::driver_call<PFN_cuStreamBeginCapture_v10010>("cuStreamBeginCapture")(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
  launch("called=in_graph time=3000", 4, 1, stream);
  test::driver_call<PFN_cuStreamEndCapture_v10000>("cuStreamEndCapture")(stream, &graph);
  test::driver_call<PFN_cuGraphInstantiateWithFlags_v11040>("cuGraphInstantiate")(&instance, graph, 0);
  test::driver_call<PFN_cuGraphLaunch_v10000>("cuGraphLaunch")(instance, stream);
}

[[noreturn]] void send_without_end() {
  for (int process = 1;; ++process) {
    const capture::MessageHead head{.kind = capture::MessageKind::hello, .process = process};
    send(socket_of_tuner(), &head, sizeof head, MSG_NOSIGNAL);
  }
}

int end_of_own_socket = -1;
/// A socket of the program's own gets the number of the tuner's.
void replace_socket() {
  int ends[2] = {-1, -1};
  socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends);
  dup2(ends[0], socket_of_tuner());
  end_of_own_socket = ends[1];
}

volatile std::sig_atomic_t woken = 0;

void run(const std::string& word) {
  if (test::run_adding(word) || test::run_working(word)) return;
  if (word == "launch") launch_three();
  if (word == "threads") {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([] { launch("called=threaded time=1000", 2, 500); });
    for (std::thread& thread : threads) thread.join();
  }
  if (word == "graph") launch_graph();
  if (word == "settle") wait_for_flushes(2);  // then what was launched has been sent
  if (word == "flush") wait_for_flushes(1);
  if (word == "interrupt") kill(getppid(), SIGUSR1);
  if (word == "long") {
    for (int i = 0; i < 100000 && woken == 0; ++i) usleep(10000);
  }
  if (word == "deaf") signal(SIGTERM, SIG_IGN);
  if (word == "wakes") signal(SIGTERM, [](int) { woken = 1; });
  if (word == "shapes") {
    for (unsigned blocks = 1; blocks <= 2000; ++blocks) launch("called=shaped", blocks, 1);
  }
  if (word == "_exit") _exit(3);
  if (word == "three") std::exit(3);
  if (word == "die") raise(SIGKILL);
  if (word == "fork") {
    if (fork() == 0) std::exit(0);
    wait(nullptr);
  }
  if (word == "nonsense") send_nonsense();
  if (word == "flood") {
    for (int i = 0; i < 3; ++i) std::thread(send_without_end).detach();
    send_without_end();
  }
  if (word == "replace") replace_socket();
  if (word == "read") {
    char byte = 0;
    if (recv(end_of_own_socket, &byte, 1, MSG_DONTWAIT) >= 0) _exit(9);
  }
  if (word == "names") {
    launch("called=" + std::string(100000, 'x'), 1, 1);
    launch("called=\x1b[31m\xff", 1, 1);
  }
  if (word == "folder" && chdir("/") != 0) _exit(9);
  if (word == "replaced") execl("/proc/self/exe", "program", "launch", nullptr);
  if (word == "subscribe") subscribe();
  if (word == "close") close(socket_of_tuner());
  if (word == "tell") std::fputs("settled\n", stderr);
  if (word == "flushed" && write(STDOUT_FILENO, "flushed\n", 8) != 8) _exit(9);
  if (word == "print") std::printf("printed\n");
  if (word == "addresses") std::printf("%s\n", personality(0xffffffff) & ADDR_NO_RANDOMIZE ? "fixed" : "random");
  if (word == "signals") std::printf("%s\n", signal(SIGPIPE, SIG_DFL) == SIG_DFL ? "default" : "ignored");
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) run(argv[i]);
}
