#include "tests/attack/attack.hpp"

#include <signal.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <sstream>

#include "tests/support/shell_word.hpp"

namespace tuner::attack {

namespace fs = std::filesystem;

namespace {

constexpr int kKeptOfASignature = 2;
constexpr std::size_t kLongestLine = 64 * 1024;

/// What no user is to read: it says nothing of what to do.
const char* const kWordsOfLibraries[] = {"json.exception", "number overflow parsing", "basic_string::", "std::bad_",
                                         "vector::_M"};

/// The report of a sanitizer in what a program said; empty if there is none.
std::string sanitizer_report(const std::string& err) {
  for (const char* word : {"ERROR: AddressSanitizer", "runtime error:", "ERROR: LeakSanitizer"}) {
    const std::size_t at = err.find(word);
    if (at == std::string::npos) continue;
    const std::size_t begin = err.rfind('\n', at) + 1;
    return err.substr(begin, std::min<std::size_t>(err.find('\n', at) - begin, 300));
  }
  return {};
}

/// The first control character other than the end of a line and the tabulator, or mark that changes the direction of
/// writing.
std::string unescaped_character(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto at = [&](std::size_t offset) {
      return i + offset < text.size() ? static_cast<unsigned char>(text[i + offset]) : 0u;
    };
    const unsigned byte = at(0);
    const bool control = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f ||
                         (byte == 0xc2 && at(1) >= 0x80 && at(1) < 0xa0);
    const bool direction = byte == 0xe2 && ((at(1) == 0x80 && ((at(2) >= 0xaa && at(2) <= 0xae) || at(2) == 0x8e ||
                                                               at(2) == 0x8f || at(2) == 0xa8 || at(2) == 0xa9)) ||
                                            (at(1) == 0x81 && at(2) >= 0xa6 && at(2) <= 0xa9));
    if (!control && !direction) continue;
    char name[16];
    std::snprintf(name, sizeof name, "0x%02x%02x%02x", byte, at(1), at(2));
    return control && byte < 0x80 ? std::string(name, 4) : name;
  }
  return {};
}

/// Numbers and what is quoted differ from case to case.
std::string without_particulars(const std::string& text) {
  std::string result;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '`' || c == '"') {
      quote = c;
      result += '_';
    } else if (std::isdigit(static_cast<unsigned char>(c)) == 0) {
      result += c;
    }
  }
  return result.substr(0, 160);
}

/// Memory that was asked for by a file's own numbers is a finding, too. Leaks are the business of other tests.
///
/// What saves time (a tenth of the processor's) where processes run many command lines:
/// - 1 MiB of freed memory in quarantine, 64 KiB of it a thread's: it stays in the processor's caches. A use after more
///   than that was freed elsewhere is not seen.
/// - A report names the function that allocated, not its callers. Repeat the case with --case for those.
std::string sanitizer_options(bool quick) {
  const std::string always = "exitcode=99:detect_leaks=0:verify_asan_link_order=0:max_allocation_size_mb=4096:";
  return always + (quick ? "quarantine_size_mb=1:thread_local_quarantine_size_kb=64:malloc_context_size=1"
                         : "quarantine_size_mb=4:malloc_context_size=8");
}

}  // namespace

Attack::Attack(Programs programs, std::uint64_t seed, fs::path root, fs::path keep)
    : programs_(std::move(programs)), seed_(seed), sandbox_(std::move(root)), keep_(std::move(keep)) {}

void Attack::begin_case(const std::string& section, std::uint64_t number) {
  section_ = section;
  number_ = number;
  notes_.clear();
}

Door& Attack::door(const std::string& program) {
  std::unique_ptr<Door>& door = doors_[program];
  if (door) return *door;
  const fs::path file = program == "engine"   ? programs_.engine
                        : program == "worker" ? programs_.worker
                        : program == "helper" ? programs_.helper
                                              : programs_.tuner;
  const bool without_gpu = program == "tuner" || program == "victim" || program == "checker";
  const bool in_turn = program == "tuner" || program == "helper";
  std::map<std::string, std::string> environment{
      {"HOME", (sandbox_ / "home").string()},
      {"TMPDIR", (sandbox_ / "tmp").string()},
      {"PATH", "/nowhere"},
      {"CXX", "/nowhere/c++"},
      {"TERM", "dumb"},
      {"TUNER_DRIVER", without_gpu ? (sandbox_ / "no-driver.so").string() : programs_.fake_driver.string()},
      {"FAKE_DRIVER_GPU", sandbox_.root().string()},
      {"ASAN_OPTIONS", sanitizer_options(in_turn && programs_.lives > 1)},
      {"UBSAN_OPTIONS", "exitcode=98:print_stacktrace=1"}};
  if (program == "live") environment["TUNER_LIBEXEC"] = (sandbox_ / "in/libexec").string();
  if (program == "checker") {
    environment["CXX"] = "/usr/bin/g++";
    environment["PATH"] = (sandbox_ / "in/bin").string();
  }
  door = std::make_unique<Door>(file, environment, programs_.fork_server, in_turn ? programs_.lives : 1);
  return *door;
}

