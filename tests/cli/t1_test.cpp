#include <doctest/doctest.h>

#include "tests/cli/program.hpp"

using namespace tuner::test;

namespace {

std::string foreign(const std::string& name) {
  return data_file("t1/" + name).string();
}

/// A user with the files of gemm.json, one piece of which is replaced.
Result describe_changed(const std::string& piece, const std::string& replacement) {
  const User user;
  std::string text = read_bytes(foreign("gemm.json"));
  const std::size_t at = text.find(piece);
  REQUIRE(at != std::string::npos);
  user.folder().write("gemm.json", text.replace(at, piece.size(), replacement));
  user.folder().write("gemm.cu", read_bytes(foreign("gemm.cu")));
  return user.run({"describe", "gemm.json"});
}

}  // namespace

TEST_CASE("a foreign kernel is described with its space, and what is not honoured is warned of") {
  const Result result = User().run({"describe", foreign("gemm.json")});
  check_out(result, 0,
            {"#pragma tuner kernel(gemm<float>)", "// space     4,796 of 10,368 combinations satisfy the constraints"});
  check_err(result, 0, {"tuner: warning: ", "gemm.json: not used here: General.LoggingLevel, General.TimeUnit"});
  CHECK(lines(result.err) == 2);
}

TEST_CASE("tune reads a foreign kernel, and says what is missing to run it") {
  check_err(User().run({"tune", foreign("hotspot.json")}), 3,
            {"hotspot.json: ConfigurationSpace.TuningParameters: the defaults cannot be the baseline", "driver"});
}

TEST_CASE("a mistake in a T1 file is one sentence with its JSON path and exit code 2") {
  struct Mistake {
    std::string piece, replacement, sentence;
  };
  for (const Mistake& mistake : std::vector<Mistake>{
           {"\"Type\": \"float\", \"Size\": 131072", "\"Type\": \"flaot\", \"Size\": 131072",
            "KernelSpecification.Arguments[3].Type: unknown type `flaot`"},
           {"NWG % NDIMC == 0",
            "NWG % NDIMC ==", "ConfigurationSpace.Conditions[1].Expression: `NWG % NDIMC ==` is not an expression"},
           {"\"gemm.cu\"", "\"other.cu\"", "KernelSpecification.KernelFile: The kernel file other.cu does not exist"},
           {"\"Size\": 131072", "\"Size\": \"2**62 * 4\"", "KernelSpecification.Arguments[3].Size: "},
           {"\"GlobalSizeType\": \"OpenCL\"", "\"GlobalSizeType\": \"Metal\"",
            "KernelSpecification.GlobalSizeType: unknown type `Metal`"},
           {"\"[16, 32]\"", "\"[16, 32\"", "ConfigurationSpace.TuningParameters[2].Values: `]` is missing"}}) {
    CAPTURE(mistake.replacement);
    check_error(describe_changed(mistake.piece, mistake.replacement), 2, {"tuner: gemm.json: " + mistake.sentence});
  }
  CHECK(contains(describe_changed("{", "{,").err, "gemm.json:1:2: this is not JSON"));
  CHECK(contains(describe_changed("\"SharedMemory\"", "\"SharedMemoy\"").err,
                 "KernelSpecification.SharedMemoy: unknown key, which is not used; did you mean `SharedMemory`?"));
}

TEST_CASE("describe --t1 prints what describe reads, with the size of the space") {
  const User user;
  const Result written =
      user.run({"describe", data_file("scale.cu").string(), "--t1", "--problem", "n=1000", "--device-name", "A100"});
  check_err(written, 0, {"tuner: warning: T1 has no place for work."});
  check_out(written, 0, {"\"Configurations\": 22"});
  user.folder().write("scale.json", written.out);
  check_out(user.run({"describe", "scale.json"}), 0,
            {"// space     22 of 24 combinations satisfy the constraints", "grid=8x1x1 block=128x1x1 shared=0"});
}

TEST_CASE("describe --t1 asks for what one T1 file needs") {
  const User user;
  check_error(user.run({"describe", data_file("scale.cu"), "--t1"}), 2, {"give n with --problem"});
  const std::string kernel = read_bytes(data_file("scale.cu"));
  user.folder().write("two.cu", kernel +
                                    "\n#pragma tuner kernel(other) out(y, float, 1) grid(1) block(1)\n"
                                    "__global__ void other(float* y) {}\n");
  check_error(user.run({"describe", "two.cu", "--t1", "--problem", "n=5"}), 2, {"choose one with --kernel"});
  CHECK(user.run({"describe", "two.cu", "--t1", "--kernel", "other"}).exit_code == 0);
  CHECK(user.run({"describe", data_file("scale.cu").string(), "--t1", "--json"}).exit_code == 2);
}
