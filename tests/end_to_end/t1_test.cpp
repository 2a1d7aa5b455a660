// T1 files with the flaws that public ones have, and their repaired forms (tests/data/t1/flaws).
#include <doctest/doctest.h>

#include <filesystem>

#include "tests/core/task/npy_file.hpp"
#include "tests/end_to_end/story.hpp"

using namespace tuner::test;

namespace {

/// A user in a folder with these files.
struct T1Story : Tuner {
  T1Story() {
    for (const auto& file : std::filesystem::directory_iterator(data_file("t1/flaws"))) {
      std::filesystem::copy_file(file.path(), home() / file.path().filename());
    }
    folder().write("values.npy", npy_from<double>("<f8", 1000, 5));
  }
  Result describe(const std::string& name) const { return run({"describe", name + ".json"}); }
  Result tune_file(const std::string& name) const { return run({"tune", name + ".json", "--json", "--workers", "2"}); }
  /// The file with a piece of its source replaced.
  Result tune_with(const std::string& name, const std::string& piece, const std::string& replacement) const {
    std::string source = read_bytes(home() / "scale.cu");
    const std::size_t at = source.find(piece);
    REQUIRE(at != std::string::npos);
    folder().write("scale.cu", source.replace(at, piece.size(), replacement));
    return tune_file(name);
  }
};

/// Where an argument of the file is described.
std::string argument(const std::string& name, int index) {
  return name + ".json: KernelSpecification.Arguments[" + std::to_string(index) + "]";
}

}  // namespace

TEST_CASE("a flawed T1 file ends with a sentence that names file, path and edit; the repaired one is tuned") {
  struct Flaw {
    std::string name, sentence;
  };
  for (const Flaw& flaw : std::vector<Flaw>{
           {"one_too_many", argument("one_too_many", 4) +
                                ": the kernel `scale` takes 5 parameters (scale.cu:7), but 6 arguments are described: "
                                "`result` is one too many; remove it: Arguments must match its parameters in number "
                                "and order."},
           {"read_only_outputs",
            "read_only_outputs.json: KernelSpecification.Arguments: no argument is written, and without an output no "
            "configuration can be checked; the kernel can write through `double* doubled`, `int* counts`: set the "
            "AccessType of what it writes to WriteOnly, or to ReadWrite if it is read too."},
           {"no_constant_array", argument("no_constant_array", 5) +
                                     ": neither the source nor a header that it includes in quotes has an array "
                                     "`offsets`; declare it with __constant__ outside functions, or set its MemoryType "
                                     "to Vector without MemType if it is global memory."},
           {"hip",
            "hip.json: KernelSpecification.KernelFile: scale.cu.hip is a source for HIP, whose `hip/hip_runtime.h` "
            "(line 1) is not here: put that #include between #ifdef __HIP_PLATFORM_AMD__ and #endif, since what "
            "follows it is compiled as CUDA C++."},
           {"generator", argument("generator", 0) +
                             ".FillType: elements are not computed by an expression here: use BinaryRaw with a NumPy "
                             "file, \"DataSource\": \"values.npy\" (python3 -c \"import numpy; "
                             "numpy.save('values.npy', numpy.array([(i % 10) * 0.5 for i in range(1000)], "
                             "'float64'))\" writes it)."},
           {"type_size",
            argument("type_size", 1) + ".TypeSize: `double` has 8 bytes, not 4: write 8, or correct the Type."}}) {
    CAPTURE(flaw.name);
    const T1Story user;
    for (const Result& result : {user.describe(flaw.name), user.tune_file(flaw.name)}) {
      CHECK(result.exit_code == 2);
      const std::size_t last = result.err.rfind("tuner: ");  // behind warnings
      REQUIRE(last != std::string::npos);
      CHECK(result.err.substr(last) == "tuner: " + flaw.sentence + "\n");
    }
    CHECK(user.count_in_journal("launch right") == 0);
    const Result described = user.describe(flaw.name + "_repaired");
    check_out(described, 0);
    CHECK(described.err.empty());
    check_winner(read_report(user.tune_file(flaw.name + "_repaired")), "BLOCK=128,VARIANT=1");
  }
}

TEST_CASE("a T1 file whose flaw leaves something to tune is tuned, with a warning that names path and edit") {
  const T1Story user;
  const Words defaults{
      "defaults.json: ConfigurationSpace.TuningParameters: the defaults cannot be the baseline, since ",
      "`BLOCK * VARIANT <= 256` (defaults.json: ConfigurationSpace.Conditions[0].Expression)"};
  const Words views{argument("views", 5) +
                    ": `atoms` is called as if it held the same data as `atoms_x`, `atoms_y`, but random numbers fill "
                    "each of them differently"};
  check_err(user.describe("defaults"), 0, defaults);
  check_err(user.describe("views"), 0, views);
  for (const char* name : {"defaults_repaired", "views_repaired"}) CHECK(user.describe(name).err.empty());
  for (const char* name : {"defaults", "defaults_repaired", "views", "views_repaired"}) {
    CAPTURE(name);
    check_winner(read_report(user.tune_file(name)), "BLOCK=128,VARIANT=1");
  }
}

TEST_CASE("a baseline that fails by an argument of a T1 file names its path and what to change") {
  const Result small = T1Story().tune_with("type_size_repaired", "FAKE:right", "FAKE:past_end");
  check_err(small, 6,
            {"fails with guard_violation",
             "correct the kernel or its defaults. type_size_repaired.json: "
             "KernelSpecification.Arguments[1]: its Size is probably too small for this launch."});
  const Result changed = T1Story().tune_with("type_size_repaired", "FAKE:right", "FAKE:input");
  check_err(changed, 6,
            {"fails with input_modified",
             "type_size_repaired.json: KernelSpecification.Arguments[0]: set "
             "its AccessType to ReadWrite, or to WriteOnly if the kernel does not read it."});
  const auto reads = [](const char* behaviour, const std::string& edit) {
    const Result result = T1Story().tune_with("type_size_repaired", "FAKE:right", behaviour);
    CAPTURE(result.err);
    CHECK(contains(result.err, "its defaults. type_size_repaired.json: KernelSpecification.Arguments[" + edit + ".\n"));
  };
  reads("FAKE:reads_past", "0]: its Size is probably too small; or add \"Padding\": 8 to allow such reads");
  reads("FAKE:reads_before", "0]: add \"Padding\": 8 to allow such reads");
  reads("FAKE:rewrites_input", "0]: set its AccessType to ReadWrite");
  const Result wavering = T1Story().tune_with("type_size_repaired", "FAKE:right", "FAKE:flaky");
  check_err(wavering, 6,
            {"Two runs of the reference disagree",
             "type_size_repaired.json: KernelSpecification.Arguments[1].AccessType: set ReadWrite if the kernel reads "
             "it."});
}
