// What stands in a database that others wrote must neither run, nor pose as what the program says.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/cli/stored.hpp"
#include "tests/support/length.hpp"

using namespace tuner::test;

namespace {

/// Leaves a comment, a list and a sentence, if it is let.
const std::string kCode =
    "\nstatic int touched = (std::system(\"touch ran\"), 0);\n9  forged  row\x1b[31m\xe2\x80\xae //\\";

cache::Decision prepared(const std::string& poison) {
  cache::Decision decision = decision_on_h200("scale", "n=1000", "BLOCK=256,UNROLL=2");
  decision.key.kernel_identity += poison;
  decision.key.device.insert(decision.key.device.find('|'), poison);
  decision.key.mode = "warm" + poison;
  decision.baseline = "BLOCK=128,UNROLL=1";
  decision.speedup = 1.5;
  decision.launch = "grid=4x2x1 block=256x1x1 shared=64" + poison;
  decision.conditions = {"0.1.0" + poison, "13.0" + poison, "580.1" + poison};
  decision.created_unix_ms = 1'700'000'000'000;
  return decision;
}

void store(const User& user, const cache::Decision& decision) {
  open_database(user)->record_decision(decision);
}

/// The database of `n` bytes of text in every column that has one.
void store_long(const User& user, std::size_t bytes) {
  const std::string text(bytes, 'x');
  cache::Decision decision = prepared(text);
  decision.key.kernel_name += text;
  decision.key.problem = "n=\"" + text + "\"";
  decision.configuration = "BLOCK=\"" + text + "\"";
  decision.counters[text] = 1;
  store(user, decision);
}

/// Compiles what includes the header, and runs it.
bool runs(const User& user) {
  user.folder().write(
      "use.cpp",
      "#include <cstdlib>\n#include \"tuned.hpp\"\nint main() { return sizeof(tuned::scale::Winner) == 0; }\n");
  user.folder().write("use_macros.cpp",
                      "#include <cstdlib>\n#include \"macros.hpp\"\nint main() { return BLOCK == 0; }\n");
  return user.in_shell(
             "g++ -std=c++17 -trigraphs -o use use.cpp && ./use && g++ -std=c++17 -trigraphs -o use_macros "
             "use_macros.cpp && ./use_macros") == 0;
}

}  // namespace

TEST_CASE("text of a database does not leave the comments and literals of an exported header") {
  for (const std::string& poison : {kCode, std::string("\\"), std::string("?\?/"),
                                    std::string("\"; int x = 1/0; \"?\?/"), std::string("\r\nint x = 1/0;")}) {
    CAPTURE(poison);
    const User user;
    cache::Decision decision = prepared(poison);
    decision.key.problem = "KIND=\"a\\nint z = 1/0;\",n=1000";
    store(user, decision);
    REQUIRE(user.run({"export", "--header", "tuned.hpp"}).exit_code == 0);
    REQUIRE(user.run({"export", "--header", "macros.hpp", "--style", "define"}).exit_code == 0);
    CHECK(runs(user));
    CHECK_FALSE(std::filesystem::exists(user.home() / "ran"));
    for (const char* header : {"tuned.hpp", "macros.hpp"}) {
      const std::string text = read_bytes(user.home() / header);
      CHECK_FALSE(contains(text, "\nstatic int touched"));
      CHECK(std::none_of(text.begin(), text.end(), [](char c) { return c != '\n' && (c < ' ' || c > '~'); }));
    }
  }
}

