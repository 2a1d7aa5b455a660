// kill -9 and Ctrl-C of what keeps databases and writes files for others, at any of their changes: whatever a user runs
// next finds everything as it was before or as it is afterwards, and the same command again makes it whole. Links are
// neither followed nor replaced, and a command that fails has changed nothing.
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "tests/attack/attack.hpp"
#include "tests/attack/sql.hpp"

namespace tuner::attack {

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

/// What a user finds in the sandbox: what is in force in databases, which binaries, what files say. By names.
using View = std::map<std::string, std::string>;

struct Upkeep {
  enum class Kind { forget, prune, import, wanted, recover, export_all, pack, report, header, create };
  Kind kind{};
  Words words = {};
  std::string target = {};    ///< what it writes in `out`, if anything
  std::string database = {};  ///< what it changes otherwise
  Words earlier = {};         ///< the command that made what is in its place, if something is
};

void add_rows(Attack& attack, const fs::path& database, const std::string& query, std::string& text) {
  attack.sandbox().clear("saved/view");
  for (const char* suffix : {"", "-journal"}) {
    if (fs::exists(database.string() + suffix))
      fs::copy_file(database.string() + suffix, (attack / "saved/view/copy.db").string() + suffix);
  }
  for (const std::vector<std::string>& row : Sql(attack / "saved/view/copy.db").ask(query)) {
    for (const std::string& value : row) text += value + "|";
    text += "\n";
  }
}

View view_of_all(Attack& attack) {
  View view;
  for (const char* folder : {"db", "out"}) {
    for (const auto& [inner, entry] : list(attack / folder)) {
      const std::string name = folder + ("/" + inner), file = attack / name;
      const std::string kind = fs::path(name).filename();
      if (!S_ISREG(entry.mode) || name.find("/.") != std::string::npos || kind.find(".part-") != std::string::npos)
        continue;
      std::string& text = view[name];
      if (kind.ends_with("binaries.db")) {
        add_rows(attack, file, "SELECT hash FROM binary ORDER BY 1", text);
      } else if (kind.ends_with("served.db")) {
        add_rows(attack, file, "SELECT served_id FROM served ORDER BY 1", text);
      } else if (kind == "wanted.db") {
        add_rows(attack, file, "SELECT kernel_name, problem, launched FROM wanted ORDER BY 1, 2", text);
      } else if (kind.ends_with(".db")) {
        add_rows(attack, file, "SELECT * FROM v_best ORDER BY 1, 2, 3, 4", text);
        add_rows(attack, file, "SELECT kernel, problem, configuration FROM v_latest ORDER BY 1, 2, 3", text);
        add_rows(attack, file, "SELECT * FROM v_quarantine", text);
      } else if (kind.find(".db-") == std::string::npos) {
        text = read_bytes(file);
      } else {
        view.erase(name);
      }
    }
  }
  return view;
}

/// Of every file and folder, without what belongs to an open transaction.
std::set<std::string> names_of_all(Attack& attack) {
  std::set<std::string> names;
  for (const char* folder : {"db", "out"}) {
    for (const auto& [inner, entry] : list(attack / folder)) {
      if (!inner.ends_with(".db-journal")) names.insert(folder + ("/" + inner));
    }
  }
  return names;
}

Upkeep choose_upkeep(Attack& attack, Chance& chance) {
  using Kind = Upkeep::Kind;
  const std::string database = attack / "db/decisions.db", out = attack / "out";
  const bool replaces = chance.once_in(2);
  Upkeep upkeep{chance.one_of({Kind::forget, Kind::forget, Kind::prune, Kind::import, Kind::wanted, Kind::recover,
                               Kind::export_all, Kind::export_all, Kind::pack, Kind::pack, Kind::pack, Kind::report,
                               Kind::header, Kind::create})};
  Words& words = upkeep.words;
  const auto writes = [&](const char* target, Words earlier) {
    upkeep.target = target;
    if (replaces) upkeep.earlier = std::move(earlier);
  };
  switch (upkeep.kind) {
    case Kind::forget:
      words = {"forget", chance.one_of({"--all", "--all", "smooth"})};
      if (chance.once_in(3)) words.insert(words.end(), {"--only", chance.one_of({"decisions", "trials"})});
      upkeep.database = "db/decisions.db";
      break;
    case Kind::prune:
      words = {"prune"};
      upkeep.database = "db/decisions.db";
      break;
    case Kind::import:
      words = {"import", attack / "in/base/decisions.db"};
      upkeep.database = "db/decisions.db";
      break;
    case Kind::wanted:
      words = {"wanted", "--forget"};
      upkeep.database = "db/wanted.db";
      break;
    case Kind::recover:
      words = {"recover", database, out + "/saved.db"};
      upkeep.target = "out/saved.db";
      return upkeep;
    case Kind::export_all: {
      // The earlier one is a part of the new one, or has binaries that this one lacks.
      const Words all{"export", out + "/all.db"}, part{"--kernel", "smooth", "--problem", "n=1"};
      Words earlier = all;
      words = all;
      Words& smaller = chance.once_in(2) ? words : earlier;
      smaller.insert(smaller.end(), part.begin(), part.end());
      earlier.push_back("--with-binaries");
      if (!chance.once_in(4)) words.push_back("--with-binaries");
      writes("out/all.db", std::move(earlier));
      break;
    }
    case Kind::pack:
      words = {"pack", out + "/pack", "smooth"};
      writes("out/pack", {"pack", out + "/pack", "smooth", "--problem", "n=1"});
      break;
    case Kind::report:
      words = {"report", "smooth", "-o", out + "/page.html"};
      writes("out/page.html", {"report", "1", "-o", out + "/page.html"});
      break;
    case Kind::header:
      words = {"export", "--header", out + "/winners.hpp"};
      writes("out/winners.hpp", {"export", "--header", out + "/winners.hpp", "--kernel", "smooth"});
      break;
    case Kind::create:
      upkeep.database = "out/new/decisions.db";
      words = {"import", attack / "in/base/decisions.db"};
      if (chance.once_in(2)) {
        words = {"tune", "--replay", attack / "in/scale.csv", "--budget", "8"};
        upkeep.database = "out/new/replay.db";
      }
      words.insert(words.end(), {"--db", attack / "out/new"});
      return upkeep;
  }
  words.insert(words.end(), {"--db", database});
  if (!upkeep.earlier.empty()) {
    upkeep.earlier.insert(upkeep.earlier.end(), {"--db", database});
    words.push_back("--force");
  }
  return upkeep;
}

const Expectation kMayWrite{.may_change = {"db", "out"}, .exit_codes = {0, 1}};

void prepare_case(Attack& attack, Chance& chance, const Upkeep& upkeep) {
  attack.sandbox().clear();
  copy_as_it_is(attack / "../base/in", attack / "in");
  copy_as_it_is(attack / "../base/many", attack / "in/base");
  const bool into_little = upkeep.kind == Upkeep::Kind::import;
  copy_as_it_is(attack / "../base" / (into_little ? chance.one_of({"empty", "full"}) : "many"), attack / "db");
  const std::string database = attack / "db/decisions.db";
  if (upkeep.kind == Upkeep::Kind::prune) attack.run({"forget", "smooth", "--db", database}, kMayWrite);
  if (!upkeep.earlier.empty()) attack.run(upkeep.earlier, kMayWrite);
}

/// What makes an export or a pack fail half-way.
void put_in_the_way(Attack& attack, Chance& chance, const Upkeep& upkeep) {
  const std::string binaries = attack / "db/binaries.db";
  switch (chance.below(4)) {
    case 0: {  // a page that is not read before its row is
      std::string bytes = read_bytes(binaries);
      const std::size_t from = chance.below(bytes.size());
      for (std::size_t i = from; i < std::min(from + 6000, bytes.size()); ++i) bytes[i] = chance.byte();
      write_bytes(binaries, bytes);
      attack.note("bytes of binaries.db changed from " + std::to_string(from));
      break;
    }
    case 1:
      fs::resize_file(binaries, chance.below(fs::file_size(binaries)));
      attack.note("binaries.db made shorter");
      break;
    case 2:
      fs::permissions(binaries, fs::perms::all);
      attack.note("binaries.db that everyone may write");
      break;
    default:
      if (upkeep.kind == Upkeep::Kind::pack || !upkeep.earlier.empty()) break;
      write_bytes(attack / "out" / chance.one_of({"binaries.db", "all-served.db", "binaries.db-journal"}),
                  "in the way");
      attack.note("a file where binaries are to be");
  }
}

/// Where a link stands in the place of what is written it stays, and so does what it leads to.
void try_link(Attack& attack, Chance& chance, const Upkeep& upkeep) {
  fs::path place = attack / upkeep.target;
  if (upkeep.kind == Upkeep::Kind::export_all && chance.once_in(3)) place = attack / "out/binaries.db";
  fs::remove_all(attack / "outside/place");
  if (fs::exists(place)) {
    fs::rename(place, attack / "outside/place");  // where a link leads that is followed in good faith
  } else {
    write_bytes(attack / "outside/place", "none of your business\n");
  }
  const std::string to = chance.one_of(
      {"../outside/place", "../outside/place", "../outside/nothing", "../outside", "/dev/null", "/dev/full"});
  fs::create_symlink(to, place);
  Words words = upkeep.words;
  if (upkeep.earlier.empty() && upkeep.kind != Upkeep::Kind::recover) words.push_back("--force");
  const bool needed =
      place == attack / upkeep.target || std::find(words.begin(), words.end(), "--with-binaries") != words.end();
  attack.note("a link to " + to + " as " + place.filename().string());
  const Ending ending = attack.run(words, {.may_change = {"out"}, .exit_codes = needed ? std::set{2, 5} : std::set{0}});
  std::error_code error;
  if (fs::read_symlink(place, error) != to) attack.find("a link was replaced", "tuner " + words[0], &ending);
  if (names_of_all(attack).contains(upkeep.target) && needed && place != attack / upkeep.target &&
      !fs::exists(attack / "saved/before/out/all.db"))
    attack.find("half was written beside a link", "tuner " + words[0], &ending);
}

/// Runs a command line whole and counts its changes.
Ending run_counting(Attack& attack, const Words& words, Interruption& interruption) {
  interruption.change = -1;
  Door& door = attack.door("victim");
  door.start(words, attack / "home", nullptr, interruption);
  Ending ending = door.finish();
  const std::size_t at = ending.err.rfind(kChanges);
  interruption.change = at == std::string::npos ? 0 : std::atoi(ending.err.c_str() + at + std::strlen(kChanges));
  ending.err.resize(std::min(at, ending.err.size()));
  return ending;
}

/// Ends a command line with so many changes somewhere: often near its end, where what it made gets its names.
Ending run_interrupted(Attack& attack, Chance& chance, const Words& words, Interruption interruption) {
  const auto most = static_cast<std::size_t>(std::max(1, interruption.change));
  const bool by_time = chance.once_in(10);
  interruption.signal = chance.one_of({SIGKILL, SIGKILL, SIGINT});
  interruption.change = static_cast<int>(chance.once_in(2) ? 1 + chance.below(most)
                                                           : most - chance.below(std::min<std::size_t>(most, 10)));
  if (by_time) interruption.change = 0;
  Door& door = attack.door("victim");
  const pid_t pid = door.start(words, attack / "home", nullptr, interruption);
  if (by_time && !door.ends_within(std::chrono::milliseconds(chance.below(chance.once_in(2) ? 20 : 100))))
    kill(pid, interruption.signal);
  Ending ending = door.finish();
  attack.note("ended by " + text_of(interruption) + (by_time ? " at a moment" : "") + ": " + words[0] +
              (ending.signal == 0 && ending.exit_code != 130 ? ", which had ended" : ""));
  return ending;
}

bool is_same(const View& now, const View& then, const std::string& name) {
  const auto here = now.find(name), there = then.find(name);
  return here == now.end() || there == then.end() ? (here == now.end()) == (there == then.end())
                                                  : here->second == there->second;
}

std::set<std::string> lines_of(const View& view, const std::string& name) {
  std::set<std::string> lines;
  if (!view.contains(name)) return lines;
  std::istringstream text(view.at(name));
  for (std::string line; std::getline(text, line);) lines.insert(line);
  return lines;
}

/// Exported decisions have at least their binaries beside them, and no starts but their own.
bool is_export(const std::string& target, const View& now, const View& then) {
  if (!is_same(now, then, target)) return false;
  if (!then.contains(target)) return true;
  const std::string starts = target.substr(0, target.size() - 3) + "-served.db", binaries = "out/binaries.db";
  const std::set<std::string> here = lines_of(now, binaries), needed = lines_of(then, binaries);
  return std::includes(here.begin(), here.end(), needed.begin(), needed.end()) &&
         (!now.contains(starts) || is_same(now, then, starts));
}

/// A pack gets its name with everything in it. Otherwise decisions come last: what is beside them is not read without
/// them, belongs to more of them than are there, or can be made from them again.
bool is_whole(const Upkeep& upkeep, const View& now, const View& before, const View& after) {
  if (now == before || now == after) return true;
  if (upkeep.kind == Upkeep::Kind::pack) return false;
  if (upkeep.kind == Upkeep::Kind::export_all)
    return is_export(upkeep.target, now, before) || is_export(upkeep.target, now, after);
  if (!is_same(now, before, upkeep.target.empty() ? upkeep.database : upkeep.target)) return false;
  return std::all_of(now.begin(), now.end(), [&](const auto& each) {
    return is_same(now, before, each.first) || is_same(now, after, each.first);
  });
}

std::string describe_halves(const View& now, const View& before, const View& after) {
  std::string text = ", and now";
  for (const auto& [name, content] : now) {
    const auto is_in = [&, &name = name, &content = content](const View& view) {
      return view.contains(name) && view.at(name) == content;
    };
    if (is_in(before) && is_in(after)) continue;
    text += " " + name + (is_in(before) ? " is as before;" : is_in(after) ? " is as afterwards;" : " is neither;");
  }
  return text;
}

/// What a command comes to when nobody ends it.
struct Course {
  Upkeep upkeep;
  std::string said;
  bool troubled = false;
  View before, after;
  std::set<std::string> names;  ///< that are there before or afterwards
  int exit_code = 0;

