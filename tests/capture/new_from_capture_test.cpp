// `tuner new --capture` of what `tuner capture` stored, and what the programs make of the description: with the fake
// driver, for which a source says what its kernel does.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/capture/captured.hpp"
#include "tests/cli/program.hpp"
#include "tests/sources/recorded/recorded.hpp"
#include "tests/support/processes.hpp"
#include "tests/support/text.hpp"

using namespace tuner::test;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The program's kernel `work`, as its programmer wrote it.
std::string source_of(const std::string& does, const std::string& type = "int") {
  return "extern \"C\" __device__ const char tuner_fake[] = \"FAKE:records does=" + does + " time=4000\";\n" +
         "#include <cstdio>\n__global__ void work(" + type + "* out, const " + type + "* in, int count) {\n" +
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < count) out[i] = in[i];\n}\n" +
         "int main() {\n  " + type + " *out, *in;\n  const int count = 4000;\n" + "  cudaMalloc(&out, count * sizeof(" +
         type + "));\n  cudaMalloc(&in, count * sizeof(" + type + "));\n" +
         "  work<<<4, 64>>>(out, in, count);\n  printf(\"done\");\n}\n";
}

struct Owner : Captured {
  using Captured::Captured;
  Result describe(const std::string& source, const Words& more = {}) {
    user().folder().write("work.cu", source);
    return user().run(joined({"new", "work.cu", "--capture", "c", "--output", "tuned.cu"}, more));
  }
  Result with_gpu(const Words& words) {
    user().environment["FAKE_DRIVER"] = "noise=1";
    user().environment["FAKE_DRIVER_GPU"] = user().home().string();
    return user().run(words);
  }
  std::string described() const { return read_bytes(user().home() / "tuned.cu"); }
};

}  // namespace

TEST_CASE("a captured kernel becomes a description that is checked and tuned without an edit") {
  struct Case {
    std::string word, type, output;
  };
  const Case cases[] = {
      {"copies", "int",
       "inout(out, int, 4024, file(\"tuned.data/out.npy\"), expect file(\"tuned.data/out.expected.npy\"))"},
      {"increments", "int",
       "inout(out, int, 4024, file(\"tuned.data/out.npy\"), expect file(\"tuned.data/out.expected.npy\"))"},
      {"pads", "int", "out(out, int, 4024, expect file(\"tuned.data/out.expected.npy\"))"},
      {"rewrites", "int", "expect file(\"tuned.data/out.expected.npy\"), trivial)"},
      {"shuffles", "int", "expect file(\"tuned.data/out.expected.npy\"), unordered)"},
      {"rounds", "float", "inout(out, float, 4024, file("}};
  for (const Case& each : cases) {
    CAPTURE(each.word);
    Owner owner(each.word);
    check_err(owner.describe(source_of(each.word, each.type)), 0, {"Written to tuned.cu"});
    const std::string text = owner.described();
    CHECK(contains(text, each.output));
    CHECK(contains(text, "#pragma tuner problem(count: size = 4000)\n"));
    CHECK(!contains(text, "// ?"));
    CHECK(owner.user().run({"describe", "tuned.cu"}).exit_code == 0);
    check_out(owner.with_gpu({"check", "tuned.cu"}), 0, {"No findings."});
    check_out(owner.with_gpu({"tune", "tuned.cu", "--effort", "quick", "--workers", "2"}), 0, {"Winner"});
  }
}

TEST_CASE("a kernel that computes something else than the program's is found") {
  Owner owner("copies");
  CHECK(owner.describe(source_of("increments")).exit_code == 0);
  check_err(owner.with_gpu({"check", "tuned.cu"}), 6, {"wrong_result", "differ from out.expected.npy"});
}