TEST_CASE("what a recording says of its device does not leave the comments of a header") {
  const User user;
  std::string text = read_bytes(data_file("scale.csv"));
  const auto with = [&](const std::string& lines_of_header) {
    user.folder().write("hostile.csv", std::string(text).insert(text.find("\n#param") + 1, lines_of_header));
    return user.run({"tune", "--replay", "hostile.csv"});
  };
  check_err(with("#device {\"name\": \"H\\nstatic int touched = 1/0;\"}\n"), 2, {"control character"});
  const Result replayed = with("#driver 5\x1b[31m\\\n#toolkit 1\\ \n#tuner ?\?/\n");
  CHECK(replayed.exit_code == 0);
  CHECK_FALSE(contains(replayed.out + replayed.err, "\x1b"));
  REQUIRE(user.run({"export", "--header", "tuned.hpp", "--db", (user.data() / "replay.db").string()}).exit_code == 0);
  user.folder().write("use.cpp", "#include \"tuned.hpp\"\nstatic_assert(sizeof(tuned::scale::winners) > 0, \"\");\n");
  CHECK(user.in_shell("g++ -std=c++17 -trigraphs -Wall -Werror=comment -fsyntax-only use.cpp") == 0);
}

TEST_CASE("a macro that would be code is not written, unless the kernel file itself has it") {
  const User user;
  cache::Decision decision = prepared("");
  decision.configuration = "OP=\"(std::system(\\\"touch ran\\\"),0)\"";
  decision.baseline = "OP=\"a + b\"";
  store(user, decision);
  check_err(user.run({"export", "--header", "tuned.hpp", "--style", "define"}), 2, {"may be code"});
  CHECK_FALSE(std::filesystem::exists(user.home() / "tuned.hpp"));
  user.folder().write("scale.cu",
                      "#pragma tuner kernel(scale) problem(n: size = 4) grid(1) block(32) "
                      "param(OP, \"(std::system(\\\"touch ran\\\"),0)\", \"a + b\"; text; default \"a + b\")\n"
                      "#pragma tuner inout(x, float, n)\n__global__ void scale(float* x) {}\n");
  check_out(user.run({"export", "--header", "tuned.hpp", "scale.cu", "--style", "define"}), 0);
}

TEST_CASE("a foreign database does not choose the name of a macro, nor the function that it stands for") {
  const User user;
  user.folder().write("scale.cu",
                      "#pragma tuner kernel(scale) problem(n: size = 4) grid(1) block(32) param(OP, plus, minus)\n"
                      "#pragma tuner param(BLOCK, 64, 128) inout(x, float, n)\n__global__ void scale(float* x) {}\n");
  const auto exported = [&](const std::string& configuration, bool with_file) {
    std::filesystem::remove_all(user.data());
    cache::Decision decision = prepared("");
    decision.configuration = configuration;
    decision.baseline = configuration;
    store(user, decision);
    return user.run(joined({"export", "--header", "tuned.hpp", "--style", "define", "--force"},
                           with_file ? Words{"scale.cu"} : Words()));
  };
  for (const char* hostile :
       {"puts=system", "puts=1", "puts=\"a b\"", "main=1", "NULL=1", "NDEBUG=1", "EOF=0", "INT=MAX", "INT32_MAX=7",
        "SIG=IGN,OTHER=1", "OP=std::system", "OP=\"std::system\"", "OP=\"system\",BLOCK=\"a b\"", "assert=true",
        "SEEK_SET=2", "block=1", "M_PI=3.5", "__FILE__=1", "OP=abort,BLOCK=float"}) {
    CAPTURE(hostile);
    for (const bool with_file : {false, true}) {
      CAPTURE(with_file);
      CHECK(exported(hostile, with_file).exit_code == 2);
      CHECK_FALSE(std::filesystem::exists(user.home() / "tuned.hpp"));
    }
  }
  for (const char* of_another_file : {"OP=system", "BLOCK=256", "UNROLL=2"}) {
    CAPTURE(of_another_file);
    CHECK(exported(of_another_file, true).exit_code == 2);
    CHECK_FALSE(std::filesystem::exists(user.home() / "tuned.hpp"));
  }
  for (const bool with_file : {false, true}) {
    CHECK(exported("OP=minus,BLOCK=128", with_file).exit_code == 0);
    CHECK(contains(read_bytes(user.home() / "tuned.hpp"), "#define OP OP_minus"));
    std::filesystem::remove(user.home() / "tuned.hpp");
  }
}

