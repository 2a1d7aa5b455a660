#include <doctest/doctest.h>
#include <sys/stat.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"

using namespace tuner::test;

namespace {

const std::string kScale = data_file("scale.cu");
const std::string kScaleRecording = data_file("scale.csv");

}  // namespace

TEST_CASE("no file: the sentence has an example") {
  check_error(User().run({"tune"}), 2, {"tuner tune kernel_sources/prefetch.cu"});
}

TEST_CASE("a file that does not exist is named") {
  check_error(User().run({"tune", "missing.cu", "--problem", "n=4"}), 2, {"missing.cu", "does not exist"});
  check_error(User().run({"describe", "missing.cu"}), 2, {"missing.cu", "does not exist"});
  check_error(User().run({"tune", "--replay", "missing.csv"}), 2, {"missing.csv"});
}

TEST_CASE("a file without a described kernel says how to describe one") {
  const User user;
  user.folder().write("plain.cu", "__global__ void f() {}\n");
  check_error(user.run({"tune", "plain.cu"}), 2, {"plain.cu", "#pragma tuner kernel"});
}

TEST_CASE("a kernel that the file does not describe is answered with those it does") {
  check_error(User().run({"tune", kScale, "--kernel", "scales", "--problem", "n=4"}), 2, {"scales", "scale"});
}

TEST_CASE("what is not so in the source is refused alike by describe, check and tune, with its line") {
  const User user;
  const auto refuses = [&](const std::string& directives, const std::string& place, const std::string& sentence) {
    user.folder().write("wrong.cu", "#pragma tuner kernel(scale) problem(n: size = 64) grid(n) block(32)\n" +
                                        directives +
                                        "\n__global__ void plain(const float* x, float* y, int n) {}\n"
                                        "__global__ void scale(const float* x, float* y, int n) {}\n");
    for (const Words& command : {Words{"describe", "wrong.cu"},
                                 {"describe", "wrong.cu", "--json"},
                                 {"check", "wrong.cu"},
                                 {"check", "wrong.cu", "--host"},
                                 {"tune", "wrong.cu"}}) {
      const Result result = user.run(command);
      check_err(result, 2, {sentence});
      CHECK(result.out.empty());
      CHECK(result.err.starts_with("tuner: wrong.cu:" + place + ": "));
    }
  };
  refuses("#pragma tuner in(x, double, n) out(y, float, n) scalar(n, int32)", "2:18", "`const float* x` (wrong.cu:4)");
  refuses("#pragma tuner in(x, float, n) out(y, float, n)", "1:22", "nothing is described for `int n`");
  refuses("#pragma tuner reference(plian) in(x, float, n) out(y, float, n) scalar(n, int32)", "2:25",
          "did you mean `plain`?");
}

TEST_CASE("describe says what only a compiler can tell") {
  const User user;
  const std::string directives =
      "#pragma tuner kernel(scale) problem(n: size = 64) grid(n) block(32) out(y, float, n)\n";
  user.folder().write("plain.cu", directives + "__global__ void scale(float* y) {}\n");
  user.folder().write("alias.cu", directives + "using real = double;\n__global__ void scale(real* y) {}\n");
  const std::string note = "does not show the type of every parameter";
  CHECK_FALSE(contains(user.run({"describe", "plain.cu"}).out, note));
  CHECK(contains(user.run({"describe", "alias.cu"}).out, note));
  CHECK(contains(user.run({"describe", "plain.cu", "--json"}).out, "\"signature_checked\": true"));
  CHECK(contains(user.run({"describe", "alias.cu", "--json"}).out, "\"signature_checked\": false"));
}

TEST_CASE("an unknown parameter in --where is answered with the nearest one") {
  for (const Words& tune : {Words{"tune", kScale, "--problem", "n=4"}, {"tune", "--replay", kScaleRecording}})
    check_error(User().run(joined(tune, {"--where", "BLOK > 64"})), 2, {"BLOK", "BLOCK"});
}

TEST_CASE("an empty space names the constraint that emptied it") {
  for (const Words& tune : {Words{"tune", kScale, "--problem", "n=4"}, {"tune", "--replay", kScaleRecording}})
    check_error(User().run(joined(tune, {"--where", "BLOCK > 4096"})), 2, {"BLOCK > 4096"});
}

