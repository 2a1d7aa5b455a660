// What is stored is not believed: every configuration and every binary is checked before it is used.
#include "tests/runtime/cubin_builder.hpp"
#include "tests/runtime/machine.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

/// kWave after somebody worked on its directives: the same kernel, another space.
std::string edited(const std::string& from, const std::string& to) {
  std::string text = kWave;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// What is served for `text` where the default decision was stored for kWave, with a binary of the baseline.
Provenance served_for(const std::string& text, const std::string& baseline = kBaseline) {
  Program program;
  program.decide({});
  program.compile({});
  program.compile({.configuration = baseline, .text = text});
  const Instance& instance = program.runtime.kernel(Description::from_text(text)).request({100, 1000});
  if (instance.runnable()) CHECK(launched(instance) == instance.provenance().configuration);
  return instance.provenance();
}

}  // namespace

TEST_CASE("a decision stays in force when values are added to a list") {
  CHECK(served_for(edited("64, 128, 256, 512;", "64, 96, 128, 256, 512, 1024;")).rung == Rung::exact);
}

TEST_CASE("a stored value that is no longer in the list is not served") {
  const Provenance provenance = served_for(edited("64, 128, 256, 512;", "64, 128, 512;"));
  CHECK(provenance.rung == Rung::baseline);
  CHECK(contains(provenance.why, Stored{}.configuration));
  CHECK(contains(provenance.why, "256"));
}

TEST_CASE("a stored configuration that a constraint now forbids is not served") {
  const Provenance provenance =
      served_for(edited("#pragma tuner grid", "#pragma tuner constraint(STORE == plain)\n#pragma tuner grid"));
  CHECK(provenance.rung == Rung::baseline);
  CHECK(contains(provenance.why, "STORE == plain"));
}

TEST_CASE("a stored configuration with a parameter that has another name now is not served") {
  const Provenance provenance =
      served_for(edited("param(STORE, plain", "param(WRITE, plain"), "BLOCK=128,ITEMS=1,WRITE=plain");
  CHECK(provenance.rung == Rung::baseline);
  CHECK(contains(provenance.why, "STORE"));
}

TEST_CASE("a stored text that is no configuration at all is not served") {
  for (const char* nonsense :
       {"", "BLOCK", "BLOCK=256,,", "BLOCK=256,BLOCK=64", "BLOCK=99999999999999999999", "=", "\x01"}) {
    Program program;
    program.decide({.edit = [&](cache::Decision& decision) { decision.configuration = nonsense; }});
    program.compile({.configuration = kBaseline});
    const Instance& instance = program.request();
    INFO(nonsense, ": ", instance.provenance().why);
    CHECK(instance.runnable());
    CHECK(launched(instance) == kBaseline);
  }
}

TEST_CASE("a stored configuration that needs more threads or shared memory than this GPU has is not served") {
  const std::string more_threads = edited("64, 128, 256, 512;", "64, 128, 2048;");
  const std::string more_shared = edited("shared(4 * BLOCK)", "shared(BLOCK == 512 ? 500000 : 0)");
  for (const auto& [text, configuration, word] :
       std::initializer_list<std::tuple<std::string, const char*, const char*>>{
           {more_threads, "BLOCK=2048,ITEMS=1,STORE=plain", "threads"},
           {more_shared, "BLOCK=512,ITEMS=1,STORE=plain", "shared memory"}}) {
    Program program;
    program.tuned({.configuration = configuration, .problem = "rows=100,columns=3000", .text = text});
    const Instance& instance = program.runtime.kernel(Description::from_text(text)).request({100, 3000});
    check_baseline_serves(instance, word, 3000);
  }
}

TEST_CASE("shared memory beyond what needs no permission is asked for") {
  const std::string text = edited("shared(4 * BLOCK)", "shared(BLOCK == 512 ? 100000 : 0)");
  Program program;
  program.tuned({.configuration = "BLOCK=512,ITEMS=1,STORE=plain", .text = text});
  const Instance& instance = program.runtime.kernel(Description::from_text(text)).request({100, 1000});
  CHECK(instance.rung() == Rung::exact);
  CHECK(instance.shape().shared_bytes == 100000);
  CHECK(launched(instance) == "BLOCK=512,ITEMS=1,STORE=plain");
}

TEST_CASE_FIXTURE(Program, "a binary that cannot run blocks as large as the configuration's is not used") {
  tuned();
  compile({}, [](CubinText& text) { text.instructions += " threads=128"; });
  check_baseline_serves(request(), "256 threads");
}

TEST_CASE_FIXTURE(Program, "a binary that the driver does not load is not used") {
  tuned();
  inspector().fail_to_load("STORE=streaming", CUDA_ERROR_NO_BINARY_FOR_GPU);
  const Instance& instance = request();
  inspector().fail_to_load("STORE=streaming", CUDA_SUCCESS);
  check_baseline_serves(instance, "cuModuleLoadDataEx");
}

TEST_CASE("a binary of another kernel, or with other arguments, is not used") {
  const std::function<void(CubinText&)> edits[] = {
      [](CubinText& text) { text.kernel = "other"; },
      [](CubinText& text) { text.parameter_sizes.pop_back(); },
      [](CubinText& text) { text.parameter_sizes.push_back(4); },
      [](CubinText& text) { text.parameter_sizes[3] = 8; },
      [](CubinText& text) { text.parameter_sizes[0] = 4; },
  };
  for (const auto& edit : edits) {
    Program program;
    program.tuned();
    program.compile({}, edit);
    check_baseline_serves(program.request(), "The binary of " + Stored{}.configuration);
  }
}

TEST_CASE("a decision is found whatever is changed in directives, and lost when the code is") {
  CHECK(served_for(edited("default 128", "default 64"), "BLOCK=64,ITEMS=1,STORE=plain").rung == Rung::exact);
  CHECK(served_for(edited("float factor", "float its_factor")).rung == Rung::baseline);
}