TEST_CASE("a line end in a database makes no row of a list and no line of its own anywhere") {
  const User user;
  cache::Decision decision = prepared(kCode);
  decision.key.kernel_name += kCode;
  decision.key.problem += kCode;
  store(user, decision);
  const Result list = user.run({"list"});
  CHECK(lines(list.out) == 2);
  {
    const auto database = open_database(user);
    const cache::DecisionText sizes{cache::TextKind::sizes, std::string(cache::kAllSizes), "damaged"};
    database->record_texts(database->record_decision(decision), {&sizes, 1});
  }
  CHECK(lines(user.run({"list"}).out) == 4);
  for (const Words& words : {Words{"list"},
                             {"show", "1"},
                             {"show", "nothing"},
                             {"export", "copy.db"},
                             {"forget", "--device", "NVIDIA"},
                             {"list"}}) {
    const Result result = user.run(words);
    CAPTURE(result.command);
    CAPTURE(result.out);
    for (const std::string& text : {result.out, result.err}) {
      CHECK_FALSE(contains(text, "\x1b"));
      CHECK_FALSE(contains(text, "\xe2\x80\xae"));
      CHECK_FALSE(contains(text, "\n9  forged"));
      CHECK_FALSE(contains(text, "\nstatic"));
    }
  }
}

TEST_CASE("a line end in the name of a file makes no line of its own in a finding or a sentence") {
  User user;
  const std::string name = "a\x1b[31m\nok   fake";
  user.environment["TUNER_DB"] = name;
  const Result doctor = user.run({"doctor"});
  CHECK(contains(doctor.out, "a\\x1b[31m\\x0aok   fake/decisions.db"));
  CHECK_FALSE(contains(doctor.out, "\nok   fake"));
  CHECK_FALSE(contains(doctor.out, "  ok   fake"));
  user.environment["CXX"] = "a\nb";
  const Words check{"check", "--host", data_file("scale.cu"), "--problem", "n=4"};
  check_error(user.run(check), 4, {"'a\\x0ab'"});
  user.environment.erase("CXX");
  check_error(user.run(joined(check, {"--config", "BLOCK\nforged=1"})), 2);
}

TEST_CASE("JSON shows no character that steers a terminal") {
  const User user;
  cache::Decision decision = prepared("\xc2\x9b\x7f\xe2\x80\xae");
  store(user, decision);
  check_out(user.run({"list", "--json"}), 0, {"NVIDIA H200\\u009b\\u007f\\u202e|cc=9.0"});
  // Escapes of JSON, not those of other outputs, which no reader of JSON accepts.
  const Result compared = user.run({"compare", "1", "1", "--json"});
  check_out(compared, 9, {"\"device\": \"NVIDIA H200\\u009b\\u007f\\u202e\""});
  CHECK(nlohmann::json::accept(compared.out));
}

TEST_CASE("megabytes of text in a database give pages of output, not megabytes") {
  const User user;
  store_long(user, length(2, 8) << 20U);
  for (const Words& words : {Words{"list"},
                             {"show", "1"},
                             {"show", "scal"},
                             {"export", "copy.db"},
                             {"export", "--header", "a.hpp"},
                             {"import", "copy.db"},
                             {"forget", "--device", "H200"}}) {
    const Result result = user.run(words);
    CAPTURE(result.command);
    CHECK(result.exit_code < 3);
    CHECK(result.out.size() + result.err.size() < 200'000);
  }
}

TEST_CASE("macros of many winners take no time that doubles with each") {
  const User user;
  const auto all = open_database(user);
  for (int i = 0; i < 64; ++i) {
    cache::Decision decision = prepared("");
    decision.key.problem = "n=" + std::to_string(i);
    all->record_decision(decision);
  }
  // With a label made anew for every other one this would not end.
  CHECK(user.run({"export", "--header", "tuned.hpp", "--style", "define"}).exit_code == 0);
  CHECK(contains(read_bytes(user.home() / "tuned.hpp"), "#define TUNED_SCALE_NVIDIA_H200_n_63 "));
}
