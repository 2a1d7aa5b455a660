// The program that runs compiled kernels: `runner PLAN EVENTS PART PARTS` runs those configurations of the plan whose
// number modulo PARTS is PART, and writes lines to EVENTS:
//   begin CASE                              it runs now
//   outputs CASE RUN OFFSET                 what it wrote, in the file of results; none if run 0 wrote the same
//   input CASE RUN ARGUMENT BYTE            it changed an input, or what is beside a buffer
//   fault CASE RUN LINE LENGTH FILE TEXT    it cannot go on; the name of the file has so many bytes
//   touched CASE WHAT ARGUMENT OFFSET BYTES   what the access is near that Address Sanitizer reports next
//   access CASE ...                         see races.cpp
//   end CASE                                all runs are over
//   died CASE HOW NUMBER                    its process ended with that status or signal; the report says why
//   lacking CASE                            this machine has too little of something; the report says of what
//   late CASE                               it was stopped after the time limit, when nothing went on any more; the
//                                           report says where it was
//   busy CASE                               it was stopped after the time limit, when its threads took turns, and the
//                                           report says where; or it was not run, because others were stopped so on
//                                           the same problem
//   mismatch CASE TEXT                      the arguments are not those of the kernel
//   misfit CASE ARGUMENT NUMBER             a number of a value, counted from 1, does not fit its member
//   left CASE                               not run, because others crashed
// Each configuration has a process of its own. `runner --signatures FILE` writes a line for each variant instead:
//   VARIANT SIGNATURE BYTES...              the mangled name of Variant::signature, and the size of each symbol
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <stdexcept>

#include "tuner/host/shim/buffers.hpp"
#include "tuner/host/shim/fit.hpp"
#include "tuner/host/shim/memory.hpp"
#include "tuner/host/shim/runs.hpp"
#include "tuner/host/shim/time_limit.hpp"
#include "tuner/host/shim/variants.hpp"
#include "tuner/host/shim/watch.hpp"

extern "C" {
__attribute__((weak)) void* __asan_get_report_address();

__attribute__((used)) const char* __asan_default_options() {
  return "detect_leaks=0:exitcode=66:detect_stack_use_after_return=0:quarantine_size_mb=8:color=never:"
         "allocator_may_return_null=1:detect_odr_violation=0:print_legend=0:max_malloc_fill_size=0";
}
__attribute__((used)) const char* __ubsan_default_options() {
  return "print_stacktrace=1:color=never";
}
}

// Where variables that belong to no single configuration lie.
extern unsigned char __start_tuner_shared[] __attribute__((weak));
extern unsigned char __stop_tuner_shared[] __attribute__((weak));

