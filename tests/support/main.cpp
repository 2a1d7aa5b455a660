#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  // Test programs lie deeper than what is installed, so they are told where the tuner's own programs are.
  setenv("TUNER_LIBEXEC", TUNER_TEST_LIBEXEC, 0);
  return doctest::Context(argc, argv).run();
}
