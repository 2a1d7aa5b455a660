// Command lines of the commands' own options with all kinds of values, and of none.
#include <sys/stat.h>

#include <algorithm>
#include <sstream>

#include "tests/attack/attack.hpp"

namespace tuner::attack {

namespace fs = std::filesystem;

namespace {

struct Option {
  std::string name;   ///< "--budget"
  std::string value;  ///< "N"; empty for flags
};
struct Command {
  std::string name;
  std::vector<Option> options;
};

/// What the program itself says that it takes.
std::vector<Command>& commands() {
  static std::vector<Command> all;
  return all;
}

std::vector<Option> options_in(const std::string& help) {
  std::vector<Option> options;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  -")) continue;
    std::istringstream words(line);
    Option option;
    words >> option.name;
    if (option.name.ends_with(',')) words >> option.name;
    // Between the value's name and the explanation there are two blanks, or a new line.
    const std::size_t after = line.find(option.name) + option.name.size();
    if (line.size() > after + 1 && line[after] == ' ' && line[after + 1] != ' ') words >> option.value;
    options.push_back(option);
  }
  return options;
}

void prepare_command_lines(Attack& attack) {
  const std::string overview = attack.run({"help"}, {.exit_codes = {0}}).out;
  std::istringstream lines(overview.substr(overview.find("\nCommands\n") + 10));
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    std::string name;
    std::istringstream(line) >> name;
    commands().push_back({name, options_in(attack.run({"help", name}, {.exit_codes = {0}}).out)});
  }
  attack.run("limited", {"help"}, {.exit_codes = {0}});  // it is loaded before it is limited
  if (commands().size() < 8) attack.find("the overview has fewer commands than are known", "tuner help");
}

const char* const kWords[] = {
    // options that there are not
    "", "-", "--", "---", "-=", "-=x", "--=x", "--x=", "-I", "-h", "--no-such",
    // numbers, shares, times
    "0", "1", "-1", "3", "1.5", "1e3", "0x10", "99999999999999999999", "-99999999999999999999", "nan", "inf", "1e999",
    "10%", "0%", "101%", "-5%", "60s", "1ms", "0s", "-1s", "1e99s", "60 s", "1.5x", "200,1s,10%", ",", ",,",
    // assignments and expressions
    "a=1", "=1", "a=", "a=1,a=2", "n=1000", "n=1e9", "n=-1", "rows=528,row_length=65536", "rows=528,rows=529",
    "BLOCK=64", "BLOCK >= 64", "BLOCK ==", "((((", "1 // 0", "2 ** 99999", "true", "false",
    // names
    "wave", "scale", "prefetch", "no_such_kernel", "auto", "random", "random,model", "exhaustive", "model", "cold",
    "warm", "wait", "leave", "H200", "A100", "constexpr", "define", "tuned", "class", "a::b", "::", "9a", "everything",
    "decisions", "trials", "quarantine", "evaluations", "seconds", "best", ":best", ":worst",
    // what must be escaped or quoted
    "x\nFORGED-LINE", "\x1b[2J", "\u202eabc", "\xff\xfe", "%s%n", "$(x)", "`x`", "a b", "'", "\"", "\\"};

// No device and no folder of others: a campaign that finds something must not do harm.
std::string path_for(Attack& attack, Chance& chance, bool force) {
  std::vector<std::string> paths{attack / "in/scale.csv",
                                 attack / "in/scale.csv",
                                 attack / "in/wave.cu",
                                 attack / "in/no-such-file",
                                 attack / "in",
                                 attack / "out",
                                 attack / "out/a.db",
                                 attack / "out/a.hpp",
                                 attack / "out/a.csv",
                                 attack / "out/a.csv.gz",
                                 attack / "out/x/y/z.db",
                                 attack / "out/no-such-folder/x.csv",
                                 attack / "in/base/decisions.db",
                                 attack / "in/base",
                                 "",
                                 ".",
                                 std::string(5000, 'x'),
                                 "/" + std::string(300, 'y') + ".db"};
  // What is there is only replaced by those who are told to.
  if (!force) {
    for (const char* name : {"letter.txt", "measurements.csv", "notes.db", "header.hpp"})
      paths.push_back(attack / "outside" / name);
  }
  return chance.one_of(paths);
}

std::string value_for(Attack& attack, Chance& chance, const Option& option, bool force) {
  if (option.value == "PATH" || option.value == "DIR" || option.value.starts_with("FILE") ||
      option.name == "--replay" || option.name == "--record") {
    if (!chance.once_in(8)) return path_for(attack, chance, force || option.name == "--db");
  }
  // What takes as long as it was told to is no finding.
  if (option.name == "--repeats" || option.name == "--budget" || option.name == "--workers")
    return chance.one_of({"1", "2", "3", "0", "-1", "x", "1.5", "99999999999999999999", "", "5%", "10ms", "10ms,3"});
  if (option.name == "--problem" && chance.once_in(2))
    return chance.one_of({"n=1000", "n=16777216", "rows=100,columns=1000", "n=0", "n=1,2", "n=1..4,n2=64..8192 x2",
                          "n=0..99999 +1", "n=1..", "n=..,"});
  return chance.one_of(kWords);
}