Ending Attack::run(const std::vector<std::string>& words, const Expectation& expectation) {
  return run("tuner", words, expectation);
}

Ending Attack::run(const std::string& program, const std::vector<std::string>& words, const Expectation& expectation) {
  std::set<std::string> left_out = expectation.may_change;
  left_out.insert("saved");
  const Listing before = list(sandbox_.root(), left_out);
  std::string command_line = program;
  for (const std::string& word : words) command_line += " " + test::shell_word(word);
  Door& opened = door(program);
  const auto begin = std::chrono::steady_clock::now();
  opened.start(words, sandbox_ / "home");
  const Ending ending = opened.finish(expectation.patience);
  ++runs_;
  const auto took = std::chrono::steady_clock::now() - begin;
  if (took > longest_) {
    longest_ = took;
    longest_run_ = section_ + " " + std::to_string(number_) + ", " + program + " " + words.at(0);
  }
  judge(ending, expectation, command_line);
  for (const std::string& each : differences(before, list(sandbox_.root(), left_out)))
    find("touched: " + each, command_line, &ending);
  return ending;
}

void Attack::judge(const Ending& ending, const Expectation& expectation, const std::string& command_line) {
  const std::string report = sanitizer_report(ending.err);
  if (ending.hung) {
    find("hung", command_line, &ending);
  } else if (!report.empty()) {
    find("sanitizer: " + report, command_line, &ending);
  } else if (ending.signal != 0 && !expectation.signals.contains(ending.signal)) {
    find("crashed: signal " + std::to_string(ending.signal) + " (" + sigabbrev_np(ending.signal) + ")", command_line,
         &ending);
  } else if (ending.signal == 0 && !expectation.exit_codes.contains(ending.exit_code)) {
    find("exit code " + std::to_string(ending.exit_code), command_line, &ending);
  }
  if (ending.hung || !report.empty() || !expectation.text_matters) return;
  for (const std::string* text : {&ending.out, &ending.err}) {
    const char* const stream = text == &ending.out ? "standard output" : "standard error";
    if (const std::string character = unescaped_character(*text); !character.empty())
      find("unescaped " + character + " on " + stream, command_line, &ending);
    for (const char* words : kWordsOfLibraries) {
      if (text->find(words) != std::string::npos)
        find(std::string("a library's own words on ") + stream, command_line, &ending);
    }
    if (("\n" + *text).find("\n" + kForged) != std::string::npos)
      find(std::string("a forged line on ") + stream, command_line, &ending);
  }
  std::istringstream lines(ending.err);
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > kLongestLine) find("a line of 64 KiB or more on standard error", command_line, &ending);
  }
}

void Attack::find(const std::string& what, const std::string& command_line, const Ending* ending) {
  std::string first_line = ending ? ending->err.substr(0, ending->err.find('\n')) : "";
  for (const std::string root = sandbox_.root(); first_line.find(root) != std::string::npos;)
    first_line.replace(first_line.find(root), root.size(), "");
  const std::size_t command = command_line.find_first_of(' ');
  const std::string verb = command_line.substr(0, command_line.find(' ', std::min(command, command_line.size()) + 1));
  std::string signature = section_ + ": " + without_particulars(what) + " | " + verb;
  // What it said tells defects with one exit code apart.
  if (what.starts_with("exit code"))
    signature = section_ + ": " + what + " | " + verb + " | " + without_particulars(first_line);
  findings_.push_back({section_, number_, what, signature});
  if (kept_[signature]++ >= kKeptOfASignature || keep_.empty()) return;
  const fs::path folder = keep_ / (section_ + "-" + std::to_string(number_) + "-" + std::to_string(findings_.size()));
  std::error_code error;
  fs::create_directories(folder, error);
  std::ostringstream text;
  text << what << "\n\nThe command line, in " << (sandbox_ / "home").string() << ":\n  " << command_line
       << "\nAgain:\n  attack --seed " << seed_ << " --section " << section_ << " --case " << number_
       << "\n\nThe case:\n"
       << notes_;
  if (ending) {
    text << "\nExit code " << ending->exit_code << ", signal " << ending->signal << "\n--- standard error\n"
         << ending->err.substr(0, 20000) << "\n--- standard output\n"
         << ending->out.substr(0, 5000);
  }
  write_bytes(folder / "finding.txt", text.str());
  try {
    copy_as_it_is(sandbox_.root(), folder / "sandbox");
  } catch (const fs::filesystem_error&) {  // it is told how to make it again
  }
}

}  // namespace tuner::attack
