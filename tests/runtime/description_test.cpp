// The ways in which a program says what its kernel is.
#include <fstream>
#include <sstream>
#include <tuple>

#include "tests/runtime/machine.hpp"
#include "tests/support/errors.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"

using namespace tuner;
using namespace tuner::test;
namespace fs = std::filesystem;

namespace {

/// The text without its directives, as a program that describes a kernel in code has it.
std::string without_directives(const std::string& text) {
  std::istringstream lines(text);
  std::string rest;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#pragma tuner")) rest += line + "\n";
  }
  return rest;
}

DescriptionBuilder built_wave() {
  DescriptionBuilder builder("wave", without_directives(kWave));
  builder.size("rows")
      .size("columns")
      .exact("halo", 1)
      .constant("TYPE", "float")
      .problem_constraint("1 <= rows <= 100000")
      .problem_constraint("1 <= columns <= 100000")
      .problem_constraint("0 <= halo <= 8")
      .parameter("BLOCK", {64, 128, 256, 512}, 128)
      .parameter("ITEMS", {1, 2, 4}, 1)
      .parameter("STORE", {"plain", "streaming"}, "plain")
      .constraint("BLOCK * ITEMS <= max(columns, 128)")
      .grid("ceil_div(columns, BLOCK * ITEMS), rows")
      .block("BLOCK")
      .shared("4 * BLOCK")
      .in("x", "TYPE", "rows * columns")
      .out("y", "TYPE", "rows * columns")
      .scalar("factor", "float", "2")
      .scalar("columns", "int32");
  return builder;
}

struct RecordedWinner {
  std::string configuration;
  double time_ns = 1e300;
};
/// The fastest row of scale.csv: BLOCK,UNROLL,LAYOUT,status,time_ms,...
RecordedWinner winner_of(const fs::path& recording) {
  RecordedWinner winner;
  std::ifstream lines(recording);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string block, unroll, layout, status, time_ms;
    for (std::string* field : {&block, &unroll, &layout, &status, &time_ms}) std::getline(fields, *field, ',');
    if (line.starts_with('#') || status != "ok" || std::stod(time_ms) * 1e6 >= winner.time_ns) continue;
    winner = {"BLOCK=" + block + ",LAYOUT=" + layout + ",UNROLL=" + unroll, std::stod(time_ms) * 1e6};
  }
  return winner;
}

}  // namespace

TEST_CASE("what is described in code is the kernel that the annotated source describes") {
  Machine machine;
  machine.tuned();
  const Description built = built_wave().build();
  CHECK(built.kernel() == "wave");
  CHECK(built.problem_properties() == wave().problem_properties());
  Runtime runtime(machine.options());
  const Kernel kernel = runtime.kernel(built);
  const Instance& instance = kernel.request({100, 1000});
  const Instance& annotated = runtime.kernel(wave()).request({100, 1000});
  INFO(instance.provenance().why);
  CHECK(instance.rung() == Rung::exact);
  CHECK(launched(instance) == Stored{}.configuration);
  CHECK(instance.shape().grid == annotated.shape().grid);
  CHECK(instance.shape().block == annotated.shape().block);
  CHECK(instance.shape().shared_bytes == annotated.shape().shared_bytes);
  CHECK(instance.shape().function == annotated.shape().function);
  CHECK(contains(std::string(launch(instance, 999).message), "`columns`"));
  CHECK(&kernel.request({{"columns", 1000}, {"rows", 100}}) == &instance);
  const Instance& near = kernel.request({150, 1000});
  CHECK(near.rung() == Rung::near_size);
}

TEST_CASE("a mistake in what is described in code throws a sentence that shows it") {
  const auto message = [](const DescriptionBuilder& builder) {
    return error_of(Errc::bad_description, [&] { builder.build(); });
  };
  CHECK(contains(message(built_wave().constraint("BLOK < 4")), "BLOCK"));
  CHECK(contains(message(built_wave().constraint("BLOCK <")), "BLOCK <"));
  CHECK(contains(message(built_wave().parameter("MORE", {1, 2}, 3)), "3"));
  CHECK(contains(message(built_wave().in("z", "flaot", "rows")), "flaot"));
  CHECK(contains(message(built_wave().directive("gird(1)")), "grid"));
  CHECK(!message(DescriptionBuilder("wave", "void wave() {}")).empty());
  CHECK(!message(DescriptionBuilder("", "")).empty());
}

