#include "tuner/sources/recorded/build_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <random>

#include "tests/sources/recorded/recorded.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/length.hpp"
#include "tuner/sources/recorded/compile_commands.hpp"
#include "tuner/sources/recorded/compiler_words.hpp"

using namespace tuner;
using namespace tuner::sources;
using namespace tuner::test;

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// A command in this folder, whose sources are there.
CompilerCommand compile(const TemporaryFolder& folder, const Words& words) {
  CompilerCommand command = command_of(words, folder.path());
  command.program = "/cuda/bin/nvcc";
  for (const fs::path& source : sources_of(command)) write_bytes(source, "");
  return command;
}

std::string error_in(const std::string& text) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("build.json", text);
  return error_of(Errc::store_damaged, [&] { read_build_file(file); });
}

std::string error_in_list(const std::string& text) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("compile_commands.json", text);
  return error_of(Errc::bad_usage, [&] { read_compile_commands(file); });
}

}  // namespace

TEST_CASE("a record is read as it was written") {
  const TemporaryFolder folder;
  CompilerCommand command = compile(folder, {"nvcc", "-DA=\"x\ny\"", "", "-c", "ä b.cu"});
  command.environment = {{"CPATH", "/x:/y"}, {"PATH", ""}};
  const std::vector<CompilerCommand> commands{command, compile(folder, {"nvcc", "a.o"})};
  CHECK(write_build_file(folder / "build.json", commands) == 0);
  CHECK(read_build_file(folder / "build.json").commands == commands);
}

TEST_CASE("a command that is not UTF-8 is left out of a record") {
  const TemporaryFolder folder;
  const CompilerCommand good = compile(folder, {"nvcc", "-c", "a.cu"});
  CHECK(write_build_file(folder / "build.json", {compile(folder, {"nvcc", "-c", "\xff.cu"}), good}) == 1);
  CHECK(read_build_file(folder / "build.json").commands == std::vector{good});
}

TEST_CASE("a record that others could have written is not to be trusted, whatever it says") {
  const TemporaryFolder folder;
  write_build_file(folder / "build.json", {});
  struct stat status {};
  REQUIRE(stat((folder / "build.json").c_str(), &status) == 0);
  CHECK((status.st_mode & 0022) == 0);
  CHECK_FALSE(read_build_file(folder / "build.json").distrust);
  fs::permissions(folder / "build.json", fs::perms(0666));
  CHECK(contains(read_build_file(folder / "build.json").distrust.value_or(""), "writable by its group"));
}

TEST_CASE("a later build takes the place of an earlier one where it made the same, and the rest stays") {
  const TemporaryFolder folder;
  const CompilerCommand a = compile(folder, {"nvcc", "-c", "a.cu"}), b = compile(folder, {"nvcc", "-c", "b.cu"}),
                        new_a = compile(folder, {"nvcc", "-G", "-c", "a.cu"});
  CHECK(merged({a, b}, {new_a}) == std::vector{b, new_a});
  CHECK(merged({}, {a, b, new_a}) == std::vector{b, new_a});
}

TEST_CASE("a command whose sources or folder are gone is dropped") {
  const TemporaryFolder folder;
  const CompilerCommand a = compile(folder, {"nvcc", "-c", "a.cu"}), link = compile(folder, {"nvcc", "a.o"});
  CompilerCommand elsewhere = link;
  elsewhere.folder = "/nowhere/at/all";
  CHECK(merged({a}, {link, elsewhere}) == std::vector{a, link});
  fs::remove(folder / "a.cu");
  CHECK(merged({a}, {link}) == std::vector{link});
}

TEST_CASE("a file that is no record is one sentence that says where") {
  const std::string begin = R"({"format": 1, "commands": [{"program": "/nvcc", "folder": "/x", )";
  CHECK(contains(error_in(""), "it is no JSON object"));
  CHECK(contains(error_in("[]"), "it is no JSON object"));
  CHECK(contains(error_in(std::string(100000, '[')), "it is no JSON object"));
  CHECK(contains(error_in("{}"), "`format`"));
  CHECK(contains(error_in(R"({"format": 0})"), "`format`"));
  CHECK(contains(error_in(R"({"format": 1})"), "`commands`"));
  CHECK(contains(error_in(R"({"format": 1, "commands": [7]})"), "`commands[0].program`"));
  CHECK(contains(error_in(R"({"format": 1, "commands": [{"program": "nvcc"}]})"), "`commands[0].program`"));
  CHECK(contains(error_in(R"({"format": 1, "commands": [{"program": "/nvcc", "folder": "/a\u0000b"}]})"), "folder"));
  for (const char* const arguments : {"[]", "7", "[7]", R"(["a\u0000b"])"})
    CHECK(contains(error_in(begin + "\"arguments\": " + arguments + "}]}"), "`commands[0].arguments`"));
  for (const char* const variables : {"[]", R"({"A": 7})", R"({"A=B": "x"})", R"({"": "x"})", R"({"A": "\u0000"})"})
    CHECK(contains(error_in(begin + R"("arguments": ["nvcc"], "environment": )" + variables + "}]}"),
                   "`commands[0].environment`"));
}