namespace tuner::host {
namespace {

constexpr unsigned kMostBusy = 2;  // of a problem, in each part; it is left alone then
constexpr std::size_t kMostReport = std::size_t{1} << 20;
// What a run may have beyond what it has at its start: much more than what is around a kernel takes.
constexpr std::size_t kMemory = std::size_t{2} << 30;
constexpr std::size_t kMemoryOfByte = 128;  // of arguments; the watch for races has 80

/// What the processes share.
struct Shared {
  std::size_t current;       // the case that runs
  std::size_t results_size;  // how much of the file of results is taken
};

// For whoever explains what went wrong.
const Buffers* current_buffers = nullptr;
std::size_t current_number = 0;

int events_file = -1;
int results_file = -1;
Shared* shared = nullptr;

std::string reason(const char* what) {
  return std::string(what) + ": " + std::strerror(errno == 0 ? ENOSPC : errno);
}

void write_all(int file, const void* data, std::size_t size, std::size_t offset) {
  const char* from = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = pwrite(file, from, size, static_cast<off_t>(offset));
    if (written <= 0) throw std::runtime_error(reason("The results cannot be written"));
    from += written;
    offset += static_cast<std::size_t>(written);
    size -= static_cast<std::size_t>(written);
  }
}

const Variant* find(int number) {
  for (const Variant& variant : all_variants()) {
    if (variant.number == number) return &variant;
  }
  return nullptr;
}

/// A case, all of its runs.
void run_case(const Plan& plan, std::size_t number, const unsigned char* inputs) {
  const PlannedCase& planned = plan.cases[number];
  const Variant* variant = find(planned.variant);
  if (variant == nullptr) throw std::runtime_error("a configuration was not compiled");
  if (const std::string difference = mismatch(*variant, planned); !difference.empty()) {
    event("mismatch %zu %s\n", number, difference.c_str());
    return;
  }
  Buffers buffers(planned, inputs, *variant);
  if (const Buffers::Misfit misfit = buffers.misfit(); misfit.number != 0) {
    event("misfit %zu %zu %d\n", number, misfit.argument, misfit.number);
    return;
  }
  current_buffers = &buffers;
  current_number = number;
  std::vector<unsigned char> first;
  for (std::size_t run = 0; run < kRunCount; ++run) {
    Launch how = planned.launch;
    how.schedule = kRuns[run].schedule;
    how.poison = kRuns[run].poison ^ kShared;
    how.seed = number + 1;
    how.static_shared = variant->shared_begin;
    how.static_shared_bytes = static_cast<std::size_t>(variant->shared_end - variant->shared_begin);
    buffers.reset(kRuns[run].poison);
    fill(__start_tuner_shared, how.poison, static_cast<std::size_t>(__stop_tuner_shared - __start_tuner_shared));
    if (!watch_case(number, run, buffers)) continue;
    try {
      launch(how, [&] { variant->call(buffers.arguments()); });
    } catch (const Fault& fault) {
      event("fault %zu %zu %d %zu %s %s\n", number, run, fault.line, fault.file.size(), fault.file.c_str(),
            fault.sentence.c_str());
      return;  // whatever the threads held is lost: this process is not to go on
    }
    if (const Buffers::Change change = buffers.changed_input(); change.argument >= 0)
      event("input %zu %zu %d %td\n", number, run, change.argument, change.byte);
    std::vector<unsigned char> outputs = buffers.outputs();
    if (run > 0 && outputs == first) continue;
    event("outputs %zu %zu %zu\n", number, run, shared->results_size);
    write_all(results_file, outputs.data(), outputs.size(), shared->results_size);
    shared->results_size += outputs.size();
    if (run == 0) first = std::move(outputs);
  }
}

/// A kernel that allocates for ever is told that there is no memory, as on a GPU. Relative to what this process has
/// already, which with a sanitizer are terabytes that nobody ever touches.
void limit_memory(const PlannedCase& planned) {
  std::size_t pages[6] = {};
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return;
  int count = 0;
  while (count < 6 && std::fscanf(file, "%zu", &pages[count]) == 1) ++count;
  std::fclose(file);
  rlimit limit{};
  if (count < 6 || getrlimit(RLIMIT_DATA, &limit) != 0) return;
  static const rlim_t before = limit.rlim_cur;
  std::size_t bytes = kMemory + pages[5] * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (const PlannedArgument& argument : planned.arguments) bytes += kMemoryOfByte * argument.bytes;
  limit.rlim_cur = bytes < before ? bytes : before;
  setrlimit(RLIMIT_DATA, &limit);
}

/// A file in memory for what a process says, which cannot grow: nothing that it runs fills the disk.
int report_file() {
  const int file = memfd_create("report", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0 || ftruncate(file, kMostReport) != 0 || fcntl(file, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) != 0)
    throw std::runtime_error(reason("A file in memory cannot be made"));
  return file;
}

void keep_report(int from, const std::string& name) {
  const off_t size = lseek(from, 0, SEEK_CUR);
  const void* text = size <= 0 ? MAP_FAILED : mmap(nullptr, kMostReport, PROT_READ, MAP_SHARED, from, 0);
  if (text == MAP_FAILED) return;
  const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  // Where it cannot be written, the place of what went wrong is not known.
  if (file >= 0 && write(file, text, size < static_cast<off_t>(kMostReport) ? size : kMostReport) < 0) errno = 0;
  close(file);
  munmap(const_cast<void*>(text), kMostReport);
}

[[noreturn]] void run_cases(const Plan& plan, const std::vector<std::size_t>& cases, std::size_t from,
                            const unsigned char* inputs, int report, const std::map<int, unsigned>& busy) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);  // what it starts can be ended without the others
  dup2(report, STDERR_FILENO);
  watch_time();
  try {
    for (std::size_t i = from; i < cases.size() && plan.cases[cases[i]].variant == plan.cases[cases[from]].variant;
         ++i) {
      shared->current = i;
      if (const auto one = busy.find(plan.cases[cases[i]].problem); one != busy.end() && one->second >= kMostBusy) {
        event("busy %zu\n", cases[i]);
        continue;
      }
      event("begin %zu\n", cases[i]);
      limit_memory(plan.cases[cases[i]]);
      limit_time(plan.limit);
      run_case(plan, cases[i], inputs);
      limit_time(0);
      event("end %zu\n", cases[i]);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    _exit(kLacking);
  }
  _exit(0);
}

