#include "tests/cache/examples.hpp"

namespace tuner::cache::test {
namespace {

namespace fs = std::filesystem;

Binary binary_named(const std::string& key) {
  return binary_of(key, key, key.size());
}

TEST_CASE("a reader went on with a file that was deleted when another one took its place") {
  const TemporaryFolder folder;
  const fs::path path = folder / "decisions.db";
  open_store(path)->record_decision(full_decision("old"));
  open_store(folder / "new.db")->record_decision(full_decision("new"));
  const auto reader = open_store(path, Access::read_only);
  CHECK(reader->find_decision(some_key())->configuration == "old");
  fs::rename(folder / "new.db", path);
  CHECK(reader->list_decisions({}).at(0).configuration == "new");
  CHECK(reader->find_decision(some_key())->configuration == "new");
}

TEST_CASE("a reader of binaries went on with a file that was deleted") {
  const TemporaryFolder folder;
  const fs::path path = folder / "binaries.db";
  BinaryStore::open({.path = path})->put(binary_named("old"));
  BinaryStore::open({.path = folder / "new.db"})->put(binary_named("new"));
  const auto reader = BinaryStore::open({.path = path, .access = Access::read_only});
  CHECK(reader->find_compiled("old"));
  fs::rename(folder / "new.db", path);
  CHECK(reader->find_compiled("new"));
  CHECK_FALSE(reader->find_compiled("old"));
}

TEST_CASE("a reader of an older file went on with its copy when the file was brought up to date and written") {
  const TemporaryFolder folder;
  const fs::path path = old_file(folder, "decisions");
  const auto reader = open_store(path, Access::read_only);
  const Decision old = reader->list_decisions({}).at(0);
  Decision newer = full_decision("newer");
  newer.key = old.key;
  open_store(path)->record_decision(newer);
  CHECK(reader->find_decision(old.key)->configuration == "newer");
  CHECK(reader->list_decisions({}).at(0).configuration == "newer");
}

TEST_CASE("a reader of an older file of binaries did not find what was compiled after it was brought up to date") {
  const TemporaryFolder folder;
  const fs::path path = old_file(folder, "binaries");
  const auto reader = BinaryStore::open({.path = path, .access = Access::read_only});
  CHECK_FALSE(reader->find_compiled("new"));
  BinaryStore::open({.path = path})->put(binary_named("new"));
  CHECK(reader->find_compiled("new"));
}

}  // namespace
}  // namespace tuner::cache::test