TEST_CASE("a problem that lacks a value is answered with what the kernel needs, a wrong value is named") {
  check_error(User().run({"tune", kScale}), 2, {"n", "--problem"});
  check_error(User().run({"tune", kScale, "--problem", "n=many"}), 2, {"n", "many"});
  check_error(User().run({"tune", kScale, "--problem", "many"}), 2, {"many"});
  check_error(User().run({"tune", kScale, "--problem", "n=4,m=5"}), 2, {"m", "n"});
}

TEST_CASE("no toolkit: exit code 4, and the way out") {
  User user;
  user.environment["TUNER_NVRTC"] = "/nowhere";
  check_error(user.run({"tune", kScale, "--problem", "n=4"}), 4, {"NVRTC", "TUNER_NVRTC", "--replay"});
}

TEST_CASE("no driver: exit code 3, and the way out is a replay") {
  check_error(User().run({"tune", kScale, "--problem", "n=4"}), 3, {"driver", "--replay"});
  check_error(User().run({"devices"}), 3, {"driver", "525 or later", "--replay"});
  check_has(User().run({"doctor"}).out, {"525 or later"});
}

TEST_CASE("a recording that is cut short is named with the line") {
  const User user;
  const std::string text = read_bytes(kScaleRecording);
  user.folder().write("cut.csv", text.substr(0, text.size() - 40));
  check_error(user.run({"tune", "--replay", "cut.csv"}), 2, {"cut.csv:", "truncated"});
  user.folder().write("other.csv", "a,b,c\n");
  check_error(user.run({"tune", "--replay", "other.csv"}), 2, {"other.csv:1"});
}

TEST_CASE("a recording answers for its own kernel, problem and mode only") {
  const auto replayed = [](const Words& more) {
    return User().run(joined({"tune", "--replay", kScaleRecording}, more));
  };
  check_error(replayed({"--problem", "n=5"}), 2, {"n=16777216", "n=5"});
  check_error(replayed({"--problem", "m=5"}), 2, {"m", "n=16777216"});
  check_error(replayed({"--problem", "n=16777216", "--problem", "n=5"}), 2, {"one problem"});
  check_error(replayed({"--kernel", "other"}), 2, {"scale", "other"});
  check_error(replayed({"--mode", "warm"}), 2, {"--mode cold"});
}

TEST_CASE("describe works without GPU, driver and toolkit") {
  User user;
  user.environment["TUNER_NVRTC"] = "/nowhere";
  check_out(user.run({"describe", kScale}), 0,
            {"#pragma tuner param(BLOCK, 64, 128, 256, 512; default 128)", "Give --problem"});
  check_out(user.run({"describe", kScale, "--problem", "n=16777216", "--device-name", "A100"}), 0,
            {"22 of 24", "grid=131072x1x1 block=128x1x1 shared=0", "A100"});
  check_out(user.run({"describe", kScale, "--problem", "n=16777216", "--json"}), 0, {"\"size\": 22"});
  check_error(user.run({"describe", kScale, "--device-name", "H2000"}), 2, {"H2000", "H200"});
}

TEST_CASE("doctor says what is missing and what to do, and changes nothing") {
  User user;
  user.environment["TUNER_NVRTC"] = "/nowhere";
  const Result result = user.run({"doctor"});
  check_out(result, 4, {"NO   toolkit", "TUNER_NVRTC", "NO   driver, GPU", "ok   database", user.data()});
  CHECK(result.err.empty());
  CHECK(!std::filesystem::exists(user.data()));
}

TEST_CASE("doctor names a database folder that can be neither reached nor made") {
  const User user;
  user.folder().write("file", "no folder");
  const Result result = user.run({"doctor", "--db", "file/tuner", "--json"});
  CHECK(result.exit_code != 0);
  check_has(result.out, {"\"ready\": false", "file/tuner of the database cannot be reached: Not a directory"});
  CHECK_FALSE(contains(result.out, "another user"));
}

TEST_CASE("doctor tells tuning that cannot work from results that cannot be stored") {
  const User user;
  user.folder().write("afile", "text");
  check_has(user.run({"doctor", "--db", "afile"}).out,
            {"NO   database", "NO   replays", "Tuning will not work here yet", "Results would not be stored either"});
}

TEST_CASE("control characters of a file's name are shown, not sent to the terminal") {
  check_error(User().run({"describe", "a\x1b[31mb.cu"}), 2, {"a\\x1b[31mb.cu"});
}

