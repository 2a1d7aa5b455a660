// What bench/gpu_kernels.sh asks of a GPU, as far as it can be tried without one: that kernels accept the problems,
// that the configurations of studies and curves exist, and that they compile.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "bench/kernels/lists.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/compile/nvrtc_compiler.hpp"
#include "tuner/error.hpp"

using namespace tuner;
namespace fs = std::filesystem;

namespace {

const fs::path kLists = "bench/kernels";
const fs::path kTable = kLists / "kernels.table";

std::vector<fs::path> lists(const char* extension) {
  fs::current_path(TUNER_SOURCE_DIR);
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(kLists)) {
    if (entry.path().extension() == extension) found.push_back(entry.path());
  }
  return found;
}

Task task_of(const fs::path& file, const std::string& kernel, const std::string& problem) {
  return Task(load_description(file, kernel), parse_problem(problem), known_device("H200"), {}, {},
              search::Listing::when_needed);
}

}  // namespace

TEST_CASE(
    "every problem of the table is one that its kernel accepts, with a baseline and the work that its rate is of") {
  fs::current_path(TUNER_SOURCE_DIR);
  std::set<std::string> files;
  for (const bench::BenchProblem& problem : bench::read_table(kTable)) {
    CAPTURE(problem.name);
    const Task task = task_of(problem.file, problem.kernel, problem.problem);
    REQUIRE(task.baseline());
    CHECK((task.work_bytes(*task.baseline()) || task.work_flops(*task.baseline())));
    files.insert(problem.file.filename().string());
  }
  for (const auto& entry : fs::directory_iterator("kernel_sources")) {
    if (entry.path().extension() == ".cu")
      CHECK_MESSAGE(files.contains(entry.path().filename().string()), entry.path());
  }
}

TEST_CASE("every configuration of a study is in its kernel's space and compiles") {
  const engine::NvrtcCompiler compiler({});
  for (const fs::path& study : lists(".study")) {
    const bench::Subject subject = bench::subject_of(study, kTable);
    std::set<std::string> compiled;
    for (const bench::StudyLine& line : bench::read_study(study)) {
      CAPTURE(study.string());
      CAPTURE(line.line);
      CAPTURE(line.label);
      try {
        const Task task = task_of(subject.file, subject.kernel, line.problem);
        const search::Configuration configuration = task.space().parse(line.configuration);
        const auto broken = task.space().why_invalid(configuration);
        CHECK_MESSAGE(!broken, broken.value_or(""));
        CHECK_NOTHROW(task.geometry(configuration));
        const engine::CompileRequest request = engine::compile_request(task, configuration);
        if (broken || !compiled.insert(request.source).second) continue;
        const engine::CompileReply reply = compiler.compile(request);
        CHECK_MESSAGE(reply.outcome == Outcome::ok, reply.message);
      } catch (const Error& error) {
        FAIL_CHECK(error.what());
      }
    }
  }
}

TEST_CASE("every line of a curve has points") {
  for (const fs::path& list : lists(".curve")) {
    CAPTURE(list.string());
    const bench::Subject subject = bench::subject_of(list, kTable);
    const bench::Curve curve = bench::read_curve(list);
    CHECK_FALSE(curve.lines.empty());
    for (const bench::StudyLine& line : curve.lines) {
      CAPTURE(line.label);
      const Task task = task_of(subject.file, subject.kernel, line.problem);
      std::string text = line.configuration;
      if (const std::size_t open = text.find("=+"); open != std::string::npos) text.replace(open, 2, "=1");
      int points = 0;
      for (const search::Parameter& parameter : task.space().parameters()) {
        if (parameter.name != curve.over) continue;
        for (const search::Value& value : parameter.values) {
          const auto configuration = task.space().parse(text + "," + curve.over + "=" + value.text());
          if (!task.space().why_invalid(configuration)) ++points;
        }
      }
      CHECK(points >= 2);
    }
  }
}
