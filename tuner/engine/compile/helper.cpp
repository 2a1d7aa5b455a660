#include "tuner/engine/compile/helper.hpp"

#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "tuner/core/base/printable.hpp"
#include "tuner/engine/compile/compile_wire.hpp"
#include "tuner/engine/compile/memory_watch.hpp"
#include "tuner/engine/compile/nvcc_compiler.hpp"
#include "tuner/engine/compile/nvrtc_compiler.hpp"
#include "tuner/process/confinement.hpp"
#include "tuner/process/shortage.hpp"
#include "tuner/process/spawn.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TUNER_SANITIZED 1
#elif defined(__has_feature)  // Clang is asked
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TUNER_SANITIZED 1
#endif
#endif

namespace tuner::engine {
namespace {

constexpr rlim_t kStackBytes = rlim_t{64} << 20;  // NVRTC recurses; it is told not to raise this limit itself
constexpr std::chrono::milliseconds kTidying{600}, kGlance{2};  // of a worker that is told to end
constexpr rlim_t kMemoryBytes = rlim_t{16} << 30;               // address space of what no watch looks after

void limit(int resource, rlim_t wanted) {
  rlimit current{};
  if (getrlimit(static_cast<__rlimit_resource_t>(resource), &current) != 0) return;
  current.rlim_cur = std::min(wanted, current.rlim_max);
  setrlimit(static_cast<__rlimit_resource_t>(resource), &current);
}

// What everything here inherits.
void prepare_process() {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_STACK, kStackBytes);
#ifndef TUNER_SANITIZED  // sanitizers reserve terabytes
  limit(RLIMIT_AS, kMemoryBytes);
  // Workers live on: memory once touched is kept, because touching it again costs page faults in every compile.
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
  mallopt(M_MMAP_THRESHOLD, 256 << 20);
  mallopt(M_TOP_PAD, 16 << 20);
#endif
}

// At the lowest not SCHED_IDLE, which gets nothing at all where all cores are busy: a compile would not end.
void step_aside(int niceness) {
  constexpr int kLowest = 19;
  const sched_param none{};
  if (niceness >= kLowest) sched_setscheduler(0, SCHED_BATCH, &none);
  if (nice(niceness) == -1) errno = 0;  // refused: slower measurements, nothing worse
}

/// A log without why a file could not be opened, which tells a file that may not be read from one that is not there.
std::string without_reasons(std::string log) {
  for (const std::string_view said : {"cannot open ", "could not open "}) {
    for (std::size_t at = log.find(said); at != std::string::npos; at = log.find(said, at + said.size())) {
      const std::size_t end = std::min(log.find('\n', at), log.size());
      const std::size_t quote = log.rfind('"', end);
      if (quote != std::string::npos && quote > at) log.erase(quote + 1, end - quote - 1);
    }
  }
  return log;
}

/// What the pool is told of a candidate that took more memory than a worker may hold. It says the rest.
CompileReply out_of_memory(std::chrono::steady_clock::time_point start) {
  CompileReply reply;
  reply.outcome = Outcome::compile_memory;
  reply.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return reply;
}

/// Once it has held too much it ends: what the system counts is the most that it ever held.
CompileReply compile_within(std::uint64_t memory, const NvrtcCompiler& compiler, const CompileRequest& request,
                            Channel& pool) {
  const auto start = std::chrono::steady_clock::now();
  CompileReply reply;
  {
    const MemoryWatch watch(memory, [&] {
      pool.send(to_message(kCompiled, out_of_memory(start)));
      _exit(0);
    });
    reply = compiler.compile(request);
  }
  return held_more_than(memory) ? out_of_memory(start) : reply;
}

std::atomic<bool> told_to_end = false;

/// A worker that is told to end while nvcc runs ends that first, with all that it started, and its files.
CompileReply compile_elsewhere(const CompileRequest& request, const HelperStart& start) {
  struct sigaction before {
  }, during{};
  during.sa_handler = [](int) { told_to_end = true; };
  sigaction(SIGTERM, &during, &before);
  CompileReply reply =
      compile_with_nvcc(request, {.time = start.timeout, .memory = start.memory, .stop = &told_to_end});
  sigaction(SIGTERM, &before, nullptr);
  if (told_to_end) _exit(0);
  return reply;
}

[[noreturn]] void run_worker(const NvrtcCompiler& compiler, Channel pool, const HelperStart& start) {
  try {
    limit(RLIMIT_AS, RLIM_INFINITY);
    while (std::optional<Message> message = pool.receive_wait()) {
      const auto request = from_message<CompileRequest>(*message);
      CompileReply reply =
          request.nvcc ? compile_elsewhere(request, start) : compile_within(start.memory, compiler, request, pool);
      if (!start.confined_to.empty()) {
        reply.log = without_reasons(std::move(reply.log));
        reply.message = without_reasons(std::move(reply.message));
      }
      if (!pool.send(to_message(kCompiled, reply)) || reply.outcome == Outcome::compile_memory) break;
    }
    _exit(0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", printable(error.what()).c_str());
    _exit(1);
  }
}

/// From here on a source cannot make the compiler open anything else. NVRTC and its libraries are loaded.
void keep_to(const std::filesystem::path& folder, const NvrtcCompiler& compiler,
             std::vector<std::filesystem::path> readable) {
  for (const std::filesystem::path& headers : compiler.toolkit().include_folders) {
    readable.push_back(headers);
    // Some package managers have links there.
    std::error_code ignored;
    readable.push_back(std::filesystem::canonical(headers / "cuda_fp16.h", ignored).parent_path());
  }
  confine({std::move(readable), folder});
  // Where that cannot be done, at least what has no folder is not looked for where the worker was started.
  std::error_code ignored;
  std::filesystem::current_path(folder, ignored);
}

class Helper {
 public:
  explicit Helper(Channel pool) : pool_(std::move(pool)) {}
  ~Helper() {
    for (const auto& [slot, pid] : workers_) kill(pid, SIGTERM);
    for (const auto& [slot, pid] : workers_) end(pid);
  }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  int run() {
    try {
      while (std::optional<Message> message = pool_.receive_wait()) handle(*message);
      return 0;
    } catch (const Error& error) {
      pool_.send(to_message(error));
      return 1;
    }
  }

 private:
  void handle(const Message& message) {
    if (message.type == kStart) {
      start_ = from_message<HelperStart>(message);
      step_aside(start_.niceness);
      for (std::filesystem::path& folder : start_.include_folders) folder = std::filesystem::absolute(folder);
      compiler_.emplace(start_.include_folders, start_.builtins);
      if (start_.warm_up) compiler_->warm_up(start_.architecture);
      if (!start_.confined_to.empty()) keep_to(start_.confined_to, *compiler_, start_.include_folders);
      pool_.send(to_message(kReady, HelperReady{compiler_->toolkit().version}));
    } else if (message.type == kPrecompile && compiler_) {
      std::string log;
      compiler_->precompile(from_message<CompileRequest>(message), log);  // without it compiling is slower, that is all
      pool_.send({kPrecompiled, {}, {}});
    } else if (message.type == kReplace && compiler_) {
      replace(from_message<ReplaceWorker>(message).slot);
    }
  }

  void replace(int slot) {
    NewWorker news{slot, 0, {}};
    if (const auto old = workers_.find(slot); old != workers_.end()) {
      news.previous_end = end(old->second);
      workers_.erase(old);
    }
    ChannelPair pair = make_channel_pair();
    std::fflush(nullptr);
    const pid_t helper = getpid();
    const pid_t pid = fork();
    if (pid < 0) refused_by_system("No compile worker could be started", errno);
    if (pid == 0) {
      die_with_parent(helper);
      pool_.close();  // its end must mean the helper's end, not the last worker's
      pair.first.close();
      run_worker(*compiler_, std::move(pair.second), start_);
    }
    workers_[slot] = news.pid = pid;
    Message message = to_message(kWorker, news);
    message.fds.push_back(pair.first.release());
    pool_.send(message);
  }

  static std::string end(pid_t pid) {
    kill(pid, SIGTERM);
    int status = 0;
    for (auto waited = kTidying; waited.count() > 0; waited -= kGlance) {
      if (waitpid(pid, &status, WNOHANG) == pid) return exit_status_from_wait(status).text();
      std::this_thread::sleep_for(kGlance);
    }
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0) {
      if (errno != EINTR) return "ended";
    }
    return exit_status_from_wait(status).text();
  }

  Channel pool_;
  std::optional<NvrtcCompiler> compiler_;
  HelperStart start_;
  std::map<int, pid_t> workers_;
};

}  // namespace

int run_compile_helper(Channel pool) {
  prepare_process();
  try {
    Helper helper(std::move(pool));
    return helper.run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", printable(error.what()).c_str());
    return 1;
  }
}

}  // namespace tuner::engine