  bool is_half(const View& now) const {
    // What is created has as many rows as there was time for.
    return upkeep.kind != Upkeep::Kind::create && !is_whole(upkeep, now, before, after);
  }
};

void no_names_but_these(Attack& attack, const Course& course, const std::string& beginning, const char* what) {
  if (course.upkeep.kind == Upkeep::Kind::create) return;
  for (const std::string& name : names_of_all(attack)) {
    if (!course.names.contains(name) && name.find(beginning) != std::string::npos)
      return attack.find(what, "tuner " + course.said + ", '" + name + "'");
  }
}

void look_around(Attack& attack, Chance& chance, const Course& course) {
  const std::string& changed = course.upkeep.database;
  const std::string database = attack / (changed.starts_with("out/") ? changed : "db/decisions.db");
  const Words nexts[] = {{"list"}, {"show", "1"}, {"doctor"}, {"sizes"}, {"wanted"}, {"list", "--quarantine"}};
  Words words = chance.one_of(nexts);
  const bool looks = words[0] != "doctor";
  words.insert(words.end(), {"--db", database});
  attack.run(words, {.exit_codes = looks ? std::set{0, 1} : std::set{0, 1, 3, 4, 5, 6}});
}

/// The same again, which replaces what may be there by now.
void run_again(Attack& attack, const Course& course) {
  const Upkeep& upkeep = course.upkeep;
  Words again = upkeep.words;
  const bool recovers = upkeep.kind == Upkeep::Kind::recover;
  if (recovers) fs::remove(attack / upkeep.target);
  if (!upkeep.target.empty() && !recovers && upkeep.earlier.empty() && !course.troubled) again.push_back("--force");
  Expectation expectation{.may_change = {"db", "out"}, .exit_codes = {0, 1, course.exit_code}};
  if (course.troubled) expectation.exit_codes.insert(2);  // it was ended when everything was there already
  const Ending ending = attack.run(again, expectation);
  if (upkeep.kind != Upkeep::Kind::create && ending.exit_code == course.exit_code &&
      view_of_all(attack) != course.after)
    attack.find("the same again does not make it whole", "tuner " + course.said, &ending);
  if (ending.exit_code == 0) no_names_but_these(attack, course, ".part-", "what was begun was left behind for ever");
}

/// Ends the command somewhere, and does what a user does next.
void end_somewhere(Attack& attack, Chance& chance, const Course& course, const Interruption& counted) {
  for (const char* folder : {"db", "out"}) copy_as_it_is(attack / "saved/before" / folder, attack / folder);
  const Ending ending = run_interrupted(attack, chance, course.upkeep.words, counted);
  const bool interrupted = ending.exit_code == 130 || ending.signal == SIGINT;
  if (ending.signal != SIGKILL && !interrupted)
    attack.judge(ending, {.exit_codes = {0, 1, course.exit_code}}, "tuner " + course.said);
  if (interrupted) no_names_but_these(attack, course, "", "something was left behind after Ctrl-C");
  View now = view_of_all(attack);
  if (course.upkeep.kind == Upkeep::Kind::pack && counted.no_exchange && course.is_half(now)) {
    Words words = course.upkeep.words;
    std::erase(words, "--force");
    attack.run(words, {.may_change = {"out"}, .exit_codes = {2}});  // it restores the earlier one, and refuses
    now = view_of_all(attack);
  }
  if (course.is_half(now))
    attack.find("half was done", "tuner " + course.said + describe_halves(now, course.before, course.after), &ending);
  look_around(attack, chance, course);
  run_again(attack, course);
  no_names_but_these(attack, course, "/.", "something hidden was left behind for ever");
}

void run_upkeep(Attack& attack, Chance& chance) {
  Course course{choose_upkeep(attack, chance)};
  const Upkeep& upkeep = course.upkeep;
  prepare_case(attack, chance, upkeep);
  course.said = upkeep.words[0] + (upkeep.kind == Upkeep::Kind::header ? " --header" : "");
  const bool makes_database = upkeep.kind == Upkeep::Kind::export_all || upkeep.kind == Upkeep::Kind::pack;
  course.troubled = makes_database && chance.once_in(4);
  if (course.troubled) put_in_the_way(attack, chance, upkeep);
  for (const char* folder : {"db", "out"}) copy_as_it_is(attack / folder, attack / "saved/before" / folder);
  if (!upkeep.target.empty() && !course.troubled && chance.once_in(3)) return try_link(attack, chance, upkeep);

  course.before = view_of_all(attack);
  course.names = names_of_all(attack);
  Interruption counted{.of_names = !chance.once_in(3), .no_exchange = chance.once_in(2)};
  const Ending undisturbed = run_counting(attack, upkeep.words, counted);
  attack.judge(undisturbed, {.exit_codes = course.troubled ? std::set{0, 2, 4, 5} : std::set{0, 1}},
               "tuner " + course.said);
  course.exit_code = undisturbed.exit_code;
  course.after = view_of_all(attack);
  std::set<std::string> names_after = names_of_all(attack);
  if (course.exit_code > 1 && (course.after != course.before || names_after != course.names))
    attack.find("a command that failed left something", "tuner " + course.said, &undisturbed);
  course.names.merge(names_after);
  for (int left = 3; left > 0; --left) end_somewhere(attack, chance, course, counted);
}

}  // namespace

const Section kUpkeep{"upkeep", 200, nullptr, run_upkeep};

}  // namespace tuner::attack
