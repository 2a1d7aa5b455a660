#include "cache/store/quick_look.hpp"

#include <csignal>
#include <random>

#include "cache/file/hash.hpp"
#include "cache/sqlite/sqlite.hpp"
#include "cache/store/binary_store.hpp"
#include "cache/store/rows.hpp"
#include "cache/store/schema.hpp"
#include "tests/cache/support.hpp"

namespace tuner::cache::test {
namespace {

constexpr const char* kProblems[] = {"rows=1", "rows=2", "rows=3", "rows=4", "rows=5", "rows=6", "rows=7"};

/// A database of some hundred tasks in which every kind of row and every length of text occurs.
std::vector<DecisionKey> fill(const std::filesystem::path& path, std::minstd_rand& random) {
  const auto text_of = [&](std::size_t longest) {
    return std::string(random() % longest, static_cast<char>('a' + random() % 26));
  };
  std::vector<DecisionKey> keys;
  const auto connection =
      open_database(path, Access::read_write, std::chrono::seconds(1), Durability::precious, decisions_format());
  sqlite::write(*connection, [&] {
    for (int i = 0; i < 300; ++i) {
      Decision decision = random() % 8 == 0 ? bare_decision() : full_decision();
      decision.key.kernel_identity = "kernel " + std::to_string(random() % 9);
      decision.key.problem = kProblems[random() % std::size(kProblems)] + text_of(i % 10 == 0 ? 9000 : 30);
      decision.key.device = "device " + std::to_string(random() % 3);
      decision.session = text_of(4);
      decision.time_ns = static_cast<double>(random() % 3) * (random() % 2 == 0 ? 1.0 : 0.37);
      decision.launch = text_of(i % 7 == 0 ? 20000 : 50);
      decision.race_blocks = static_cast<std::int64_t>(random()) * (random() % 2 == 0 ? -1 : 1) << random() % 30;
      decision.counters["many"] = -static_cast<std::int64_t>(random() % 300);
      decision.origin = static_cast<Origin>(random() % 3);
      decision.created_unix_ms = i + 1;
      insert_decision(*connection, decision);
      keys.push_back(decision.key);
      if (random() % 20 == 0) forget_rows(*connection, {.problem = decision.key.problem}, Forget::everything);
    }
  });
  return keys;
}

template <class Look>
auto look_at(const std::filesystem::path& path, const Look& look) {
  const auto quick = QuickLook::open(path, decisions_format());
  using Found = decltype((*quick)(look));
  return quick ? (*quick)(look) : Found{};
}

/// Whether the file is read without SQLite.
bool is_plain(const std::filesystem::path& path) {
  return look_at(path, [](PageFile& file) { return read_served(file, some_key()); }).has_value();
}

void check_same_answers(const std::filesystem::path& path, const std::vector<DecisionKey>& keys) {
  const auto store = open_store(path);  // for writing: SQLite alone
  for (const DecisionKey& key : keys) {
    const auto expected = store->find_decision(key);
    const auto found = look_at(path, [&](PageFile& file) { return read_served(file, key); });
    REQUIRE(found);
    REQUIRE(found->has_value() == expected.has_value());
    if (expected) {
      check_same(**found, *expected);
      CHECK((*found)->row == expected->row);
    }
  }
  for (std::int64_t row = 0; row <= 301; ++row) {
    const auto expected = store->find_decision(row);
    const auto found = look_at(path, [&](PageFile& file) { return read_decision(file, row); });
    REQUIRE(found);
    REQUIRE(found->has_value() == expected.has_value());
    if (expected) check_same(**found, *expected);
  }
  for (int kernel = 0; kernel < 10; ++kernel) {
    DecisionKey key = some_key();
    key.kernel_identity = "kernel " + std::to_string(kernel);
    const auto expected = store->list_sites(key);
    const auto found = look_at(path, [&](PageFile& file) { return read_sites(file, key); });
    REQUIRE(found);
    REQUIRE(found->size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK((*found)[i].row == expected[i].row);
      CHECK((*found)[i].problem == expected[i].problem);
      CHECK((*found)[i].device == expected[i].device);
      CHECK((*found)[i].kernel_name == expected[i].kernel_name);
      CHECK((*found)[i].configuration == expected[i].configuration);
      CHECK((*found)[i].time_ns == expected[i].time_ns);
      CHECK((*found)[i].awkward_sizes == expected[i].awkward_sizes);
      CHECK((*found)[i].created_unix_ms == expected[i].created_unix_ms);
    }
  }
}

TEST_CASE("a quick look finds what SQLite finds, whatever the size of pages, rows and trees") {
  std::minstd_rand random(1);
  const TemporaryFolder folder;
  const auto path = folder / "decisions.db";
  std::vector<DecisionKey> keys = fill(path, random);
  keys.push_back(some_key());
  check_same_answers(path, keys);
  for (const char* const page_size : {"512", "1024", "65536"}) {
    sql(path, std::string("PRAGMA page_size = ") + page_size + "; VACUUM");
    CAPTURE(page_size);
    check_same_answers(path, keys);
  }
}

TEST_CASE("a binary is found by a quick look, on however many pages it lies") {
  const TemporaryFolder folder;
  const auto path = folder / "binaries.db";
  std::minstd_rand random(1);
  const auto store = BinaryStore::open({.path = path});
  for (const std::size_t size : {0, 1, 3000, 4060, 4092, 4096, 50'000, 400'000}) {
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    const std::string key = std::string(size % 5000, 'k') + std::to_string(size);
    store->put({.architecture = "sm_90", .compile_key = key, .kernel = "k", .resource_log = key, .bytes = bytes});
    const auto quick = QuickLook::open(path, binaries_format());
    REQUIRE(quick);
    const auto found = (*quick)([&](PageFile& file) { return read_compiled(file, key); });
    REQUIRE(found);
    REQUIRE(*found);
    const Binary& binary = (*found)->binary;
    CHECK(binary.bytes == bytes);
    CHECK(binary.hash == content_hash(bytes));
    CHECK(binary.architecture == "sm_90");
    CHECK(binary.kernel == "k");
    CHECK(binary.resource_log == key);
    CHECK(binary.compile_key == key);
  }
}

TEST_CASE("files that are not plain are left to SQLite, which says what is wrong") {
  const TemporaryFolder folder;
  const auto path = folder / "decisions.db";
  CHECK_FALSE(is_plain(path));
  open_store(path)->record_decision(full_decision());
  CHECK(is_plain(path));
  std::filesystem::create_symlink(path, folder / "link.db");
  CHECK_FALSE(is_plain(folder / "link.db"));
  const std::string sound = read_bytes(path);
  const auto after = [&](const std::string& statements) {
    sql(path, statements);
    const bool plain = is_plain(path);
    write_bytes(path, sound);
    return plain;
  };
  CHECK_FALSE(after("PRAGMA user_version = 2"));
  CHECK_FALSE(after("PRAGMA user_version = 4"));
  CHECK_FALSE(after("PRAGMA application_id = 1"));
  CHECK_FALSE(after("PRAGMA journal_mode = WAL"));
  CHECK_FALSE(after("DROP TABLE forgotten"));
  CHECK(is_plain(path));
  write_bytes(path, sound.substr(0, 4096));
  CHECK_FALSE(is_plain(path));
  write_bytes(path, "");
  CHECK_FALSE(is_plain(path));
  error_of(Errc::store_unavailable, [&] { open_store(path, Access::read_only); });
}

TEST_CASE(
    "beside a writer a quick look sees what is committed, and leaves a commit and what is half-written to SQLite") {
  const TemporaryFolder folder;
  const auto path = folder / "decisions.db";
  open_store(path)->record_decision(full_decision());
  const auto reader = open_store(path, Access::read_only);
  {
    const sqlite::Connection writer(path, SQLITE_OPEN_READWRITE, std::chrono::seconds(1));
    writer.execute("BEGIN IMMEDIATE; UPDATE decision SET configuration = 'not yet'");
    REQUIRE(std::filesystem::exists(path.string() + "-journal"));
    CHECK(is_plain(path));
    CHECK(reader->find_decision(some_key())->configuration == full_decision().configuration);
    writer.execute("COMMIT");
    CHECK(reader->find_decision(some_key())->configuration == "not yet");
    writer.execute("BEGIN EXCLUSIVE");
    CHECK_FALSE(is_plain(path));
  }
  CHECK(is_plain(path));
  CHECK(in_child([&] {
          const sqlite::Connection writer(path, SQLITE_OPEN_READWRITE, std::chrono::seconds(1));
          writer.execute("PRAGMA cache_size = 5");  // pages reach the file before the commit
          writer.execute("BEGIN IMMEDIATE; UPDATE decision SET configuration = 'never'");
          writer.execute(
              "CREATE TABLE filler (x); INSERT INTO filler WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT "
              "x + 1 FROM n LIMIT 2000) SELECT hex(randomblob(100)) FROM n");
          raise(SIGKILL);
        }) == 128 + SIGKILL);
  CHECK_FALSE(is_plain(path));
  CHECK(reader->find_decision(some_key())->configuration == "not yet");
  CHECK_FALSE(is_plain(path));  // a reader leaves it as it is
  open_store(path);
  CHECK(is_plain(path));  // a writer has rolled it back
  CHECK(reader->find_decision(some_key())->configuration == "not yet");
}

TEST_CASE("a quick look takes no lock away from a connection of the same process") {
  const TemporaryFolder folder;
  const auto path = folder / "decisions.db";
  open_store(path)->record_decision(full_decision());
  const sqlite::Connection writer(path, SQLITE_OPEN_READWRITE, std::chrono::seconds(1));
  writer.execute("BEGIN IMMEDIATE");
  CHECK(open_store(path, Access::read_only)->find_decision(some_key()));
  CHECK(in_child([&] {
          if (!open_store(path, Access::read_only)->find_decision(some_key())) throw std::runtime_error("not found");
          const sqlite::Connection second(path, SQLITE_OPEN_READWRITE, std::chrono::milliseconds(0));
          second.execute("BEGIN IMMEDIATE");
        }) == 1);
  writer.execute("COMMIT");
}

TEST_CASE("a file that takes another one's place is read, not the one before it") {
  const TemporaryFolder folder;
  const auto path = folder / "decisions.db";
  open_store(path)->record_decision(full_decision());
  const auto reader = open_store(path, Access::read_only);
  CHECK(reader->find_decision(some_key()));
  Decision other = full_decision();
  for (const char* const configuration : {"second", "third"}) {
    other.configuration = configuration;
    open_store(folder / "next.db")->record_decision(other);
    std::filesystem::rename(folder / "next.db", path);
    CHECK(reader->find_decision(some_key())->configuration == configuration);
    CHECK(reader->list_decisions({}).at(0).configuration == configuration);
  }
}

/// Descriptors of files that have no name any more.
int count_deleted(const TemporaryFolder& folder) {
  int count = 0;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string file = std::filesystem::read_symlink(each.path(), gone).string();
    count += file.starts_with(folder.path().string()) && file.ends_with(" (deleted)") ? 1 : 0;
  }
  return count;
}

TEST_CASE("a file that was replaced is closed, unless somebody in this process has it open") {
  const TemporaryFolder folder;
  const auto path = folder / "decisions.db";
  const auto replace = [&] {
    open_store(folder / "next.db")->record_decision(full_decision());
    std::filesystem::rename(folder / "next.db", path);
  };
  replace();
  const auto reader = open_store(path, Access::read_only);
  for (int i = 0; i < 5; ++i) {
    replace();
    CHECK(reader->find_decision(some_key()));
    CHECK(count_deleted(folder) == 0);
  }
  {
    const sqlite::Connection other(path, SQLITE_OPEN_READWRITE, std::chrono::seconds(1));
    replace();
    CHECK(reader->find_decision(some_key()));
    CHECK(count_deleted(folder) == 2);
  }
  replace();
  CHECK(reader->find_decision(some_key()));
  CHECK(count_deleted(folder) == 0);
}

TEST_CASE("a file of binaries that takes another one's place is trusted for what it is itself") {
  const TemporaryFolder folder;
  const auto path = folder / "binaries.db";
  const auto make = [&](const std::filesystem::path& file) {
    BinaryStore::open({.path = file})->put({.architecture = "sm_90", .compile_key = "key", .kernel = "k"});
  };
  make(path);
  const auto reader = BinaryStore::open({.path = path, .access = Access::read_only});
  CHECK(reader->find_compiled("key"));
  make(folder / "next.db");
  std::filesystem::permissions(folder / "next.db", std::filesystem::perms(0666));
  SUBCASE("where SQLite opens it") {}
  SUBCASE("where SQLite refuses it, so that only a quick look is left") {
    sql(folder / "next.db",
        "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('table', 'x', 'x', 2, 'CREATE TABLE x (')");
  }
  std::filesystem::rename(folder / "next.db", path);
  for (int i = 0; i < 2; ++i) {
    try {
      CHECK_FALSE(reader->find_compiled("key"));
    } catch (const Error&) {
      CHECK(i == 0);  // the file cannot be opened; what counts is that nothing is read from it afterwards
    }
  }
  CHECK(reader->distrust());
  make(folder / "sound.db");
  std::filesystem::rename(folder / "sound.db", path);
  CHECK(reader->find_compiled("key"));
  CHECK_FALSE(reader->distrust());
}

TEST_CASE("a reader of binaries changes nothing: damaged ones are not found and stay, and nothing is marked as used") {
  const TemporaryFolder folder;
  const auto path = folder / "binaries.db";
  {
    const auto store = BinaryStore::open({.path = path, .clock = [] { return std::int64_t{1}; }});
    for (const std::size_t size : {5000, 6000}) {
      const std::vector<std::byte> code(size, std::byte{42});
      store->put({.architecture = "sm_90", .compile_key = std::to_string(size), .kernel = "k", .bytes = code});
    }
  }
  sql(path, "UPDATE binary SET bytes = zeroblob(10) WHERE binary_id = 2");
  const std::string hash = sql(path, "SELECT hash FROM binary WHERE binary_id = 2").at(0);
  const std::string before = read_bytes(path);
  for (const bool quick : {true, false}) {
    // Where SQLite has to be asked, because of a file beside it that a quick look does not judge.
    if (!quick) write_bytes(path.string() + "-wal", "");
    const auto reader = BinaryStore::open({.path = path, .access = Access::read_only});
    CHECK_FALSE(reader->find_compiled("6000"));
    CHECK(contains(reader->trouble().value_or(""), "The binary of `k` in " + path.string() + " is damaged"));
    CHECK(reader->find_compiled("5000"));
    CHECK_FALSE(reader->trouble());
    CHECK_FALSE(reader->find(hash));
    CHECK(reader->trouble());
    CHECK_FALSE(reader->find_compiled("another key"));
    CHECK_FALSE(reader->trouble());
    CHECK(read_bytes(path) == before);
  }
}

TEST_CASE("damage anywhere in a file ends a quick look, and nothing else") {
  std::minstd_rand random(7);
  const TemporaryFolder folder;
  const auto path = folder / "decisions.db";
  const std::vector<DecisionKey> keys = fill(path, random);
  const std::string sound = read_bytes(path);
  std::size_t answers = 0;
  for (int i = 0; i < 400; ++i) {
    std::string bytes = sound;
    for (auto flips = 1 + random() % 40; flips > 0; --flips) {
      // Half of them where trees begin: headers of pages and the pointers behind them.
      const std::size_t page = random() % (bytes.size() / 4096) * 4096;
      bytes[page + random() % (random() % 2 == 0 ? 40 : 4096)] = static_cast<char>(random());
    }
    write_bytes(path, bytes);
    for (int look = 0; look < 4; ++look) {
      const DecisionKey& key = keys[random() % keys.size()];
      answers += look_at(path, [&](PageFile& file) { return read_served(file, key); }) ? 1 : 0;
      answers += look_at(path, [&](PageFile& file) { return read_sites(file, key); }) ? 1 : 0;
    }
  }
  MESSAGE(answers << " of 3200 looks found nothing wrong");
  CHECK(answers > 0);
  CHECK(answers < 3200);
}

}  // namespace
}  // namespace tuner::cache::test
