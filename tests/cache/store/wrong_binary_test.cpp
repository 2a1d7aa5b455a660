#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>

#include "cache/file/hash.hpp"
#include "cache/sqlite/sqlite.hpp"
#include "tests/cache/examples.hpp"

namespace tuner::cache::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSmallPage = 512;
constexpr const char* kTiles[] = {"16", "32", "64"};

Binary binary_of_tile(const std::string& tile) {
  return test::binary_of("TILE=" + tile, tile, 60);
}

/// A small file with a binary for each configuration, in pages as small as can be.
fs::path make_small(const TemporaryFolder& folder) {
  const fs::path path = folder / "binaries.db";
  sql(path, "PRAGMA page_size = " + std::to_string(kSmallPage) + "; VACUUM");
  REQUIRE(chmod(path.c_str(), 0600) == 0);
  const auto store = BinaryStore::open({.path = path, .clock = [] { return std::int64_t{1}; }});
  for (const char* const tile : kTiles) store->put(binary_of_tile(tile));
  return path;
}

/// Answers with another configuration's code, or with another symbol of it.
int wrong_answers(BinaryStore& store) {
  int wrong = 0;
  for (const char* const tile : kTiles) {
    const Binary expected = binary_of_tile(tile);
    const auto check = [&](const std::optional<Binary>& found) {
      wrong += found && (found->bytes != expected.bytes || found->kernel != expected.kernel) ? 1 : 0;
    };
    try {
      check(store.find_compiled(expected.compile_key));
      check(store.find_compiled(expected.compile_key, content_hash(expected.bytes)));
      check(store.find(content_hash(expected.bytes)));
    } catch (const Error&) {
      // Told, and compiled again.
    }
  }
  return wrong;
}

TEST_CASE("one flipped bit in a file of binaries launched another configuration's code") {
  const TemporaryFolder folder;
  const fs::path path = make_small(folder);
  const std::string sound = read_bytes(path);
  const int file = open(path.c_str(), O_WRONLY);
  REQUIRE(file >= 0);
  const auto write_byte = [&](std::size_t at, char byte) {
    REQUIRE(pwrite(file, &byte, 1, static_cast<off_t>(at)) == 1);
  };
  int wrong = 0;
  std::minstd_rand random(1);
  for (std::size_t at = 0; at < sound.size(); ++at) {
    if (at % 2 == random() % 2) continue;
    write_byte(at, static_cast<char>(sound[at] ^ (1U << random() % 8)));
    try {
      wrong += wrong_answers(*BinaryStore::open({.path = path, .access = Access::read_only}));
    } catch (const Error&) {
    }
    write_byte(at, sound[at]);
  }
  close(file);
  CHECK(wrong == 0);
  CHECK(wrong_answers(*BinaryStore::open({.path = path, .access = Access::read_only})) == 0);
  CHECK(BinaryStore::open({.path = path})->find_compiled("TILE=64"));
}

TEST_CASE("a build that was turned towards another binary is not found, disappears alone, and can be put back") {
  const TemporaryFolder folder;
  const fs::path path = make_small(folder);
  sql(path, "UPDATE build SET binary_id = 2 WHERE build_id = 1");
  for (const Access access : {Access::read_only, Access::read_write}) {
    const auto store = BinaryStore::open({.path = path, .access = access});
    CHECK_FALSE(store->find_compiled("TILE=16"));
    CHECK(contains(store->trouble().value_or(""), "what it was compiled from"));
    CHECK(store->find_compiled("TILE=32"));
    CHECK_FALSE(store->trouble());
  }
  const auto store = BinaryStore::open({.path = path});
  CHECK(store->put(binary_of_tile("16")));
  CHECK(store->find_compiled("TILE=16")->bytes == binary_of_tile("16").bytes);
}

TEST_CASE("of two kernels that one source compiles to the same bytes the second got the symbol of the first") {
  const TemporaryFolder folder;
  Binary first = binary_of_tile("16"), second = first;
  second.compile_key = "another kernel";
  second.kernel = "shift";
  const auto store = BinaryStore::open({.path = folder / "binaries.db"});
  store->put(first);
  store->put(second);
  CHECK(store->find_compiled(first.compile_key)->kernel == "copy");
  CHECK(store->find_compiled("another kernel")->kernel == "shift");
  const auto reader = BinaryStore::open({.path = folder / "binaries.db", .access = Access::read_only});
  CHECK(reader->find_compiled(first.compile_key)->kernel == "copy");
  CHECK(reader->find_compiled("another kernel")->kernel == "shift");
}

std::string old_key(const std::string& kernel, const std::string& tile) {
  return "binary1|kernel=" + kernel + "|architecture=sm_90|name=|define=TILE|as=" + tile;
}

TEST_CASE("binaries of a file of format 1 are found once it is brought up to date") {
  const TemporaryFolder folder;
  const fs::path path = old_file(folder, "binaries");
  const auto store = BinaryStore::open({.path = path});
  CHECK(sql(path, "PRAGMA user_version") == std::vector<std::string>{"2"});
  for (const char* const tile : {"16", "32", "33"}) {
    const auto found = store->find_compiled(old_key("copy 1111", tile));
    REQUIRE(found);
    CHECK(found->kernel == "_Z4copyPfi");
    CHECK(found->resource_log == "Used 32 registers, TILE=" + std::string(tile));
    CHECK(found->bytes.size() == 40 * std::string(tile == std::string("16") ? "sixteen" : "thirtytwo").size());
  }
  // Which of these two the symbol belongs to is not known.
  CHECK_FALSE(store->find_compiled(old_key("scale 2222", "16")));
  CHECK_FALSE(store->find_compiled(old_key("shift 2222", "16")));
  const auto reader = BinaryStore::open({.path = path, .access = Access::read_only});
  CHECK(reader->find_compiled(old_key("copy 1111", "16")));
}

TEST_CASE(
    "from a file of format 1 that is only read the binary is taken that a decision names, and it stays as it is") {
  const TemporaryFolder folder;
  const fs::path path = old_file(folder, "binaries");
  const std::string before = read_bytes(path);
  const Hash hash{sql(path, "SELECT hash FROM binary WHERE binary_id = 1").at(0)};
  const auto reader = BinaryStore::open({.path = path, .access = Access::read_only});
  const auto found = reader->find_compiled(old_key("copy 1111", "16"), hash);
  REQUIRE(found);
  CHECK(found->hash == hash);
  CHECK_FALSE(reader->find_compiled(old_key("copy 1111", "32"), hash));
  CHECK_FALSE(reader->find_compiled(old_key("copy 1111", "16")));
  CHECK_FALSE(reader->trouble());
  CHECK(read_bytes(path) == before);
}

}  // namespace
}  // namespace tuner::cache::test