TEST_CASE("the kernel may be in a file, with the headers beside it") {
  Machine machine;
  const fs::path folder = machine.folder() / "kernels";
  fs::create_directories(folder);
  const std::string header = "#define ZERO 0\n";
  const std::string text = "#include \"zero.cuh\"\n" + kWave;
  cache::test::write_bytes(folder / "wave.cu", text);
  cache::test::write_bytes(folder / "zero.cuh", header);

  const Task task(load_description(folder / "wave.cu"), parse_problem("rows=100,columns=1000"), gpu());
  machine.tuned({.edit = [&](cache::Decision& decision) { decision.key = task.key("cold"); }});
  Runtime runtime(machine.options());
  const auto why_served = [&](const Description& description) {
    const Instance& instance = runtime.kernel(description).request({100, 1000});
    return instance.provenance().why;
  };
  // The decision is there; the binary is not, since it belongs to a source with another text.
  const std::string found = "No usable binary of " + Stored{}.configuration;
  CHECK(contains(why_served(Description::from_file(folder / "wave.cu")), found));
  CHECK(contains(why_served(Description::from_text(text, {.headers = {{"zero.cuh", header}}})), found));
  CHECK(contains(why_served(Description::from_text(text, {.headers = {{"zero.cuh", "#define ZERO 1\n"}}})),
                 "Nothing is stored"));
  CHECK(contains(why_served(Description::from_text(text)), "Nothing is stored"));
  DescriptionBuilder builder = built_wave();
  // In another folder, with the header in a third.
  fs::create_directories(machine.folder() / "elsewhere");
  fs::rename(folder / "zero.cuh", machine.folder() / "elsewhere/zero.cuh");
  CHECK(contains(why_served(Description::from_file(folder / "wave.cu", "wave", {machine.folder() / "elsewhere"})),
                 found));
  CHECK(contains(why_served(Description::from_file(folder / "wave.cu")), "Nothing is stored"));
}

TEST_CASE("a kernel in a whole program is the same to the library as to the tuner, whatever its main does") {
  Machine machine;
  const fs::path folder = machine.folder() / "kernels";
  fs::create_directories(folder);
  const std::string header =
      "#include <cstdio>\n#include <string>\ninline void check(std::string what) { puts(what); }\n";
  const std::string text = "#include <cstdint>\n#include <vector>\n#include \"check.h\"\n" + kWave;
  const std::string main = "int main() {\n  std::vector<float> x;\n  wave<<<1, 1>>>(x);\n}\n";
  cache::test::write_bytes(folder / "wave.cu", text + main);
  cache::test::write_bytes(folder / "check.h", header);

  const Task task(load_description(folder / "wave.cu"), parse_problem("rows=100,columns=1000"), gpu());
  machine.tuned({.edit = [&](cache::Decision& decision) { decision.key = task.key("cold"); }});
  Runtime runtime(machine.options());
  const auto is_found = [&](const Description& description) {
    const Instance& instance = runtime.kernel(description).request({100, 1000});
    return contains(instance.provenance().why, "No usable binary of " + Stored{}.configuration);
  };
  const std::vector<Header> headers{{"check.h", header}};
  CHECK(is_found(Description::from_file(folder / "wave.cu")));
  CHECK(is_found(Description::from_text(text + main, {.headers = headers})));
  CHECK(is_found(Description::from_text(text + "int main(int, char**) { return 0; }\n", {.headers = headers})));
  CHECK(!is_found(Description::from_text(text, {.headers = headers})));
  CHECK(!is_found(Description::from_text(text + "__device__ int more;\n" + main, {.headers = headers})));
}