TEST_CASE("the data is that of the launch, and only its owner can read it") {
  Owner owner("copies");
  CHECK(owner.describe(source_of("copies")).exit_code == 0);
  const fs::path data = owner.user().home() / "tuned.data";
  CHECK(names_in(data) == Words{"input.npy", "out.expected.npy", "out.npy"});
  struct stat status {};
  REQUIRE(stat(data.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
  const std::string bytes = read_bytes(data / "input.npy");
  CHECK(contains(bytes, "{'descr': '<i4', 'fortran_order': False, 'shape': (4024,), }"));
  CHECK(bytes.size() % 64 == 4 * 4024 % 64);
  CHECK(bytes.substr(bytes.size() - 4 * 4024, 8) == std::string("\1\0\0\0\4\0\0\0", 8));
}

TEST_CASE("a capture that was not replayed, or was changed since, names the command") {
  Owner owner("copies");
  const fs::path replay = owner.user().home() / "c/replay.json";
  const std::string before = read_bytes(replay);
  owner.change_manifest("/launches/0/grid"_json_pointer, {5, 1, 1});
  check_error(owner.describe(source_of("copies")), 5, {"does not belong to the manifest beside it", "tuner replay c"});
  fs::remove(replay);
  check_error(owner.describe(source_of("copies")), 2, {"was not replayed", "run `tuner replay c` first"});
  check_error(owner.describe(source_of("copies"), {"--launch", "2"}), 2, {"the capture has 1 launch."});
}

TEST_CASE("without a source the build has to have it, and a source that is named needs no proof") {
  Owner owner("copies");
  const Words words{"new", "--capture", "c", "--output", "tuned.cu"};
  check_error(owner.user().run(words), 2, {"needs the kernel's source, or --build FILE", "tuner capture --build"});
  owner.user().folder().write("build.json", "{\"format\": 1, \"commands\": []}");
  const Words build{"--build", "build.json"};
  check_error(owner.user().run(joined(words, build)), 2, {"None of the 0 sources of the build has the kernel work."});
  check_err(owner.describe(source_of("copies"), build), 0, {"warning: The build does not compile ", "Written to"});
  check_error(owner.user().run({"new", "work.cu", "--build", "build.json"}), 2, {"add --capture FOLDER"});
}

TEST_CASE("what a replay left and somebody changed is one sentence") {
  struct Change {
    const char* place;
    json value;
  };
  const Change changes[] = {{"/format", 0},
                            {"/launches", nullptr},
                            {"/launches/0/launch", 7},
                            {"/launches/0/verdict", "splendid"},
                            {"/launches/0/memory", json::array()},
                            {"/launches/0/memory/1/use", 3},
                            {"/launches/0/memory/1/bytes", 1},
                            {"/launches/0/memory/1/written/output_bytes", std::uint64_t{1} << 60},
                            {"/launches/0/memory/1/written/ranges", json::array({json::array({5, 2})})},
                            {"/launches/0/memory/1/written/ranges", json::array({json::array({0, 1 << 30})})}};
  for (const Change& each : changes) {
    CAPTURE(each.place);
    Owner owner("copies");
    owner.change("replay.json", json::json_pointer(each.place), each.value);
    check_error(owner.describe(source_of("copies")), 5, {"c/replay.json is damaged, at `", "tuner replay c"});
  }
  Owner owner("copies");
  owner.change("replay.json", "/format"_json_pointer, 99);
  check_error(owner.describe(source_of("copies")), 5, {"has format 99"});
  write_bytes(owner.user().home() / "c/replay.json", "[1, 2");
  check_error(owner.describe(source_of("copies")), 5, {"c/replay.json is damaged: run `tuner replay c` again."});
}

TEST_CASE("what no description can give is one sentence, and nothing is written") {
  for (const auto& [word, sentence] : {std::pair{"reads", "it wrote nothing that could be compared"},
                                       {"swaps", "parameter 2, `const int* in`, points to const"}}) {
    CAPTURE(word);
    Owner owner(word);
    check_error(owner.describe(source_of(word)), 2, {"`work` cannot be described from this launch", sentence});
    CHECK(!fs::exists(owner.user().home() / "tuned.cu"));
    CHECK(!fs::exists(owner.user().home() / "tuned.data"));
  }
}

TEST_CASE("data of another description stays unless it is to be replaced") {
  Owner owner("copies");
  CHECK(owner.describe(source_of("copies")).exit_code == 0);
  fs::remove(owner.user().home() / "tuned.cu");
  check_error(owner.describe(source_of("copies")), 2, {"tuned.data", "add --force"});
  CHECK(owner.describe(source_of("copies"), {"--force"}).exit_code == 0);
}

TEST_CASE("data was written where a link in the place of its folder led") {
  Owner owner("copies");
  const fs::path home = owner.user().home();
  fs::create_directory(home / "elsewhere");
  fs::create_directory_symlink("elsewhere", home / "tuned.data");
  check_error(owner.describe(source_of("copies"), {"--force"}), 2, {"tuned.data", "it is a symbolic link"});
  fs::create_directory_symlink("../elsewhere", home / "c/work.data");
  check_error(owner.with_gpu({"tune", "c", "--source", "work.cu"}), 2, {"c/work.data", "it is a symbolic link"});
  CHECK(fs::is_empty(home / "elsewhere"));
  CHECK(!fs::exists(home / "tuned.cu"));
  fs::remove(home / "tuned.data");
  write_bytes(home / "tuned.data", "no folder");
  check_error(owner.describe(source_of("copies"), {"--force"}), 2, {"tuned.data", "it is no folder"});
}

TEST_CASE("a kernel that somebody else had put into a capture was tuned") {
  Owner owner("copies");
  User& user = owner.user();
  user.folder().write("work.cu", source_of("copies"));
  const Words tune{"tune", "c", "--source", "work.cu", "--effort", "quick", "--workers", "2"};
  const auto others_may_write = [&](const char* file, fs::perm_options change) {
    fs::permissions(user.home() / file, fs::perms::others_write, change);
  };
  others_may_write("c", fs::perm_options::add);
  check_error(owner.with_gpu(tune), 2,
              {"Tuning runs the kernel of c, which is not trusted: ", "c is writable by its group", "add --trust"});
  CHECK(!fs::exists(user.home() / "c/work.cu"));
  check_err(owner.with_gpu(joined(tune, {"--trust"})), 0, {"Written to c/work.cu"});
  others_may_write("c", fs::perm_options::remove);
  CHECK(owner.with_gpu(tune).exit_code == 0);
  others_may_write("c/work.cu", fs::perm_options::add);
  check_error(owner.with_gpu(tune), 2, {"c/work.cu is writable by its group or by everyone", "add --trust"});
  CHECK(owner.with_gpu(joined(tune, {"--trust"})).exit_code == 0);
  check_error(owner.with_gpu({"tune", "work.cu", "--trust"}), 2, {"--trust is for the folder of a capture"});
}

TEST_CASE("a kernel file of a capture is trusted whatever the umask was when it was written") {
  Owner owner("copies");
  User& user = owner.user();
  user.folder().write("work.cu", source_of("copies"));
  user.before_start = [] { umask(0); };
  const Words tune{"tune", "c", "--source", "work.cu", "--effort", "quick", "--workers", "2"};
  CHECK(owner.with_gpu(tune).exit_code == 0);
  CHECK(owner.with_gpu(tune).exit_code == 0);
}

TEST_CASE("a compiler that hung while a source was looked for lived on, and its time was not limited") {
  Owner owner("copies");
  User& user = owner.user();
  const fs::path temporary = user.home() / "tmp";
  fs::create_directory(temporary);
  user.environment["TMPDIR"] = temporary.string();
  user.folder().write("work.cu", source_of("copies"));
  const fs::path nvcc = make_script(user.folder(), "nvcc",
                                    "[ \"$1\" = --version ] && exec echo 'release 13.0, V13.0.88'\necho $$ > '" +
                                        (user.home() / "pid").string() + "'\nexec sleep 600\n");
  const json command{{"program", nvcc.string()},
                     {"folder", user.home().string()},
                     {"arguments", {nvcc.string(), "-arch=sm_90", "-c", "work.cu"}},
                     {"environment", json::object()}};
  user.folder().write("build.json", json{{"format", 1}, {"commands", json::array({command})}}.dump());
  const auto waits_for = [](const auto& condition) {
    for (int i = 0; i < 600 && !condition(); ++i) usleep(50000);
    return condition();
  };
  const auto pid = [&] { return std::atoi(read_bytes(user.home() / "pid").c_str()); };
  const Words commands[] = {{"new", "--capture", "c", "--output", "tuned.cu"}, {"tune", "c"}};
  for (const Words& words : commands) {
    CAPTURE(words.front());
    const Words hangs = joined(words, {"--build", "build.json"});
    check_error(user.run(joined(hangs, {"--compile-timeout", "200ms"})), 2, {"had not finished after 0.2 s"});
    CHECK(has_ended(pid()));
    fs::remove(user.home() / "pid");
    Running running(user, hangs);
    REQUIRE(waits_for([&] { return fs::exists(user.home() / "pid") && pid() != 0; }));
    running.signal(SIGINT);
    CHECK(running.finish().exit_code == 130);
    CHECK(has_ended(pid()));
    CHECK(fs::is_empty(temporary));
  }
  const Words limit{"--compile-memory", "1GB"};
  check_error(user.run(joined({"new", "work.cu"}, limit)), 2, {"--compile-memory limits the compilers of --build"});
}

TEST_CASE("options that say nothing beside a capture are refused") {
  Owner owner("copies");
  User& user = owner.user();
  user.folder().write("work.cu", source_of("copies"));
  check_error(user.run({"new", "work.cu", "--capture", "c"}), 2, {"add --output FILE"});
  check_error(user.run({"new", "work.cu", "--capture", "c", "--output", "-"}), 2, {"add --output FILE"});
  check_error(user.run({"new", "work.cu", "--launch", "1"}), 2, {"add --capture FOLDER"});
  check_error(owner.describe(source_of("copies"), {"--kernel", "work"}), 2, {"leave out --kernel"});
  check_error(user.run({"new", "work.cu", "--capture", "./nowhere", "--output", "t.cu"}), 2, {"folder of a capture"});
}

TEST_CASE("a capture is tuned by its folder, and what was written there once can be changed") {
  Owner owner("copies");
  User& user = owner.user();
  fs::create_directories(user.home() / "src");
  write_bytes(user.home() / "src/own.h", "#pragma once\n");
  write_bytes(user.home() / "src/work.cu", "#include \"own.h\"\n" + source_of("copies"));
  check_error(owner.with_gpu({"tune", "c"}), 2,
              {"c does not say which source its kernel is of", "tuner capture --build"});
  user.folder().write("build.json", "{\"format\": 1, \"commands\": []}");
  check_error(owner.with_gpu({"tune", "c", "--build", "build.json"}), 2, {"None of the 0 sources of the build"});
  const Words tune{"tune", "c", "--source", "src/work.cu", "--effort", "quick", "--workers", "2"};
  const Result refused = owner.with_gpu(joined(tune, {"--only", "TILE"}));
  check_err(refused, 2, {"Written to c/work.cu", "--only TILE: the kernel has no parameter"});
  CHECK(fs::exists(user.home() / "c/work.cu"));
  const Result first = owner.with_gpu(tune);
  check_out(first, 0, {"Winner"});
  CHECK(contains(first.err, "c/work.cu is there already and is tuned as it is."));
  CHECK(contains(user.run({"list"}).out, "work"));
  write_bytes(user.home() / "c/work.cu", "no kernel");
  CHECK(owner.with_gpu(tune).exit_code == 2);
  fs::remove(user.home() / "c/work.cu");  // the data that it leaves are made again
  check_err(owner.with_gpu(tune), 0, {"Written to c/work.cu, with 3 files in c/work.data."});
}