void run_plan(const Plan& plan, std::size_t part, std::size_t parts) {
  const int file = open(plan.inputs.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0) throw std::runtime_error(plan.inputs + " cannot be opened");
  const std::size_t size = static_cast<std::size_t>(status.st_size);
  const void* inputs = size == 0 ? nullptr : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  std::vector<std::size_t> cases;
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    if (static_cast<std::size_t>(plan.cases[i].variant) % parts == part) cases.push_back(i);
  }
  unsigned deaths = 0;
  std::map<int, unsigned> busy;  // how often by problem
  for (std::size_t next = 0; next < cases.size();) {
    const int variant = plan.cases[cases[next]].variant;
    if (deaths >= plan.deaths) {
      event("left %zu\n", cases[next++]);
      continue;
    }
    std::fflush(nullptr);
    const int report = report_file();
    shared->current = next;
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error(reason("No process can be started"));
    if (child == 0) run_cases(plan, cases, next, static_cast<const unsigned char*>(inputs), report, busy);
    int how = 0;
    while (waitpid(child, &how, 0) < 0) continue;
    const bool ended = WIFEXITED(how) && WEXITSTATUS(how) == 0;
    const std::size_t last = shared->current;
    if (!ended) keep_report(report, plan.reports + std::to_string(cases[last]));
    close(report);
    if (WIFEXITED(how) && WEXITSTATUS(how) == kBusy) {
      event("busy %zu\n", cases[last]);
      ++busy[plan.cases[cases[last]].problem];
      next = last + 1;  // others are smaller
      continue;
    }
    if (ended) {
      while (next < cases.size() && plan.cases[cases[next]].variant == variant) ++next;
      continue;
    }
    if (WIFEXITED(how) ? WEXITSTATUS(how) == kLate : WTERMSIG(how) == SIGALRM)
      event("late %zu\n", cases[last]);
    else if (WIFEXITED(how) && WEXITSTATUS(how) == kLacking)
      event("lacking %zu\n", cases[last]);
    else if (WIFEXITED(how))
      event("died %zu status %d\n", cases[last], WEXITSTATUS(how));
    else
      event("died %zu signal %d\n", cases[last], WTERMSIG(how));
    ++deaths;
    // What fails once fails on most problems: the others of this configuration would only repeat it.
    next = last + 1;
    while (next < cases.size() && plan.cases[cases[next]].variant == variant) event("left %zu\n", cases[next++]);
  }
}

