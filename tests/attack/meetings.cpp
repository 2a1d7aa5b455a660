// Two commands on one database at once, of which the first is stopped for a moment, wherever it is.
#include <signal.h>

#include <thread>

#include "tests/attack/attack.hpp"

namespace tuner::attack {

namespace {

using Words = std::vector<std::string>;

void run_meetings(Attack& attack, Chance& chance) {
  attack.sandbox().clear();
  copy_as_it_is(attack / "../base/in", attack / "in");
  copy_as_it_is(attack / "../base/full", attack / "db");
  copy_as_it_is(attack / "../base/full", attack / "in/base");
  const std::string database = attack / "db/decisions.db";
  const auto some_words = [&](const std::string& name) {
    Words words = chance.one_of<Words>({{"prune"},
                                        {"prune"},
                                        {"prune"},
                                        {"prune", "--dry-run"},
                                        {"forget", "wave"},
                                        {"forget", "--all"},
                                        {"import", attack / "in/base/decisions.db"},
                                        {"export", attack / "out" / (name + ".db")},
                                        {"list"},
                                        {"tune", "--replay", attack / "in/scale.csv", "--budget", "8"}});
    words.insert(words.end(), {"--db", database});
    return words;
  };
  const Words first = some_words("first"), second = some_words("second");
  const std::string said = first[0] + ", met by " + second[0];

  Door& stopped = attack.door("victim");
  const pid_t pid = stopped.start(first, attack / "home");
  std::this_thread::sleep_for(std::chrono::microseconds(chance.below(25'000)));
  kill(pid, SIGSTOP);
  Door& other = attack.door("tuner");
  other.start(second, attack / "home");
  other.ends_within(std::chrono::milliseconds(chance.one_of({1, 20, 200})));
  kill(pid, SIGCONT);
  const Ending endings[] = {other.finish(), stopped.finish()};
  for (const Ending& ending : endings) {
    attack.judge(ending, {}, said);
    const bool is_tuned = first[0] == "tune" || second[0] == "tune";
    if (!is_tuned &&
        (ending.err.find("being tuned") != std::string::npos || ending.err.find("tunes") != std::string::npos))
      attack.find("a problem is said to be tuned, which it is not", said, &ending);
  }
  attack.run({"list", "--db", database}, {.exit_codes = {0}});
}

}  // namespace

const Section kMeetings{"meetings", 150, nullptr, run_meetings};

}  // namespace tuner::attack