TEST_CASE("a record of a later format, and one that cannot be read, are one sentence") {
  const TemporaryFolder folder;
  const fs::path file = folder.write("build.json", R"({"format": 2, "commands": []})");
  CHECK(contains(error_of(Errc::store_newer, [&] { read_build_file(file); }), "format 2"));
  for (const char* const name : {"absent", "absent/absent", "."})
    CHECK(contains(error_of(Errc::file_not_found, [&] { read_build_file(folder / name); }), "cannot be read"));
}

TEST_CASE("compile_commands.json is read in both forms") {
  const TemporaryFolder folder;
  const fs::path file = folder.write("compile_commands.json", R"([
    {"directory": ")" + folder.path().string() + R"(", "file": "src/a.cu",
     "command": "/cuda/bin/nvcc '-DA=\"x y\"' -c src/a.cu -o a.o"},
    {"directory": "deep", "file": "b.cpp", "arguments": ["/bin/clang++", "-x", "cuda", "-c", "b.cpp"], "output": "b.o"},
    {"directory": "deep", "file": "c.cpp", "arguments": ["/usr/bin/g++", "-c", "c.cpp"]}])");
  const RecordedBuild build = read_compile_commands(file);
  REQUIRE(build.commands.size() == 2);
  CHECK(build.commands[0] ==
        CompilerCommand{.program = "/cuda/bin/nvcc",
                        .folder = folder.path(),
                        .arguments = {"/cuda/bin/nvcc", "-DA=\"x y\"", "-c", "src/a.cu", "-o", "a.o"}});
  CHECK(sources_of(build.commands[1]) == std::vector<fs::path>{folder.path() / "deep/b.cpp"});
  CHECK_FALSE(build.distrust);
}

TEST_CASE("a compile_commands.json that is damaged is one sentence that says how") {
  CHECK(contains(error_in_list("{}"), "not a list in JSON"));
  CHECK(contains(error_in_list("["), "not a list in JSON"));
  CHECK(contains(error_in_list("[7]"), "entry 1 is no object"));
  CHECK(contains(error_in_list(R"([{"directory": "/"}])"), "entry 1 has no `file`"));
  CHECK(contains(error_in_list(R"([{"file": "a.cu", "command": "nvcc"}])"), "has no `directory`"));
  CHECK(contains(error_in_list(R"([{"file": "a.cu", "directory": 7}])"), "has a `directory` that is no text"));
  CHECK(contains(error_in_list(R"([{"file": "a.cu", "directory": "/"}])"), "neither `command` nor `arguments`"));
  CHECK(
      contains(error_in_list(R"([{"file": "a.cu", "directory": "/", "command": "nvcc 'a"}])"), "a quote stands open"));
  CHECK(contains(error_in_list(R"([{"file": "a.cu", "directory": "/", "command": " "}])"), "names no compiler"));
  CHECK(
      contains(error_in_list(R"([{"file": "a.cu", "directory": "/", "arguments": ["nvcc", 7]}])"), "no list of texts"));
}

TEST_CASE("whatever a file holds, it is commands or one sentence") {
  const TemporaryFolder folder;
  const std::string list = R"([{"directory": "/x", "file": "a.cu", "command": "/cuda/bin/nvcc -c 'a b.cu' -o a.o"}])";
  write_build_file(folder / "build.json", {compile(folder, {"nvcc", "-c", "a.cu"}), compile(folder, {"nvcc", "a.o"})});
  const std::string record = read_bytes(folder / "build.json");
  std::mt19937 random(60);
  for (std::size_t i = 0; i < length(1000, 20000); ++i) {
    std::string text = i % 2 == 0 ? record : list;
    for (std::size_t damages = 1 + i % 3; damages > 0; --damages) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0) {
        text.erase(at, random() % 20);
      } else {
        text[at] = "\"\\{}[]:,x0\xff\n'"[random() % 13];
      }
      if (text.empty()) text = " ";
    }
    const fs::path file = folder.write("damaged.json", text);
    const std::string said = error_of([&] {
      const RecordedBuild build = i % 2 == 0 ? read_build_file(file) : read_compile_commands(file);
      for (const CompilerCommand& command : build.commands) product_of(command);
    });
    CHECK(said.size() > 5);
  }
}
