#pragma once

#include <csignal>
#include <map>

#include "cache/sqlite/sqlite.hpp"
#include "tests/cache/support.hpp"

namespace tuner::cache::test {

/// A database with a transaction that a killed process left half-written.
class HalfWritten {
 public:
  HalfWritten() {
    {
      const auto store = open_store(path());
      store->record_trials(full_trials(200));
      store->record_decision(full_decision());
    }
    sound_ = read_bytes(path());
    const int status = in_child([&] {
      const sqlite::Connection connection(path(), SQLITE_OPEN_READWRITE, std::chrono::seconds(1));
      connection.execute("PRAGMA cache_size = 5");  // pages reach the file before the commit
      connection.execute("BEGIN IMMEDIATE; UPDATE trial SET message = hex(randomblob(500)), sequence = -1");
      raise(SIGKILL);
    });
    REQUIRE(status == 128 + SIGKILL);
    REQUIRE(std::filesystem::exists(journal()));
    REQUIRE(read_bytes(path()) != sound_);
  }
  std::filesystem::path path() const { return folder_ / "db/decisions.db"; }
  std::filesystem::path journal() const { return path().string() + "-journal"; }
  /// The bytes of the database before that transaction.
  const std::string& sound() const { return sound_; }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

  /// Makes the journal one of a transaction over several files, which ends in deleting the file of this name: the last
  /// record of a journal, as the file format has it.
  void name_super_journal(const std::filesystem::path& file) const {
    const std::string name = file.string();
    std::uint32_t sum = 0;
    for (const char c : name) sum += static_cast<std::uint32_t>(static_cast<signed char>(c));
    const auto number = [](std::uint32_t value) {
      std::string bytes;
      for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
      return bytes;
    };
    write_bytes(journal(), read_bytes(journal()) + number(0x40000000 / 4096 + 1) + name +
                               number(static_cast<std::uint32_t>(name.size())) + number(sum) +
                               "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7");
  }

  /// Every file below the folder with what it holds.
  std::map<std::string, std::string> listing() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      files[entry.path().string()] = entry.is_regular_file() ? read_bytes(entry.path()) : "";
    }
    return files;
  }

 private:
  TemporaryFolder folder_;
  std::string sound_;
};

}  // namespace tuner::cache::test
