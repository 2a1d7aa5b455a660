#include "tuner/core/t1/writer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/core/support.hpp"
#include "tests/core/t1/t1_folder.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/task/task.hpp"

using tuner::KernelDescription;
using tuner::Task;
using tuner::test::contains;

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TUNER_SOURCE_DIR;

std::vector<fs::path> files_of(const char* folder, const char* extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kRoot / folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The launches of all configurations, in an order that does not depend on that of parameters and values.
std::vector<std::string> launches(const Task& task) {
  std::vector<std::string> all;
  for (std::uint64_t i = 0; i < task.space().size(); ++i) {
    try {
      all.push_back(task.geometry(task.space().at(i)).text());
    } catch (const tuner::Error&) {
      all.emplace_back("no launch");
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// T1 fixes compiler options at their defaults.
std::vector<std::string> at_default_options(const KernelDescription& kernel) {
  std::vector<std::string> where;
  for (const tuner::ParameterDescription& parameter : kernel.parameters) {
    if (parameter.form != tuner::ParameterForm::option) continue;
    where.push_back(parameter.parameter.name + " == \"" + parameter.parameter.default_value.as_name() + "\"");
  }
  return where;
}

std::string all(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += sentence + "\n";
  return text;
}

void check_round_trip(const KernelDescription& kernel) {
  CAPTURE(kernel.file.string());
  CAPTURE(kernel.kernel);
  const Task task(kernel, {}, tuner::known_device("H200"), at_default_options(kernel));
  const tuner::T1Text written = tuner::to_t1(task);
  const Task again(tuner::read_t1(written.json, "written.json").kernel, {}, tuner::known_device("H200"));
  CHECK(again.space().size() == task.space().size());
  CHECK(launches(again) == launches(task));
  const auto as_written = nlohmann::json::parse(written.json);
  CHECK(as_written["Metadata"]["Configurations"] == task.space().size());
  REQUIRE(again.baseline());
  CHECK(again.geometry(*again.baseline()) == task.geometry(*task.baseline()));
  const auto before = task.arguments();
  const auto after = again.arguments();
  REQUIRE(before.size() == after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    CAPTURE(before[i].name);
    CHECK(before[i].role == after[i].role);
    CHECK(before[i].type == after[i].type);
    CHECK(before[i].lanes == after[i].lanes);
    CHECK(before[i].length == after[i].length);
    CHECK(before[i].rtol == after[i].rtol);
    CHECK(before[i].padding == after[i].padding);
    CHECK(before[i].value == after[i].value);
  }
}

KernelDescription described(const std::string& directives) {
  return tuner::parse_descriptions("__global__ void k(float* y) {}\n" + directives, "k.cu").front();
}

}  // namespace

TEST_CASE("every shipped kernel is the same space and the same launches as a T1 file") {
  for (const fs::path& file : files_of("kernel_sources", ".cu")) {
    for (const KernelDescription& kernel : tuner::load_descriptions(file)) check_round_trip(kernel);
  }
}

TEST_CASE("T1 files survive being read and written") {
  const std::vector<fs::path> files = files_of("tests/data/t1", ".json");
  CHECK(files.size() >= 3);
  for (const fs::path& file : files) check_round_trip(tuner::load_description(file));
}

TEST_CASE("named values are strings that the kernel's macros stand for") {
  const Task task(
      described(
          "#pragma tuner kernel(k)\n"
          "#pragma tuner problem(TYPE: constant = float, n: size = 1000)\n"
          "#pragma tuner param(MODE, plain, fast, none; default fast) param(OTHER, none, some)\n"
          "#pragma tuner param(VECTOR, float, float4)\n"
          "#pragma tuner let(IS_PLAIN = MODE == plain) define(SPAN = 2 * ITEMS) define(N4 = n // 4)\n"
          "#pragma tuner param(ITEMS, 1, 2)\n"
          "#pragma tuner constraint(IS_PLAIN or OTHER == none) constraint(MODE in (plain, fast) or TYPE == double)\n"
          "#pragma tuner constraint(sizeof(VECTOR) > 4 or is_pow2(SPAN) and n > warp_size)\n"
          "#pragma tuner grid(ceil_div(n, SPAN)) block(warp_size) shared(round_up(SPAN, 16))\n"
          "#pragma tuner out(y, TYPE, n, rtol 1e-3) work(bytes = n)\n"),
      {}, tuner::known_device("H200"));
  const tuner::T1Text written = tuner::to_t1(task);
  const auto json = nlohmann::json::parse(written.json);
  const auto& parameters = json["ConfigurationSpace"]["TuningParameters"];
  CHECK(parameters[0]["Type"] == "string");
  CHECK(parameters[0]["Values"] == "['MODE_plain', 'MODE_fast', 'MODE_none']");
  CHECK(parameters[0]["Default"] == "MODE_fast");
  CHECK(parameters[2]["Values"] == "['float', 'float4']");
  CHECK(parameters[4]["Name"] == "SPAN");
  CHECK(parameters[4]["Values"] == "[2, 4]");
  const auto& conditions = json["ConfigurationSpace"]["Conditions"];
  CHECK(conditions[0]["Expression"] == "SPAN == (2 * ITEMS)");
  CHECK(conditions[1]["Expression"] == "MODE == 'MODE_plain' or OTHER == 'OTHER_none'");
  CHECK(conditions[1]["Parameters"] == nlohmann::json{"MODE", "OTHER"});
  CHECK(conditions[2]["Expression"] == "MODE in ['MODE_plain', 'MODE_fast'] or False");
  const auto& specification = json["KernelSpecification"];
  CHECK(specification["GlobalSize"]["X"] == "-(-1000 // (2 * ITEMS))");
  CHECK(specification["LocalSize"]["X"] == "32");
  CHECK(specification["Arguments"][0]["RelativeTolerance"] == 0.001);
  CHECK(specification["CompilerOptions"] == nlohmann::json{"-DMODE_plain=0", "-DMODE_fast=1", "-DMODE_none=2",
                                                           "-DOTHER_none=0", "-DOTHER_some=1", "-DTYPE=float",
                                                           "-DN4=250"});
  CHECK(contains(all(written.warnings), "Device attributes were evaluated for NVIDIA H200."));
  CHECK(contains(all(written.warnings), "T1 has no place for work."));
}

TEST_CASE("what T1 cannot say is named") {
  const Task task(
      described(
          "#pragma tuner kernel(k)\n"
          "#pragma tuner param(B, 64, 128) option(FMAD, \"\", \"--fmad=false\") constraint(FMAD == \"\" or B == 64)\n"
          "#pragma tuner grid(next_pow2(B)) block(B)\n"
          "#pragma tuner in(x, float, 64, normal(0, 1), pad 16) out(y, int2, 64) scratch(s, float, B)\n"
          "#pragma tuner deterministic reference(plain)\n"),
      {}, tuner::known_device("H200"));
  const std::string warnings = all(tuner::to_t1(task).warnings);
  CHECK(contains(warnings, "T1 cannot tune compiler options: `FMAD` stays without one."));
  CHECK(contains(warnings, "is left out, because it concerns a compiler option"));
  CHECK(contains(warnings, "T1 has no generator for the content of `x`"));
  CHECK(contains(warnings, "The padding of `x` is in Padding, which other readers of T1 ignore."));
  CHECK(contains(warnings, "`y` has a type that other readers of T1 do not support"));
  CHECK(contains(warnings, "The size of `s` depends on parameters"));
  CHECK(contains(warnings, "Python has no next_pow2"));
  CHECK(contains(warnings, "T1 has no place for reference, deterministic."));
}

TEST_CASE("Python's spelling means the same as ours") {
  const char* expressions[] = {"A - (B - 1) - 2",      "A // (B * 2) * 3",
                               "-A ** 2 + 100",        "(-A) ** 2",
                               "ceil_div(A + 1, B)",   "round_up(A, B) * 2",
                               "is_pow2(A) and B > 1", "not (A > B) == (B < 3)",
                               "A if A > B else B",    "(A if B > 1 else 2) + 1",
                               "A << 1 | B & 3",       "~A ^ B",
                               "1 < A <= B < 9",       "A not in (1, 2)",
                               "floor(A / B)",         "ceil(A / B)",
                               "max(A) + min(A, B)",   "int(A / B) % 2",
                               "!(A > 2) || B == 1",   "sqrt(A * A) > 2",
                               "A > 2 ? B : -B",       "abs(-A - B)"};
  for (const char* expression : expressions) {
    CAPTURE(expression);
    const KernelDescription kernel = described(
        std::string("#pragma tuner kernel(k)\n#pragma tuner param(A, 1, 2, 3, 4, 7) param(B, 1, 2, 3, 8)\n") +
        "#pragma tuner grid(1) block(1) out(y, float, 1)\n#pragma tuner constraint((" + expression + ") != 77)\n");
    const Task task(kernel, {}, tuner::known_device("H200"));
    const auto json = nlohmann::json::parse(tuner::to_t1(task).json);
    std::string python = json["ConfigurationSpace"]["Conditions"][0]["Expression"];
    REQUIRE(python.ends_with(" != 77"));
    const auto left = tuner::search::Expression::parse(expression);
    python.resize(python.size() - 6);
    const auto python_left = tuner::search::Expression::parse(python);
    for (std::uint64_t i = 0; i < task.space().size(); ++i) {
      const auto configuration = task.space().at(i);
      const auto scope = task.space().scope(configuration);
      CHECK(left.evaluate(scope).as_real() == python_left.evaluate(scope).as_real());
    }
  }
}