void write_signatures(const char* name) {
  std::FILE* file = std::fopen(name, "w");
  if (file == nullptr) throw std::runtime_error(std::string(name) + " cannot be written");
  for (const Variant& variant : all_variants()) {
    std::fprintf(file, "%d %s", variant.number, variant.signature);
    for (const Symbol& symbol : variant.symbols) std::fprintf(file, " %zu", symbol.size);
    std::fprintf(file, "\n");
  }
  if (std::fclose(file) != 0) throw std::runtime_error(std::string(name) + " cannot be written");
}

/// Whether the address belongs to the buffer or lies nearer to it than a page.
bool is_near(const unsigned char* at, const unsigned char* begin, std::size_t bytes) {
  constexpr std::ptrdiff_t kNear = 4096;
  return at >= begin - kNear && at < begin + bytes + kNear;
}

void explain(const unsigned char* at) {
  if (copy_under_way(at)) return event("touched %zu copy -1 0 0\n", current_number);
  const auto* dynamic = static_cast<const unsigned char*>(dynamic_shared());
  if (at >= dynamic && at < dynamic + (std::size_t{4} << 20))
    return event("touched %zu dynamic -1 %td %zu\n", current_number, at - dynamic, dynamic_shared_bytes());
  if (current_buffers == nullptr) return;
  int nearest = -1;
  std::size_t least = ~std::size_t{0};
  for (std::size_t i = 0; i < current_buffers->all().size(); ++i) {
    const Buffer& buffer = current_buffers->all()[i];
    if (buffer.data == nullptr || !is_near(at, buffer.data, buffer.bytes)) continue;
    const std::size_t distance = at < buffer.data ? static_cast<std::size_t>(buffer.data - at)
                                 : at < buffer.data + buffer.bytes
                                     ? 0
                                     : static_cast<std::size_t>(at - buffer.data) - buffer.bytes;
    if (distance >= least) continue;
    least = distance;
    nearest = static_cast<int>(i);
  }
  if (nearest < 0) return;
  const Buffer& buffer = current_buffers->all()[static_cast<std::size_t>(nearest)];
  event("touched %zu argument %d %td %zu\n", current_number, nearest, at - buffer.data, buffer.bytes);
}

}  // namespace

void report_begins() {
  if (__asan_get_report_address) explain(static_cast<const unsigned char*>(__asan_get_report_address()));
}

void event(const char* format, ...) {
  char line[4096];
  va_list arguments;
  va_start(arguments, format);
  int size = std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (size >= static_cast<int>(sizeof line)) {
    size = sizeof line - 1;
    line[size - 1] = '\n';
  }
  errno = 0;
  if (write(events_file, line, static_cast<std::size_t>(size)) == size) return;
  std::fprintf(stderr, "%s\n", reason("The results cannot be written").c_str());
  _exit(kLacking);
}

}  // namespace tuner::host

// Address Sanitizer calls it before it writes a report.
extern "C" __attribute__((used)) void __asan_on_error() {
  tuner::host::report_begins();
}

int main(int count, char** arguments) try {
  using namespace tuner::host;
  const rlimit no_core{};  // what a kernel leaves is said in the report
  setrlimit(RLIMIT_CORE, &no_core);
  if (count == 3 && std::strcmp(arguments[1], "--signatures") == 0) {
    write_signatures(arguments[2]);
    return 0;
  }
  if (count != 5) throw std::runtime_error("usage: runner PLAN EVENTS PART PARTS");
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const Plan plan = read_plan(arguments[1]);
  events_file = open(arguments[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  results_file = open((plan.results + arguments[3]).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (events_file < 0 || results_file < 0) throw std::runtime_error(reason("The results cannot be written"));
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error(reason("There is no memory"));
  shared = static_cast<Shared*>(memory);
  run_plan(plan, static_cast<std::size_t>(std::atoi(arguments[3])), static_cast<std::size_t>(std::atoi(arguments[4])));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "runner: %s\n", error.what());
  return 1;
}
