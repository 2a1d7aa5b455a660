#include "cache/store/binary_store.hpp"

#include <sys/stat.h>

#include "cache/file/hash.hpp"
#include "cache/schema/set_aside.hpp"
#include "cache/sqlite/sqlite.hpp"
#include "tests/cache/examples.hpp"

namespace tuner::cache::test {
namespace {

Binary some_binary(const std::string& name, std::size_t size = 1000) {
  Binary binary = binary_of("key of " + name, name, size);
  binary.resource_log = "log of " + name;
  return binary;
}

class Binaries {
 public:
  explicit Binaries(std::int64_t limit_bytes = 1 << 20) : limit_bytes_(limit_bytes) {}
  std::chrono::milliseconds busy_timeout{5000};
  std::filesystem::path path() const { return folder_ / "binaries.db"; }
  const TemporaryFolder& folder() const { return folder_; }
  std::unique_ptr<BinaryStore> open(Access access = Access::read_write) {
    // Every look at the clock is a day later: each use is seen as later than the one before.
    return BinaryStore::open(
        {.path = path(), .access = access, .busy_timeout = busy_timeout, .limit_bytes = limit_bytes_, .clock = [this] {
           return now_ms_ += 86'400'000;
         }});
  }

 private:
  TemporaryFolder folder_;
  std::int64_t limit_bytes_;
  std::int64_t now_ms_ = 0;
};

void check_same_binary(const std::optional<Binary>& found, const Binary& expected) {
  REQUIRE(found);
  CHECK(found->hash == content_hash(expected.bytes));
  CHECK(found->architecture == expected.architecture);
  CHECK(found->compile_key == expected.compile_key);
  CHECK(found->kernel == expected.kernel);
  CHECK(found->resource_log == expected.resource_log);
  CHECK(found->bytes == expected.bytes);
}

/// The names, "a" to "g", of the binaries that are there, which are used in this order.
std::string kept(BinaryStore& store) {
  std::string names;
  for (const char name : {'a', 'b', 'c', 'd', 'e', 'f', 'g'}) {
    if (store.find_compiled(std::string("key of ") + name)) names += name;
  }
  return names;
}

TEST_CASE("a binary comes back by its hash and by what it was compiled from") {
  Binaries binaries;
  const Binary a = some_binary("a");
  const Binary b = some_binary("b", 300'000);
  {
    const auto store = binaries.open();
    CHECK(store->put(a));
    CHECK(store->put(b, Keep::pinned));
  }
  for (const Access access : {Access::read_write, Access::read_only}) {
    const auto store = binaries.open(access);
    CHECK(store->distrust().value_or("") == "");
    check_same_binary(store->find(content_hash(a.bytes)), a);
    check_same_binary(store->find(content_hash(b.bytes)), b);
    check_same_binary(store->find_compiled(a.compile_key), a);
    check_same_binary(store->find_compiled(b.compile_key), b);
    CHECK_FALSE(store->find(content_hash("c")));
    CHECK_FALSE(store->find_compiled("key of c"));
  }
}

TEST_CASE("several builds may end in one binary, which is kept once") {
  Binaries binaries;
  const auto store = binaries.open();
  const Binary first = some_binary("a");
  Binary second = first;
  second.compile_key = "another key";
  second.resource_log = "another log";
  store->put(first);
  store->put(second);
  check_same_binary(store->find_compiled(first.compile_key), first);
  check_same_binary(store->find_compiled(second.compile_key), second);
  check_same_binary(store->find(content_hash(first.bytes)), second);
  CHECK(sql(binaries.path(), "SELECT count(*) FROM binary") == std::vector<std::string>{"1"});
}

TEST_CASE("the time since a binary was used overflowed where a file has a date that cannot be") {
  Binaries binaries;
  const Binary a = some_binary("a");
  binaries.open()->put(a);
  for (const char* const used : {"-9223372036854775808", "9223372036854775807"}) {
    sql(binaries.path(), std::string("UPDATE binary SET last_used_unix_ms = ") + used);
    check_same_binary(binaries.open()->find_compiled(a.compile_key), a);
    CHECK(sql(binaries.path(), "SELECT last_used_unix_ms FROM binary").at(0) != used);
  }
}

TEST_CASE("of several that are put together all are there, or none") {
  Binaries binaries;
  const auto store = binaries.open();
  const std::vector<BinaryToKeep> both{{some_binary("a")}, {some_binary("b"), Keep::pinned}};
  store->put_all(both);
  for (const auto& [binary, keep] : both) check_same_binary(store->find_compiled(binary.compile_key), binary);
  CHECK(sql(binaries.path(), "SELECT keep FROM binary ORDER BY keep") == std::vector<std::string>{"0", "1"});

  std::vector<BinaryToKeep> one_is_wrong{{some_binary("c")}, {some_binary("d")}};
  one_is_wrong.back().binary.hash = content_hash("something else");
  error_of(Errc::internal, [&] { store->put_all(one_is_wrong); });
  CHECK_FALSE(store->find_compiled(some_binary("c").compile_key));
}

TEST_CASE("what was compiled again for the same key replaces what was there") {
  Binaries binaries;
  const auto store = binaries.open();
  store->put(some_binary("a"));
  Binary again = some_binary("b");
  again.compile_key = some_binary("a").compile_key;
  store->put(again);
  check_same_binary(store->find_compiled(again.compile_key), again);
}

TEST_CASE("two keys with the same hash are told apart by their text") {
  Binaries binaries;
  const auto store = binaries.open();
  store->put(some_binary("a"));
  sql(binaries.path(), "UPDATE build SET key_hash = '" + content_hash("key of b").text + "'");
  CHECK_FALSE(store->find_compiled("key of b"));
}

TEST_CASE("a binary with a flipped byte is not found, disappears, and can be put back") {
  Binaries binaries;
  const Binary a = some_binary("a");
  binaries.open()->put(a);
  std::string bytes = read_bytes(binaries.path());
  const std::size_t place = bytes.find(std::string(500, 'a'));
  REQUIRE(place != std::string::npos);
  bytes[place + 250] = 'b';
  write_bytes(binaries.path(), bytes);

  CHECK_FALSE(binaries.open(Access::read_only)->find(content_hash(a.bytes)));
  CHECK(sql(binaries.path(), "SELECT count(*) FROM binary") == std::vector<std::string>{"1"});
  SUBCASE("found out when it is looked for") {
    const auto store = binaries.open();
    CHECK_FALSE(store->find_compiled(a.compile_key));
    CHECK(contains(store->trouble().value_or(""), "The binary of `" + a.kernel + "` in " + binaries.path().string()));
    CHECK_FALSE(store->find_compiled(a.compile_key));
    CHECK_FALSE(store->trouble());  // there is none any more
    CHECK(sql(binaries.path(), "SELECT count(*) FROM binary") == std::vector<std::string>{"0"});
    CHECK(sql(binaries.path(), "SELECT count(*) FROM build") == std::vector<std::string>{"0"});
  }
  SUBCASE("repaired without having been noticed") {}
  const auto store = binaries.open();
  CHECK(store->put(a));
  check_same_binary(store->find(content_hash(a.bytes)), a);
}

TEST_CASE("the least recently used binaries make room for new ones") {
  Binaries binaries(3'500);
  const auto store = binaries.open();
  for (const char* const name : {"a", "b", "c"}) CHECK(store->put(some_binary(name)));
  CHECK(kept(*store) == "abc");
  CHECK(store->find_compiled("key of a"));
  CHECK(store->put(some_binary("d")));
  CHECK(kept(*store) == "acd");
  CHECK(store->size_bytes() <= 3'500);
}

TEST_CASE("pinned binaries go last, but the limit is a limit") {
  Binaries binaries(3'500);
  const auto store = binaries.open();
  store->put(some_binary("a"), Keep::pinned);
  store->put(some_binary("a"));  // pinned it stays
  store->put(some_binary("b"), Keep::pinned);
  for (const char* const name : {"c", "d", "e"}) store->put(some_binary(name));
  CHECK(kept(*store) == "abe");
  store->put(some_binary("f"), Keep::pinned);
  CHECK(kept(*store) == "abf");
  store->put(some_binary("g"), Keep::pinned);
  CHECK(kept(*store) == "bfg");
  CHECK(store->size_bytes() <= 3'500);
}

TEST_CASE("a binary beyond the whole limit is not kept and drives nothing out") {
  Binaries binaries(3'500);
  const auto store = binaries.open();
  store->put(some_binary("a"));
  CHECK_FALSE(store->put(some_binary("b", 4'000)));
  CHECK(store->find_compiled("key of a"));
}

TEST_CASE("the file does not grow beyond its limit by much, whatever goes through it") {
  Binaries binaries(200'000);
  const auto store = binaries.open();
  for (int i = 0; i < 60; ++i) store->put(some_binary("binary " + std::to_string(i), 20'000));
  CHECK(store->size_bytes() <= 200'000);
  CHECK(std::filesystem::file_size(binaries.path()) < 300'000);
}

TEST_CASE("a binary that is handed over with a hash of other bytes is refused") {
  Binaries binaries;
  Binary binary = some_binary("a");
  binary.hash = content_hash("something else");
  error_of(Errc::internal, [&] { binaries.open()->put(binary); });
  CHECK_FALSE(binaries.open()->find_compiled(binary.compile_key));
}

TEST_CASE("nothing is loaded from a file that others may write, and nothing is put there") {
  Binaries binaries;
  const Binary a = some_binary("a");
  binaries.open()->put(a);
  REQUIRE(chmod(binaries.path().c_str(), 0666) == 0);
  const auto store = binaries.open();
  CHECK(store->distrust().value_or("") == "Compiled binaries are neither read from " + binaries.path().string() +
                                              " nor stored there, because " + binaries.path().string() +
                                              " is writable by its group or by everyone (`chmod go-w " +
                                              binaries.path().string() + "` changes that).");
  CHECK_FALSE(store->find(content_hash(a.bytes)));
  CHECK_FALSE(store->find_compiled(a.compile_key));
  CHECK_FALSE(store->put(some_binary("b")));
  REQUIRE(chmod(binaries.path().c_str(), 0600) == 0);
  REQUIRE(chmod(binaries.folder().path().c_str(), 0777) == 0);
  CHECK_FALSE(binaries.open()->find(content_hash(a.bytes)));
  REQUIRE(chmod(binaries.folder().path().c_str(), 0700) == 0);
  CHECK(binaries.open()->find(content_hash(a.bytes)));
}

TEST_CASE("finding a binary neither waits for a writer nor fails because of it") {
  Binaries binaries;
  binaries.open()->put(some_binary("a"));
  const sqlite::Connection other(binaries.path(), SQLITE_OPEN_READWRITE, std::chrono::seconds(1));
  other.execute("BEGIN IMMEDIATE");
  binaries.busy_timeout = std::chrono::hours(1);  // it would not come back
  CHECK(binaries.open()->find_compiled("key of a"));
}

TEST_CASE("the databases of decisions and of binaries are not mistaken for each other") {
  Binaries binaries;
  binaries.open();
  error_of(Errc::store_unavailable, [&] { open_store(binaries.path()); });
  open_store(binaries.folder() / "decisions.db");
  error_of(Errc::store_unavailable, [&] { BinaryStore::open({.path = binaries.folder() / "decisions.db"}); });
}

TEST_CASE("a damaged file of binaries is told, and can be set aside") {
  Binaries binaries;
  binaries.open()->put(some_binary("a"));
  write_bytes(binaries.path(), std::string(8192, 'x'));
  check_error(Errc::store_damaged, {binaries.path().string()}, [&] { binaries.open(); });
  CHECK(set_aside_damaged(binaries.path()));
  CHECK(binaries.open()->put(some_binary("a")));
  CHECK_FALSE(set_aside_damaged(binaries.path()));
}

}  // namespace
}  // namespace tuner::cache::test
