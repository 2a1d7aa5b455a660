#include "tuner/engine/compile/pool.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>

#include "tests/core/task/npy_file.hpp"
#include "tests/engine/compile/toolkit.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/processes.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/engine/compile/nvrtc_compiler.hpp"
#include "tuner/engine/lanes/wait.hpp"
#include "tuner/process/confinement.hpp"
#include "tuner/process/usable_memory.hpp"

using namespace tuner;
using namespace tuner::engine;
using namespace std::chrono_literals;
using testing::endless_request;
using testing::numbered_request;
using testing::request_for;
using Clock = std::chrono::steady_clock;

namespace {

using Replies = std::map<TicketId, CompileReply>;

CompilePoolOptions options(int workers, std::chrono::milliseconds timeout = 60s) {
  return {.workers = workers, .timeout = timeout, .worker_program = TUNER_TEST_WORKER};
}

// Polls as an engine does, until `done` or for a minute. An answer that comes twice fails the test.
void drive(CompilePool& pool, Replies& replies, const std::function<bool()>& done) {
  for (const auto give_up = Clock::now() + 2min; !done();) {
    REQUIRE(Clock::now() < give_up);
    wait_for(Clock::now() + 200ms, pool);
    for (CompilePool::Completion& completion : pool.poll())
      CHECK(replies.emplace(completion.ticket, std::move(completion.reply)).second);
  }
}

Replies collect(CompilePool& pool, std::size_t count) {
  Replies replies;
  drive(pool, replies, [&] { return replies.size() == count; });
  return replies;
}

// Waits until every worker has started.
void start(CompilePool& pool) {
  Replies replies;
  drive(pool, replies, [&] {
    const std::vector<pid_t> pids = pool.worker_pids();
    return std::find(pids.begin(), pids.end(), 0) == pids.end();
  });
}

/// What ends the pool.
std::string end_of(CompilePool& pool, Errc code) {
  return test::error_of(code, [&] { collect(pool, 1000); });
}

/// With another NVRTC than the one that is installed.
std::string end_with_library(const char* library) {
  setenv("TUNER_NVRTC", library, 1);
  CompilePool pool(options(1));
  unsetenv("TUNER_NVRTC");
  return end_of(pool, Errc::no_toolkit);
}

bool says(const std::string& message, const char* words) {
  return message.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("every request is answered once, with the binary that this process would make") {
  CompilePool pool(options(2));
  std::map<TicketId, CompileRequest> requests;
  for (int i = 0; i < 10; ++i) requests[100 + i] = i == 4 ? request_for("bad") : numbered_request(i);
  for (const auto& [ticket, request] : requests) pool.submit(ticket, request);
  const Replies replies = collect(pool, requests.size());
  const NvrtcCompiler here({});
  for (const auto& [ticket, request] : requests) {
    REQUIRE(replies.contains(ticket));
    const CompileReply& reply = replies.at(ticket);
    const CompileReply expected = here.compile(request);
    CHECK(reply.outcome == expected.outcome);
    CHECK(reply.message == expected.message);
    CHECK(reply.cubin.bytes == expected.cubin.bytes);
    CHECK(reply.facts.binary_hash == expected.facts.binary_hash);
    CHECK(reply.facts.registers == expected.facts.registers);
    CHECK(reply.toolkit.starts_with(expected.toolkit));
  }
  const CompilePoolStatistics statistics = pool.statistics();
  CHECK(statistics.compiled == 10);
  CHECK(statistics.workers_replaced == 0);
  REQUIRE(statistics.busy_ms.size() == 2);
  CHECK(statistics.busy_ms[0] > 0);
  CHECK(statistics.busy_ms[1] > 0);
}

TEST_CASE("room is two requests a worker") {
  CompilePool pool(options(3));
  CHECK(pool.room() == 6);
  for (int i = 0; i < 5; ++i) pool.submit(i, numbered_request(i));
  CHECK(pool.room() == 1);
  for (int i = 5; i < 9; ++i) pool.submit(i, numbered_request(i));
  CHECK(pool.room() == 0);
  collect(pool, 9);
  CHECK(pool.room() == 6);
}

TEST_CASE("a candidate that takes more memory than a worker may hold fails alone, with the size") {
  CompilePoolOptions small = options(1);
  small.memory = std::uint64_t{256} << 20;
  CompilePool pool(small);
  CompileRequest endless = endless_request();
  endless.configuration = "BLOCK=64";
  pool.submit(1, endless);
  pool.submit(2, numbered_request(2));
  const Replies replies = collect(pool, 2);
  CHECK(replies.at(1).outcome == Outcome::compile_memory);
  CHECK(replies.at(1).message ==
        "Compiling user.cu with BLOCK=64 took more than 0.25 GB of memory and was stopped. `--compile-memory` allows "
        "more.");
  CHECK(replies.at(1).milliseconds > 0);
  CHECK(replies.at(2).outcome == Outcome::ok);
  CHECK(pool.statistics().workers_replaced == 1);
}

TEST_CASE("workers that there is no memory for do not compile at once") {
  CompilePoolOptions large = options(3);
  large.memory = usable_memory();  // more than what is usable by the time that the pool asks, or as much
  CompilePool pool(large);
  start(pool);
  for (int i = 0; i < 3; ++i) pool.submit(i, endless_request());
  Replies replies;
  for (int i = 0; i < 3; ++i) pool.cancel(i);
  drive(pool, replies, [&] { return replies.size() == 3; });
  const std::vector<double> busy = pool.statistics().busy_ms;
  CHECK(std::count_if(busy.begin(), busy.end(), [](double ms) { return ms > 0; }) == 1);
}

TEST_CASE("a compile that never ends is stopped at the time limit and its worker replaced") {
  CompilePool pool(options(1, 3s));
  start(pool);
  const pid_t before = pool.worker_pids()[0];
  CompileRequest endless = endless_request();
  endless.configuration = "BLOCK=64";
  pool.submit(1, endless);
  pool.submit(2, numbered_request(2));
  const Replies replies = collect(pool, 2);
  CHECK(replies.at(1).outcome == Outcome::compile_timeout);
  CHECK(replies.at(1).message == "Compiling user.cu with BLOCK=64 took longer than 3 s and was stopped.");
  CHECK(replies.at(1).milliseconds >= 3000);
  CHECK(replies.at(2).outcome == Outcome::ok);
  CHECK(pool.worker_pids()[0] != before);
  CHECK(test::has_ended(before));
  CHECK(pool.statistics().workers_replaced == 1);
}

TEST_CASE("a worker that somebody kills costs its request nothing but time") {
  CompilePool pool(options(1, 3s));
  start(pool);
  // Endless, so that it is certainly being compiled when the worker is killed; the retry then meets the time limit.
  pool.submit(1, endless_request());
  pool.submit(2, numbered_request(2));
  const pid_t before = pool.worker_pids()[0];
  REQUIRE(kill(before, SIGKILL) == 0);
  const Replies replies = collect(pool, 2);
  CHECK(replies.at(1).outcome == Outcome::compile_timeout);
  CHECK(replies.at(2).outcome == Outcome::ok);
  CHECK(pool.statistics().workers_replaced == 2);
}

TEST_CASE("a request whose workers end twice is worker_lost and says how they ended") {
  CompilePool pool(options(1));
  start(pool);
  pool.submit(1, endless_request());
  pool.submit(2, numbered_request(2));
  Replies replies;
  for (int round = 0; round < 2; ++round) {
    const pid_t pid = pool.worker_pids()[0];
    REQUIRE(kill(pid, SIGKILL) == 0);
    drive(pool, replies, [&] { return pool.worker_pids()[0] != pid && pool.worker_pids()[0] != 0; });
  }
  drive(pool, replies, [&] { return replies.size() == 2; });
  CHECK(replies.at(1).outcome == Outcome::worker_lost);
  CHECK(says(replies.at(1).message, "ended by signal 9 (Killed)"));
  CHECK(says(replies.at(1).message, "user.cu"));
  CHECK(replies.at(2).outcome == Outcome::ok);
}

TEST_CASE("a source that crashes the compiler is a failure of that source alone") {
  CompilePool pool(options(1));
  const std::string deep(3'000'000, '(');
  pool.submit(
      1, request_for("__global__ void k(int* p) { p[0] = " + deep + "1" + std::string(deep.size(), ')') + "; }\n"));
  pool.submit(2, numbered_request(2));
  const Replies replies = collect(pool, 2);
  CHECK(replies.at(1).outcome == Outcome::worker_lost);
  // A signal, or an exit where a sanitizer catches it.
  CHECK(replies.at(1).message.find("while it compiled user.cu") != std::string::npos);
  CHECK(replies.at(2).outcome == Outcome::ok);
}

TEST_CASE("idle workers that are killed are replaced") {
  CompilePool pool(options(2));
  start(pool);
  for (const pid_t pid : pool.worker_pids()) REQUIRE(kill(pid, SIGKILL) == 0);
  for (int i = 0; i < 4; ++i) pool.submit(i, numbered_request(i));
  for (const auto& [ticket, reply] : collect(pool, 4)) CHECK(reply.outcome == Outcome::ok);
}

TEST_CASE("a helper that is killed is restarted and nothing is lost") {
  CompilePool pool(options(2, 3s));
  start(pool);
  const std::vector<pid_t> before = pool.worker_pids();
  pool.submit(0, endless_request());
  for (int i = 1; i < 6; ++i) pool.submit(i, numbered_request(i));
  REQUIRE(kill(pool.helper_pid(), SIGKILL) == 0);
  const Replies replies = collect(pool, 6);
  CHECK(replies.at(0).outcome == Outcome::compile_timeout);
  for (int i = 1; i < 6; ++i) CHECK(replies.at(i).outcome == Outcome::ok);
  CHECK(pool.statistics().helper_restarts == 1);
  for (const pid_t pid : before) CHECK(test::has_ended(pid));
}

TEST_CASE("a helper that cannot start is an error after three tries") {
  CompilePoolOptions broken = options(1);
  broken.worker_program = "/bin/false";
  CompilePool pool(broken);
  pool.submit(1, numbered_request(1));
  const std::string message = end_of(pool, Errc::no_worker);
  CHECK(says(message, "3 times"));
  CHECK(says(message, "exited with status 1"));
  CHECK_THROWS_AS(pool.poll(), Error);
  broken.worker_program = "/nonexistent/tuner-worker";
  CHECK_THROWS_AS(CompilePool{broken}, Error);
}

TEST_CASE("without a toolkit the pool says where it looked and what to do") {
  const std::string message = end_with_library("/nonexistent/libnvrtc.so.13");
  CHECK(says(message, "/nonexistent/libnvrtc.so.13"));
  CHECK(says(message, "Install a CUDA toolkit"));
}

TEST_CASE("a library that is not NVRTC is refused by name") {
  CHECK(says(end_with_library("libm.so.6"), "libm.so.6 is not NVRTC"));
}

TEST_CASE("an architecture that the toolkit does not know is an error of the pool, not of every candidate") {
  CompilePoolOptions old = options(1);
  old.architecture = "sm_20";
  CompilePool pool(old);
  end_of(pool, Errc::no_toolkit);
}

TEST_CASE("a cancelled request is answered whether it waits or runs") {
  CompilePool pool(options(1, 1h));
  start(pool);
  pool.submit(1, endless_request());
  pool.submit(2, numbered_request(2));
  pool.submit(3, numbered_request(3));
  pool.cancel(2);
  pool.cancel(1);
  pool.cancel(77);  // never submitted
  const Replies replies = collect(pool, 3);
  CHECK(replies.at(1).outcome == Outcome::compile_timeout);
  CHECK(replies.at(1).message == "Compiling user.cu was abandoned.");
  CHECK(replies.at(2).outcome == Outcome::compile_timeout);
  CHECK(replies.at(3).outcome == Outcome::ok);
}

TEST_CASE("sources that include toolkit headers give the same binaries, precompiled or not") {
  CompilePool pool(options(2));
  const NvrtcCompiler here({});
  std::map<TicketId, CompileRequest> requests;
  for (int i = 0; i < 8; ++i) {
    requests[i] =
        request_for(std::string(i % 2 == 0 ? "#include <cuda_fp16.h>\n" : "#include <cuda_bf16.h>\n") +
                    "#define VALUE " + std::to_string(i) + "\n__global__ void k(float* p) { p[0] += VALUE; }\n");
    pool.submit(i, requests[i]);
  }
  const Replies replies = collect(pool, requests.size());
  for (const auto& [ticket, request] : requests) {
    REQUIRE_MESSAGE(replies.at(ticket).outcome == Outcome::ok, replies.at(ticket).log);
    CHECK(replies.at(ticket).facts.binary_hash == here.compile(request).facts.binary_hash);
  }
  CHECK(pool.statistics().workers_replaced == 0);
}

TEST_CASE("a pool that declares everything makes the same binaries") {
  CompilePoolOptions all = options(1);
  all.builtins = Builtins::all;
  CompilePool less(options(1)), more(all);
  for (int i = 0; i < 4; ++i) {
    less.submit(i, numbered_request(i));
    more.submit(i, numbered_request(i));
  }
  const Replies expected = collect(more, 4);
  for (const auto& [ticket, reply] : collect(less, 4)) {
    CHECK(reply.outcome == Outcome::ok);
    CHECK(reply.cubin.bytes == expected.at(ticket).cubin.bytes);
  }
}

TEST_CASE("include folders reach the workers") {
  const test::TemporaryFolder folder;
  folder.write("mine.cuh", "#define MINE 3\n");
  CompilePoolOptions with = options(1);
  with.include_folders = {folder.path()};
  CompilePool pool(with);
  pool.submit(1, request_for("#include <mine.cuh>\n__global__ void k(int* p) { p[0] = MINE; }\n"));
  const Replies replies = collect(pool, 1);
  CHECK_MESSAGE(replies.at(1).outcome == Outcome::ok, replies.at(1).log);
}

TEST_CASE("a source finds out nothing of files outside of the toolkit where compilers are confined") {
  if (!can_confine()) {
    MESSAGE("SKIPPED: this kernel has no Landlock");
    return;
  }
  const test::TemporaryFolder job, outside;
  const std::string secret = outside.write("secret", "1").string();
  CompilePoolOptions confined = options(1);
  confined.confined_to = job.path();
  const auto messages = [&](const CompilePoolOptions& with, const std::string& file) {
    CompilePool pool(with);
    const std::string paste = "#define C(a, b) a##b\n";
    const std::string kernel = "\n__global__ void k(int* p) { p[0] = sizeof x; }\n";
    pool.submit(1, request_for(paste + "__device__ int x[1 + C(__has_, include)(\"" + file + "\")];" + kernel +
                               "static_assert(sizeof x == 4, \"found\");"));
    CompileRequest import = request_for("import \"" + file + "\";\nint x;" + kernel);
    import.options = {"--std=c++20"};
    pool.submit(2, import);
    std::string all;
    for (const auto& [ticket, reply] : collect(pool, 2)) {
      if (reply.outcome != Outcome::ok) all += reply.message + "\n" + reply.log;  // else the log has times
    }
    for (std::size_t at = all.find(file); at != std::string::npos; at = all.find(file))
      all.replace(at, file.size(), "");
    return all;
  };
  CHECK(says(messages(options(1), secret), "found"));
  CHECK(messages(confined, secret) == messages(confined, secret.substr(0, secret.size() - 3) + "not"));
}

TEST_CASE("an include told a file that a confined compiler may not open from one that is not there") {
  const test::TemporaryFolder job, outside;
  const std::string there = outside.write("there.cuh", "").string();
  CompilePoolOptions confined = options(1);
  confined.confined_to = job.path();
  const auto said = [&](const std::string& file, const std::string& shown) {
    CompilePool pool(confined);
    pool.submit(1, request_for("#include \"" + file + "\"\n__global__ void k() {}\n"));
    const CompileReply reply = collect(pool, 1).at(1);
    std::string all = reply.message + "\n" + reply.log;
    for (std::size_t at = all.find(shown); at != std::string::npos; at = all.find(shown))
      all.replace(at, shown.size(), "");
    return all;
  };
  const std::string missing = (outside.path() / "their.cuh").string();  // as long
  for (const std::string behind : {"", "/x"}) {
    if (can_confine()) CHECK(said(there + behind, there) == said(missing + behind, missing));
  }
  // With Landlock or without it.
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(outside.path());
  CHECK(said("there.cuh", "there.cuh") == said("their.cuh", "their.cuh"));
  std::filesystem::current_path(before);
}

TEST_CASE("confined compilers make the same binaries, with the toolkit's headers precompiled") {
  const test::TemporaryFolder job;
  CompilePoolOptions confined = options(2);
  confined.confined_to = job.path();
  CompilePool pool(confined);
  std::map<TicketId, CompileRequest> requests;
  for (int i = 0; i < 4; ++i) {
    requests[i] = request_for(
        "#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n__global__ void k(__half* p) { "
        "p[threadIdx.x] += __half(" +
        std::to_string(i) + "); }\n");
    pool.submit(i, requests[i]);
  }
  const Replies replies = collect(pool, requests.size());
  const NvrtcCompiler here({});
  for (const auto& [ticket, reply] : replies) {
    CHECK(reply.outcome == Outcome::ok);
    CHECK(reply.cubin.bytes == here.compile(requests.at(ticket)).cubin.bytes);
  }
  // Headers may still be being precompiled.
  for (const auto give_up = Clock::now() + 1min; Clock::now() < give_up && !std::filesystem::is_empty(job.path());)
    wait_for(Clock::now() + 10ms, pool);
  CHECK(std::filesystem::is_empty(job.path()));
}

TEST_CASE("nothing is left running when the pool is gone") {
  std::vector<pid_t> pids;
  {
    CompilePool pool(options(2));
    start(pool);
    pool.submit(1, endless_request());
    pids = pool.worker_pids();
    pids.push_back(pool.helper_pid());
  }
  for (const pid_t pid : pids) CHECK(kill(pid, 0) != 0);
}
