// Databases that others made or that decayed, met by the commands and by a program that uses the library.
#include "tests/attack/attack.hpp"
#include "tests/attack/database_damage.hpp"

namespace tuner::attack {

namespace fs = std::filesystem;

namespace {

const char* const kBases[] = {"full", "full", "full", "full", "full", "full", "full", "format-1", "empty"};

/// What is to be found in db, and how to have it again after a command that may write.
class Attacked {
 public:
  explicit Attacked(Attack& attack) : attack_(attack) {
    copy_as_it_is(attack / "db", attack / "saved/attacked");
    before_ = list(attack / "db");
  }
  fs::path database() {
    if (list(attack_ / "db") != before_) copy_as_it_is(attack_ / "saved/attacked", attack_ / "db");
    return attack_ / "db/decisions.db";
  }
  /// The same under the name that replays use.
  void become_replay() {
    database();
    for (const char* suffix : {"", "-journal", "-wal", "-shm"}) {
      const std::string from = (attack_ / "db/decisions.db").string() + suffix;
      if (fs::symlink_status(from).type() != fs::file_type::not_found)
        fs::rename(from, (attack_ / "db/replay.db").string() + suffix);
    }
  }

 private:
  Attack& attack_;
  Listing before_;
};

void put_database(Attack& attack, Chance& chance) {
  attack.sandbox().clear();
  copy_as_it_is(attack / "../base" / chance.one_of(kBases), attack / "db");
  copy_as_it_is(attack / "../base/in", attack / "in");
  const Target decisions{attack / "db/decisions.db", attack / "outside"};
  const Target binaries{attack / "db/binaries.db", attack / "outside"};
  const Target served{attack / "db/served.db", attack / "outside"};
  const Target wanted{attack / "db/wanted.db", attack / "outside"};
  const bool compiled = fs::exists(binaries.file) && chance.once_in(5);
  const bool starts = fs::exists(served.file) && chance.once_in(5);
  const bool lists = fs::exists(wanted.file) && chance.once_in(5);
  for (std::size_t left = chance.once_in(8) ? 2 : 1; left > 0; --left) {
    const Target& target = compiled ? binaries : starts ? served : lists ? wanted : decisions;
    if (fs::is_regular_file(fs::symlink_status(target.file)))
      attack.note(target.file.filename().string() + ": " + damage_database(chance, target));
  }
}

void run_databases(Attack& attack, Chance& chance) {
  put_database(attack, chance);
  Attacked attacked(attack);
  const std::string database = attack / "db/decisions.db";
  const std::string kernel = chance.one_of({"wave", "scale", "prefetch", "3"});
  const bool json = chance.once_in(3);
  const auto words = [&](std::vector<std::string> all) {
    all.insert(all.end(), {"--db", database});
    if (json && all[0] != "help") all.push_back("--json");
    return all;
  };
  const auto reads = [&](std::vector<std::string> all, std::set<std::string> may_change = {}) {
    attacked.database();
    attack.run(words(std::move(all)), {.may_change = std::move(may_change)});
  };

  reads(chance.once_in(4) ? std::vector<std::string>{"list", "--quarantine"} : std::vector<std::string>{"list"});
  reads({"show", kernel});
  reads({"sizes"});
  reads({"export", attack / "out/all.db", "--with-binaries"}, {"out"});
  attack.sandbox().clear("out");
  reads({"pack", attack / "out/pack"}, {"out"});
  attack.sandbox().clear("out");
  reads({"export", "--header", attack / "out/winners.hpp", attack / "in/wave.cu"}, {"out"});
  const std::string header = "\n" + read_bytes(attack / "out/winners.hpp");
  if (header.find("\n" + kForged) != std::string::npos)
    attack.find("a forged line in a header", "tuner export --header");
  attacked.database();
  attack.run({"complete", "--db", database, "forget", kernel, chance.one_of({"--problem", "--device"}), ""},
             {.exit_codes = {0}});
  reads({"doctor"});
  reads({"wanted"});
  // Without a GPU it comes as far as what it would tune.
  attacked.database();
  attack.run(words({"tune", "--wanted"}), {.may_change = {"db"}});
  attacked.database();
  attack.run(words({"wanted", kernel, "--forget"}), {.may_change = {"db"}});
  attacked.database();
  attack.run({"import", database, "--db", attack / "home/taken-in"}, {.may_change = {"home/taken-in"}});
  attacked.database();
  attack.run(words({"forget", kernel}), {.may_change = {"db"}});
  reads({"prune", "--dry-run"});
  reads({"prune"}, {"db"});
  attacked.become_replay();
  attack.run(words({"tune", "--replay", attack / "in/scale.csv", "--budget", "8", "--seed", "3"}),
             {.may_change = {"db"}, .exit_codes = {0, 1, 2, 6}});

  attacked.database();
  const std::string nothing = attack / "home/none";
  // What it hears is printed by the program, as it likes.
  const bool users = chance.once_in(2);  // else it is a system's
  const std::string attacked_folder = attack / "db";
  attack.run("helper", {"runtime", users ? attacked_folder : nothing, users ? nothing : attacked_folder},
             {.may_change = users ? std::set<std::string>{"db"} : std::set<std::string>{},
              .exit_codes = {0},
              .text_matters = false});
}

}  // namespace

void prepare_databases(Attack& attack) {
  const fs::path base = attack / "../base";
  fs::create_directories(base / "in");
  for (const char* name : {"full", "format-1", "empty"}) fs::create_directories(base / name);
  fs::copy_file(attack.programs().data / "scale.csv", base / "in/scale.csv");
  fs::copy_file(attack.programs().data / "decisions-format-1.sqlite", base / "format-1/decisions.db");
  // A replay leaves a database with many trials, to which the helper adds what a GPU would have.
  const std::set<std::string> everything{"../base", "home", "tmp"};
  attack.run({"tune", "--replay", base / "in/scale.csv", "--db", base / "full"}, {.exit_codes = {0}});
  fs::rename(base / "full/replay.db", base / "full/decisions.db");
  attack.run({"tune", "--replay", base / "in/scale.csv", "--where", "BLOCK == 64", "--db", base / "empty"},
             {.exit_codes = {0}});
  fs::rename(base / "empty/replay.db", base / "empty/decisions.db");
  attack.run({"forget", "--all", "--db", base / "empty"}, {.exit_codes = {0}});
  attack.run("helper", {"prepare", base / "full", base / "in/wave.cu", base / "in/frozen"}, {.exit_codes = {0}});
  copy_as_it_is(base / "full", base / "many");
  attack.run("helper", {"prepare-many", base / "many"}, {.exit_codes = {0}});
}

const Section kDatabases{"databases", 5000, nullptr, run_databases};

}  // namespace tuner::attack