TEST_CASE("what a replay would ignore is refused") {
  const User user;
  for (const Words& option : {Words{"--device", "1"},
                              {"--workers", "2"},
                              {"--launch-timeout", "3s"},
                              {"--compile-timeout", "3s"},
                              {"--compile-memory", "1GB"},
                              {"-I", "headers"}}) {
    check_error(user.run(joined({"tune", "--replay", kScaleRecording}, option)), 2, {option.front(), "replay"});
  }
}

TEST_CASE("a size of memory with a decimal point or in terabytes was refused") {
  const User user;
  for (const char* const text : {"1.5GB", "4TB", "0.5TiB", "512M", "1<<30"})
    check_error(user.run({"tune", "nowhere.cu", "--compile-memory", text}), 2, {"nowhere.cu"});
}

TEST_CASE("what is no size of memory, or none in which a compiler starts, is refused") {
  const User user;
  for (const char* const text : {"many", "4", "10MB", "-1GB", "0.2GB", "1PB", "infGB", "1.5.5GB", "1e30GB"})
    check_error(user.run({"tune", kScale, "--compile-memory", text}), 2, {"--compile-memory", "at least 256MB", text});
  check_error(user.run({"check", kScale, "--host", "--compile-memory", "1GB"}), 2, {"--compile-memory", "--host"});
}

TEST_CASE("what is not a kernel file is refused at once, and a pipe is read") {
  const User user;
  check_error(user.run({"describe", "/dev/zero"}), 2, {"/dev/zero is neither a file nor a pipe"});
  user.folder().write("large.cu", std::string((std::size_t{16} << 20U) + 1, ' '));
  check_error(user.run({"describe", "large.cu"}), 2, {"larger than 16 MiB"});
  CHECK(user.in_shell(shell_word(TUNER_PROGRAM) + " describe <(sleep 0.1; cat " + shell_word(kScale) +
                      ") > /dev/null") == 0);
}

TEST_CASE("a pipe that no program writes to is given up") {
  const User user;
  REQUIRE(mkfifo((user.home() / "fifo").c_str(), 0600) == 0);
  const Words commands[] = {{"describe", "fifo"},
                            {"simulate", "fifo"},
                            {"tune", "--replay", "fifo"},
                            {"tune", kScale, "--problem", "n=4", "--hints", "fifo"}};
  std::vector<std::unique_ptr<Running>> waiting;  // all at once: each takes ten seconds
  for (const Words& command : commands) waiting.push_back(std::make_unique<Running>(user, command));
  for (const auto& one : waiting) {
    check_error(one->finish(), 2, {"fifo is a named pipe that no program wrote to within 10 s"});
  }
}

TEST_CASE("a recording is read from a pipe, packed or not, however late its writer is") {
  const User user;
  const std::string recording = shell_word(kScaleRecording);
  for (const std::string& writer : {"cat " + recording, "gzip -c " + recording}) {
    CAPTURE(writer);
    CHECK(user.in_shell(shell_word(TUNER_PROGRAM) + " tune --replay <(sleep 0.2; " + writer + ") > /dev/null") == 0);
  }
  check_error(user.run({"simulate", "/dev/zero"}), 2, {"The recording /dev/zero is neither a file nor a pipe"});
  check_error(user.run({"simulate", "."}), 2, {". is a folder; name a recording in it"});
}

TEST_CASE("describe checks --where even where problem values are missing") {
  const User user;
  check_error(user.run({"describe", kScale, "--where", "BLOK > 64"}), 2, {"BLOK", "BLOCK"});
  check_error(user.run({"describe", kScale, "--where", "BLOCK >"}), 2, {"--where is not an expression"});
  CHECK(user.run({"describe", kScale, "--where", "BLOCK > 64 and n > 3"}).exit_code == 0);
}

TEST_CASE("describe --json has numbers as numbers, and the launch") {
  check_out(User().run({"describe", kScale, "--json"}), 0,
            {"\"form\": \"macro\"", "\"default\": 128", "\"block\": [", "\"shared\": null"});
}

