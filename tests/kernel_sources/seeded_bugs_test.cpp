// The tests on the CPU are worth something only if they fail when a kernel is wrong.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

#include "tests/kernel_sources/prefetch_run.hpp"
#include "tests/kernel_sources/seeded_bugs.hpp"

using namespace tuner::host;

namespace {

const Variant& variant_with(std::string_view bug) {
  for (const Variant& variant : all_variants()) {
    if (variant.name == bug) return variant;
  }
  FAIL("no variant was generated for: " << bug);
  return all_variants().front();
}

std::string result(std::string_view bug, Schedule schedule) {
  const Variant& variant = variant_with(bug);
  return run_prefetch(variant, variant.cases.front(), schedule);
}

/// What the sanitizers write when the variant runs; they end the process, so it runs in a child.
std::string sanitizer_report(std::string_view bug) {
  std::array<int, 2> ends{};
  REQUIRE_EQ(pipe(ends.data()), 0);
  std::fflush(nullptr);
  const pid_t child = fork();
  REQUIRE_GE(child, 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    result(bug, Schedule::forward);
    _exit(0);
  }
  close(ends[1]);
  std::string report;
  std::array<char, 4096> part;
  for (ssize_t size; (size = read(ends[0], part.data(), part.size())) > 0;)
    report.append(part.data(), static_cast<std::size_t>(size));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK_MESSAGE(!(WIFEXITED(status) && WEXITSTATUS(status) == 0), "the sanitizers found nothing in: " << bug);
  return report;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a commit that is left out where no copy was started gives a wrong sum") {
  CHECK_NE(result("commit only where a copy was started", Schedule::forward), "");
}

TEST_CASE("waiting for one group too few gives a wrong sum") {
  CHECK_NE(result("wait for one group too few", Schedule::forward), "");
}

TEST_CASE("not waiting at all gives a wrong sum") {
  CHECK_NE(result("no wait", Schedule::forward), "");
}

TEST_CASE("a missing barrier in the reduction shows when the first warp runs first") {
  CHECK_NE(result("no barrier in the reduction", Schedule::forward), "");
  CHECK_EQ(result("no barrier in the reduction", Schedule::reverse), "");
}

TEST_CASE("a barrier that some threads do not reach is reported with its line, not waited for") {
  for (Schedule schedule : {Schedule::forward, Schedule::reverse, Schedule::shuffled}) {
    std::string sentence;
    try {
      result("a barrier that some threads do not reach", schedule);
    } catch (const Fault& fault) {
      sentence = fault.what();
    }
    CHECK_MESSAGE(contains(sentence, "wait for each other"), sentence);
    CHECK_MESSAGE(contains(sentence, "__syncthreads in line"), sentence);
  }
}

TEST_CASE(
    "reads outside the input and outside dynamic shared memory are reported by Address Sanitizer in the kernel's "
    "text") {
  for (std::string_view bug : {"a read past the end of the input", "a prefetch past the end of the input",
                               "a slot past the end of dynamic shared memory"}) {
    const std::string report = sanitizer_report(bug);
    CAPTURE(bug);
    CHECK_MESSAGE(contains(report, "heap-buffer-overflow"), report);
    CHECK_MESSAGE(contains(report, "prefetch.cu"), report);
  }
}

TEST_CASE("an index outside a static shared array is reported by Undefined Behaviour Sanitizer in the kernel's text") {
  const std::string report = sanitizer_report("static shared memory one word short");
  CHECK_MESSAGE(contains(report, "out of bounds"), report);
  CHECK_MESSAGE(contains(report, "prefetch.cu"), report);
}