TEST_CASE("a file that is not there throws at once, a text with a mistake when it is parsed") {
  const auto code = [](const std::function<void()>& action, const std::string& word) {
    try {
      action();
    } catch (const Error& error) {
      INFO(error.what());
      CHECK(contains(error.what(), word));
      return error.code();
    }
    return Errc::internal;
  };
  CHECK(code([] { Description::from_file("/nonexistent/wave.cu"); }, "/nonexistent/wave.cu") == Errc::file_not_found);
  Machine machine;
  Runtime runtime(machine.options());
  const std::tuple<std::string, EmbeddedText, std::string> mistakes[] = {
      {"int x;", {.name = "plain.cu"}, "plain.cu"},
      {kWave, {.name = "w.cu", .kernel = "wafe"}, "wave"},
      {kWave + "#pragma tuner gird(1)\n", {.name = "w.cu"}, "grid"}};
  for (const auto& [text, embedded, word] : mistakes) {
    const Description description = Description::from_text(text, embedded);
    CHECK(code([&] { static_cast<void>(description.kernel()); }, word) == Errc::bad_description);
    CHECK(code([&] { description.problem_properties(); }, word) == Errc::bad_description);
    CHECK(code([&] { runtime.kernel(description); }, word) == Errc::bad_description);
  }
}

TEST_CASE("of several kernels in a text one is named") {
  Machine machine;
  std::string other = kWave;
  for (std::size_t at = 0; (at = other.find("wave", at)) != std::string::npos; at += 6) other.replace(at, 4, "ripple");
  const std::string both = kWave + other;
  CHECK(Description::from_text(both, {.kernel = "ripple"}).kernel() == "ripple");
  CHECK_THROWS_AS(Description::from_text(both).problem_properties(), Error);
  machine.tuned({.configuration = kBaseline});
  Runtime runtime(machine.options());
  CHECK(runtime.kernel(Description::from_text(both, {.kernel = "ripple"})).request({100, 1000}).rung() ==
        Rung::unrunnable);
}

TEST_CASE("a recorded space, as a database, serves its winner") {
  Machine machine;
  const fs::path data = TUNER_TEST_DATA;
  const RecordedWinner recorded = winner_of(data / "scale.csv");
  REQUIRE(recorded.configuration == "BLOCK=256,LAYOUT=strided,UNROLL=4");
  const std::string& winner = recorded.configuration;
  Stored stored{.configuration = winner,
                .problem = "n=16777216",
                .text = cache::test::read_bytes(data / "scale.cu"),
                .device = known_device("H200")};
  stored.edit = [&](cache::Decision& decision) { decision.time_ns = recorded.time_ns; };
  machine.tuned(stored);
  Runtime runtime(machine.options());
  const Kernel kernel = runtime.kernel(Description::from_file(data / "scale.cu"));
  const Instance& elsewhere = kernel.request({16777216});
  INFO(elsewhere.provenance().why);
  CHECK(elsewhere.rung() == Rung::other_device);
  CHECK(elsewhere.provenance().configuration == winner);
  CHECK(elsewhere.provenance().expected_time->count() == recorded.time_ns);
  CHECK(contains(elsewhere.provenance().why, "NVIDIA H200"));

  // The same as if it had been found here.
  stored.device.reset();
  stored.problem = "n=1000000";
  machine.tuned(stored);
  const Instance& here = kernel.request({1000000});
  CHECK(here.rung() == Rung::exact);
  inspector().take_launches();
  const float* const x = nullptr;
  float* const y = nullptr;
  CHECK(here.launch(nullptr, x, y, 1000000));
  const auto launches = inspector().take_launches();
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].instructions == "records " + winner);
  CHECK(launches[0].block[0] == here.shape().block[0]);
}

TEST_CASE("a kernel that a T1 file describes is taken as it is") {
  const fs::path data = TUNER_TEST_DATA;
  const Description description = Description::from_file(data / "t1/gemm.json");
  CHECK(description.kernel() == "gemm");
  CHECK(description.problem_properties() == std::vector<std::string>{"sizeM", "sizeN", "sizeK"});
  CHECK_THROWS_AS(Description::from_file(data / "t1/gemm.json", "sgemm"), Error);
}
