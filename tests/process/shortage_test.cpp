#include "tuner/process/shortage.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "tests/support/text.hpp"

using namespace tuner;

TEST_CASE("too little memory and a thread that was refused were called a bug") {
  const auto memory = as_shortage(std::bad_alloc());
  REQUIRE(memory);
  CHECK(memory->code() == Errc::shortage);
  CHECK(test::contains(memory->what(), "too little memory"));
  CHECK(test::contains(memory->what(), "ulimit -v"));
  const auto thread = as_shortage(std::system_error(EAGAIN, std::generic_category()));
  REQUIRE(thread);
  CHECK(test::contains(thread->what(), "ulimit -u"));
  const auto files =
      as_shortage(std::filesystem::filesystem_error("x", std::make_error_code(std::errc::too_many_files_open)));
  REQUIRE(files);
  CHECK(test::contains(files->what(), "ulimit -n"));
}

TEST_CASE("what is a bug, or a disk's, is no shortage of the system") {
  CHECK_FALSE(as_shortage(std::out_of_range("at")));
  CHECK_FALSE(as_shortage(std::system_error(EINVAL, std::generic_category())));
  CHECK_FALSE(as_shortage(std::system_error(ENOSPC, std::generic_category())));
}
