#include "cache/file/unfinished_file.hpp"

#include <unistd.h>

#include <deque>

#include "cache/file/fresh_file.hpp"
#include "tests/cache/support.hpp"

namespace tuner::cache::test {
namespace {

TEST_CASE("a file that is being written is gone when the process is told to end at once, a complete one stays") {
  const TemporaryFolder folder;
  CHECK(in_child([&] {
          FreshFile done(folder / "done.db", false);
          write_bytes(done.path(), "complete");
          done.publish();
          FreshFile begun(folder / "begun.db", false);
          write_bytes(begun.path(), "half");
          write_bytes(begun.path().string() + "-journal", "undo");
          remove_unfinished_files();
          _exit(0);  // without the destructors, which would remove it, too
        }) == 0);
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) left.push_back(entry.path().filename());
  CHECK(left == std::vector<std::string>{"done.db"});
}

TEST_CASE("more unfinished files than are noted are nobody's trouble") {
  const TemporaryFolder folder;
  std::deque<UnfinishedFile> many;
  for (int i = 0; i < 40; ++i) {
    const std::filesystem::path file = folder / std::to_string(i);
    write_bytes(file, "half");
    many.emplace_back(file);
  }
  remove_unfinished_files();
  CHECK_FALSE(std::filesystem::exists(folder / "0"));
  CHECK(std::filesystem::exists(folder / "39"));
  many.clear();
  const UnfinishedFile again(folder / "39");
  remove_unfinished_files();
  CHECK_FALSE(std::filesystem::exists(folder / "39"));
}

}  // namespace
}  // namespace tuner::cache::test
