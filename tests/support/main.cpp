#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <stdlib.h>

#include <cstdio>

namespace {

/// Whether any case was selected: a test whose filter matches none must not pass.
struct Selected : doctest::IReporter {
  explicit Selected(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& run) override { none = run.numTestCasesPassingFilters == 0; }
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

  inline static bool none = false;
};
REGISTER_LISTENER("selected", 1, Selected);

}  // namespace

int main(int argc, char** argv) {
  // Test programs lie deeper than what is installed, so they are told where the tuner's own programs are.
  setenv("TUNER_LIBEXEC", TUNER_TEST_LIBEXEC, 0);
  doctest::Context context(argc, argv);
  context.setOption("duration", getenv("TUNER_DURATIONS") != nullptr);  // of each test case
  const int result = context.run();
  if (!Selected::none) return result;
  std::puts("No test case was selected.");
  return 1;
}