TEST_CASE("where no recording can be written is found out before anything is measured") {
  const User user;
  const auto recording_to = [&](const std::string& file, const Words& more = {}) {
    return user.run(joined({"tune", kScale, "--problem", "n=4", "--record", file}, more));
  };
  check_error(recording_to("/no/such/folder/x.csv"), 2, {"/no/such/folder/x.csv", "folder"});
  user.folder().write("mine.txt", "a year of work");
  check_error(recording_to("mine.txt"), 2, {"mine.txt", "not a recording"});
  check_error(recording_to("mine.txt", {"--force"}), 2, {"mine.txt", "not a recording"});
  std::filesystem::copy_file(kScaleRecording, user.home() / "old.csv");
  check_error(recording_to("old.csv"), 2, {"old.csv", "--force"});
  CHECK(read_bytes(user.home() / "mine.txt") == "a year of work");
  // Neither a session that could not begin nor one that could leaves anything.
  recording_to("new.csv");
  CHECK_FALSE(std::filesystem::exists(user.home() / "new.csv"));
  for (const auto& entry : std::filesystem::directory_iterator(user.home()))
    CHECK_FALSE(contains(entry.path().string(), ".part-"));
}

TEST_CASE("no time at all is a time to wait for a busy GPU, and one that is no time is told what is") {
  for (const char* nothing : {"0s", "0min", "ignore"}) {
    const Result result = User().run({"tune", kScale, "--problem", "n=4", "--if-busy", nothing});
    CAPTURE(result.err);
    CHECK(result.exit_code != 2);  // whatever this machine lacks
    CHECK_FALSE(contains(result.err, "--if-busy needs"));
  }
  check_error(User().run({"tune", kScale, "--problem", "n=4", "--if-busy", "-1s"}), 2,
              {"Valid values: wait, leave, ignore, a TIME such as 10min."});
}

TEST_CASE("a kernel file in UTF-16 is named as such, with and without its mark") {
  const User user;
  std::string wide;
  for (const char c : read_bytes(kScale)) wide += {c, '\0'};
  user.folder().write("marked.cu", "\xff\xfe" + wide);
  user.folder().write("bare.cu", wide);
  user.folder().write("bare.json", wide);
  // Its first line, a comment, is Chinese: characters without a zero, and one whose lower half is zero.
  std::string chinese{'/', '\0', '/', '\0'};
  for (int i = 0; i < 40; ++i) chinese += i == 3 ? std::string{'\0', '\x4e'} : std::string{'\x2d', '\x4e'};
  user.folder().write("chinese.cu", chinese + std::string{'\n', '\0'} + wide);
  std::string big_endian;
  for (std::size_t i = 0; i < wide.size(); i += 2) big_endian += {wide[i + 1], wide[i]};
  user.folder().write("big_endian.cu", big_endian);
  for (const char* file : {"marked.cu", "bare.cu", "bare.json", "chinese.cu", "big_endian.cu"}) {
    const Result result = user.run({"describe", file});
    check_error(result, 2, {file, "UTF-16", "UTF-8"});
    CHECK_FALSE(contains(result.err, "no compiler reads"));  // some do
  }
}

TEST_CASE("a message repeats at most 200 bytes of a line of a file") {
  const User user;
  const std::string much(1'000'000, 'x');
  const auto is_short = [&](const std::string& name, const std::string& text) {
    user.folder().write(name, text);
    const Result result = user.run({"describe", name});
    CAPTURE(name);
    CAPTURE(result.err.substr(0, 3000));
    CHECK(result.exit_code == 2);
    CHECK(result.err.size() < 1500);
  };
  const std::string head = "#pragma tuner kernel(k) problem(n: size = 4) grid(1) block(32) ";
  const std::string tail = "\n__global__ void k(float* x, int n) {}\n";
  is_short("word.cu", "#pragma tuner " + much + tail);
  is_short("directive.cu", head + much + "(1)" + tail);
  is_short("clause.cu", head + "param(A, 1; " + much + ")" + tail);
  is_short("value.cu", head + "param(A, 1" + much + ")" + tail);
  is_short("expression.cu", head + "let(A = " + much + ")" + tail);
  is_short("type.cu", head + "in(x, " + much + ", n)" + tail);
  is_short("name.cu", "#pragma tuner kernel(" + much + ")" + tail);
  // Quoted otherwise than in backquotes, or with some in it; short enough for what bounds the whole sentence.
  const std::string quotes(1000, 'q');
  std::string ticks;
  for (int i = 0; i < 700; ++i) ticks += "`q";
  const auto is_quoted_short = [&](const std::string& name, const std::string& text) {
    user.folder().write(name, text);
    const Result result = user.run({"describe", name});
    CAPTURE(result.err);
    CHECK(result.exit_code == 2);
    // The line that is shown below the sentence is as short.
    CHECK(result.err.find('\n') < 900);
  };
  is_quoted_short("option.cu", head + "option(O, \"--zz" + quotes + "\")" + tail);
  is_quoted_short("options.cu", head + "options(\"--zz" + quotes + "\")" + tail);
  is_quoted_short("default.cu", head + "param(P, 1, 2; default \"" + ticks + "\")" + tail);
  is_quoted_short("values.cu", head + "param(P, \"" + ticks + "\", \"" + ticks + "a\")" + tail);
  is_quoted_short("text.cu", head + "param(P, 1, \"" + ticks + "\"; text)" + tail);
  is_short("key.json", "{\"" + much + "\": 1}");
  is_short("twice.json", "{\"" + much + "\": 1, \"" + much + "\": 2}");
  is_short("text.json", "{\"a\": \"" + much);
  is_short("language.json", "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"" + much +
                                "\", \"Type\": \"" + much + "\", \"Values\": \"" + much +
                                "\"}]}, \"KernelSpecification\": {\"Language\": \"" + much + "\"}}");
}