std::vector<std::string> random_words(Attack& attack, Chance& chance) {
  const Command& command = chance.one_of(commands());
  std::vector<Option> taken;
  for (std::size_t left = chance.below(5); left > 0; --left) taken.push_back(chance.one_of(command.options));
  if (chance.once_in(4)) taken.push_back(chance.one_of(chance.one_of(commands()).options));
  const bool force = std::any_of(taken.begin(), taken.end(), [](const Option& each) { return each.name == "--force"; });
  std::vector<std::string> words;
  if (command.name == "tune" && !chance.once_in(4)) words.insert(words.end(), {"--replay", attack / "in/scale.csv"});
  for (const Option& option : taken) {
    if (option.value.empty()) {
      words.push_back(chance.once_in(20) ? option.name + "=x" : option.name);
      continue;
    }
    const std::string value = value_for(attack, chance, option, force);
    if (chance.once_in(3)) {
      words.push_back(option.name + "=" + value);
    } else {
      words.push_back(option.name);
      if (!chance.once_in(15)) words.push_back(value);
    }
  }
  const bool takes_file = command.name != "list" && command.name != "doctor" && command.name != "devices";
  for (std::size_t left = chance.below(takes_file ? 3 : 2); left > 0; --left)
    words.push_back(chance.once_in(3) ? std::string(chance.one_of(kWords)) : path_for(attack, chance, force));
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(chance.once_in(6) ? chance.below(words.size() + 1) : 0),
               chance.once_in(25) ? std::string(chance.one_of(kWords)) : command.name);
  if (chance.once_in(30)) words.erase(words.begin());
  return words;
}

/// A database where there is a device, a pipe or a file: no command succeeds.
void run_odd_places(Attack& attack, Chance& chance) {
  for (const char* device : {"zero", "null", "full"})
    fs::create_symlink(fs::path("/dev") / device, attack / "in" / device);
  for (const char* pipe : {"pipe", "pipe.db"}) {
    if (mkfifo((attack / "in" / pipe).c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
  }
  using Words = std::vector<std::string>;
  Words words = chance.one_of<Words>({{"list"},
                                      {"list", "--json"},
                                      {"show", "wave"},
                                      {"sizes"},
                                      {"wanted"},
                                      {"prune"},
                                      {"prune", "--dry-run"},
                                      {"forget", "--all"},
                                      {"forget", "wave"},
                                      {"export", attack / "out/a.db"},
                                      {"pack", attack / "out/pack"},
                                      {"report", "-o", attack / "out/a.html"},
                                      {"import", attack / "in/base/decisions.db"}});
  words.insert(words.end(), {"--db", attack / "in" /
                                         chance.one_of({"zero", "null", "full", "pipe", "pipe.db", "scale.csv",
                                                        "scale.csv/x", "zero/x.db"})});
  attack.run(words, {.may_change = {"out"}, .exit_codes = {1, 2, 3, 4, 5, 6, 7}});
}

/// A shortage is never a bug of the program, and has a code of its own in the manual.
void run_with_few_descriptors(Attack& attack, Chance& chance) {
  std::vector<std::string> words{"tune",      attack.programs().data / "scale.cu",
                                 "--problem", "n=1000",
                                 "--workers", "1",
                                 "--budget",  "2,2s",
                                 "--db",      attack / "out"};
  if (chance.once_in(2)) words = random_words(attack, chance);
  const std::size_t most = 7 + chance.below(18);
  attack.note(std::to_string(most) + " descriptors");
  attack.door("limited").limit_descriptors(most);
  attack.run("limited", words,
             {.may_change = {"in", "out", "home", "tmp"}, .exit_codes = {0, 1, 2, 3, 4, 5, 6, 7, 71}});
}

/// A C++ compiler without its assembler or linker says nothing of the kernel.
void run_compiler_in_parts(Attack& attack, Chance& chance) {
  fs::create_directory(attack / "in/bin");
  if (!fs::exists("/usr/bin/g++")) return;
  if (chance.once_in(2)) fs::create_symlink("/usr/bin/ld", attack / "in/bin/ld");
  const fs::path file = attack / "in/clean.cu";
  write_bytes(file, read_bytes(fs::path(TUNER_ATTACK_REPOSITORY) / "tests/host/kernels/clean.cu"));
  const Ending ending =
      attack.run("checker", {"check", file, "--host"},
                 {.may_change = {"out", "home", "tmp"}, .exit_codes = {4}, .patience = std::chrono::seconds(60)});
  if (ending.err.find("header") != std::string::npos)
    attack.find("a header is blamed where a part of the compiler is missing", "tuner check", &ending);
}

void run_command_lines(Attack& attack, Chance& chance) {
  attack.sandbox().clear();
  copy_as_it_is(attack / "../base/in", attack / "in");
  copy_as_it_is(attack / "../base/full", attack / "in/base");
  if (chance.once_in(12)) return run_odd_places(attack, chance);
  if (chance.once_in(40)) return run_with_few_descriptors(attack, chance);
  if (chance.once_in(200)) return run_compiler_in_parts(attack, chance);
  // Everything that a command line names lies elsewhere, and what lies there and is named is not to be replaced.
  std::vector<std::string> words = random_words(attack, chance);
  if (chance.once_in(8)) {
    words.insert(words.begin(), "complete");
    attack.run(words, {.exit_codes = {0}});
    return;
  }
  attack.run(words, {.may_change = {"in", "out", "home"}});
}

}  // namespace

const Section kCommandLines{"command-lines", 2000, prepare_command_lines, run_command_lines};

}  // namespace tuner::attack
