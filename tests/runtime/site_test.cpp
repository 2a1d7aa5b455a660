// A program in an installed tree that has a database for all who use the tree. This program is that program: it is
// built below a folder of its own, site/bin.
#include "tests/runtime/machine.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

namespace fs = std::filesystem;

/// share/tuner of the tree that this program is in, for the life of this object.
struct Shared {
  Shared() { fs::remove_all(folder); }
  ~Shared() { fs::remove_all(folder); }
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "share/tuner";
};

std::string configuration(int block) {
  return "BLOCK=" + std::to_string(block) + ",ITEMS=1,STORE=streaming";
}

TEST_CASE("the database of the installed tree serves without being named, after those that are") {
  const Shared shared;
  Machine machine;
  const auto served_by = [&] {
    Runtime runtime(machine.options());
    Kernel kernel = runtime.kernel(wave());
    const Instance& instance = kernel.request({100, 1000});
    CHECK(launched(instance) == instance.provenance().configuration);
    return instance.provenance();
  };
  machine.tuned({.configuration = configuration(256)}, shared.folder / "system.db");
  const Provenance provenance = served_by();
  CHECK(provenance.rung == Rung::exact);
  CHECK(provenance.configuration == configuration(256));
  CHECK(provenance.database == shared.folder / "system.db");

  machine.tuned({.configuration = configuration(64)}, machine.folder() / "named");
  const Variable named("TUNER_SYSTEM_DB", (machine.folder() / "named").string());
  CHECK(served_by().configuration == configuration(64));
  CHECK(machine.notices().empty());
}

TEST_CASE("where others could have changed the tree's binaries, its decisions serve, and the binary is missing") {
  const Shared shared;
  Machine machine;
  machine.tuned({}, shared.folder / "system.db");
  fs::permissions(shared.folder / "binaries.db", fs::perms::others_write, fs::perm_options::add);
  Runtime runtime(machine.options());
  runtime.kernel(wave()).request({100, 1000});
  std::string said;
  for (const std::string& sentence : machine.heard(Notice::Kind::database)) said += sentence + "\n";
  CHECK(contains(said, "chmod go-w"));
}

TEST_CASE("a tree without a database is nothing to report") {
  const Shared shared;
  Machine machine;
  Runtime runtime(machine.options());
  runtime.kernel(wave()).request({100, 1000});
  CHECK(machine.heard(Notice::Kind::database).empty());
}

}  // namespace