TEST_CASE("describe fails where tune could not begin") {
  const User user;
  const std::string kernel = read_bytes(data_file("scale.cu"));
  user.folder().write("lonely.cu", "#include \"not_there.h\"\n" + kernel);
  check_error(user.run({"describe", "lonely.cu"}), 2,
              {"lonely.cu:1: the header \"not_there.h\" is neither beside this file nor in a folder given with -I."});
  user.folder().write("more/not_there.h", "");
  CHECK(user.run({"describe", "lonely.cu", "-I", "more"}).exit_code == 0);
  user.folder().write("guarded.cu", "#if 0\n#include \"not_there.h\"\n#endif\n" + kernel);
  CHECK(user.run({"describe", "guarded.cu"}).exit_code == 0);
  user.folder().write("live.cu", "#if 1\n#include \"not_there.h\"\n#endif\n" + kernel);
  check_err(user.run({"describe", "live.cu"}), 2, {"live.cu:2: the header \"not_there.h\" is neither"});
  user.folder().write("own.h", "#ifndef OWN_H\n#define OWN_H\n#include \"not_there.h\"\n#endif\n");
  user.folder().write("nested.cu", "#include \"own.h\"\n" + kernel);
  check_err(user.run({"describe", "nested.cu"}), 2, {"own.h:3: the header \"not_there.h\" is neither"});
  user.folder().write("toolkit.cu", "#include \"vector_functions.h\"\n" + kernel);
  CHECK(user.run({"describe", "toolkit.cu"}).exit_code == 0);
  user.folder().write("old.cu", kernel + "\n#pragma tuner options(\"-std=c++98\")\n");
  check_err(user.run({"describe", "old.cu"}), 2, {"the run-time compiler has no language \"c++98\""});

  user.folder().write("none.cu",
                      "#pragma tuner kernel(none) param(A, 1, 2) constraint(A > 1) out(y, float, 1) grid(1) block(A)\n"
                      "__global__ void none(float* y) {}\n");
  for (const Words& words : {Words{"describe", "none.cu"}, Words{"describe", "none.cu", "--json"}}) {
    const Result result = user.run(words);
    CHECK(!result.out.empty());
    check_err(result, 2, {"The defaults cannot be the baseline", "`A > 1`", "Choose defaults that satisfy every"});
  }
  user.folder().write("flat.cu",
                      "#pragma tuner kernel(flat) param(A, 1, 2) out(y, float, 1) grid(A // 2) block(1)\n"
                      "__global__ void flat(float* y) {}\n");
  check_err(user.run({"describe", "flat.cu"}), 2, {"flat.cu: grid x of `flat` for A=1: `A // 2` is 0"});
}

TEST_CASE("one of several kernels is chosen with --kernel, and every command says so") {
  const User user;
  user.folder().write("two.cu", read_bytes(data_file("scale.cu")) +
                                    "\n#pragma tuner kernel(other) out(y, float, 1) grid(1) block(1)\n"
                                    "__global__ void other(float* y) {}\n");
  for (const char* command : {"tune", "check"}) {
    check_error(user.run({command, "two.cu"}), 2, {"two.cu describes 2 kernels; choose one of", "with --kernel."});
  }
}
