// What `tuner pull` makes of a queue's results, with the rows that workers would send.
#include <doctest/doctest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "cache/exchange/key_rows.hpp"
#include "tests/fleet/server.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/fleet/job/row_text.hpp"
#include "tuner/fleet/queue/pull.hpp"
#include "tuner/fleet/queue/queue.hpp"

using namespace tuner;
using namespace tuner::test;
using namespace tuner::fleet;

namespace {

std::vector<std::string> rows_of(const std::string& session, const std::string& mode) {
  cache::Trial trial;
  trial.key = {"k", "identity", "n=1", "GPU", mode, "time"};
  trial.session = session;
  trial.configuration = "BLOCK=128";
  trial.time_ns = 1000;
  trial.samples_ns = {1000};
  return row_texts({.key = trial.key, .trials = {trial}});
}

class NoTemporaryFolder {
 public:
  NoTemporaryFolder() { setenv("TMPDIR", "/nonexistent", 1); }
  ~NoTemporaryFolder() { before_ ? setenv("TMPDIR", before_->c_str(), 1) : unsetenv("TMPDIR"); }
  NoTemporaryFolder(const NoTemporaryFolder&) = delete;
  NoTemporaryFolder& operator=(const NoTemporaryFolder&) = delete;

 private:
  const std::optional<std::string> before_ =
      std::getenv("TMPDIR") == nullptr ? std::nullopt : std::optional<std::string>(std::getenv("TMPDIR"));
};

}  // namespace

TEST_CASE("a job was pulled in two parts, of which a kill between them lost the second for good") {
  Server server;
  server.add_login("anna", "vision", {"submit", "read"});
  server.add_login("hand", "vision", {"work"});
  const auto as = [&](const std::string& login) { return Queue(Address(server.address(login))); };
  const std::string source = "a source";
  const auto work = [&](const std::string& session, const std::vector<std::string>& modes) {
    as("anna").submit("", {&source, 1}, {{{.file = "f.cu", .kernel = "k", .problem = "n=1", .spec = session}}});
    const Taken taken = as("hand").take("hand", "GPU").value();
    std::vector<std::string> rows;
    for (const std::string& mode : modes) {
      for (std::string& row : rows_of(session, mode)) rows.push_back(std::move(row));
    }
    REQUIRE(as("hand").store_rows(taken, rows));
    REQUIRE(as("hand").finish(taken, session, rows.size(), ""));
  };
  work("first", {"warm"});
  work("second", {"cold", "warm"});
  const TemporaryFolder folder;
  Queue reader = as("anna");
  // Ctrl-C left the folder that pull made there, and where its disk was full, pull advised --db.
  const NoTemporaryFolder nowhere;
  const Pulled pulled = pull(reader, folder / "pulled.db", [](const std::string& sentence) { FAIL_CHECK(sentence); });
  CHECK(pulled.jobs == 2);
  // In the order of the imports, each of which is one transaction.
  std::vector<std::string> modes;
  for (const cache::ImportedKey& imported : pulled.keys) modes.push_back(imported.key.mode);
  CHECK(modes == std::vector<std::string>{"warm", "cold", "warm"});
}
