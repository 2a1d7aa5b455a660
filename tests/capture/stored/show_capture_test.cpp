// `tuner show` of folders that the tests write.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/capture/stored/sample.hpp"
#include "tests/cli/program.hpp"
#include "tests/support/text.hpp"

using namespace tuner::test;

TEST_CASE("show prints a capture") {
  const User user;
  write_sample(user.home() / "scale.capture", 2);
  const Result result = user.run({"show", "scale.capture"});
  check_out(
      result, 0,
      {"Capture in scale.capture: 2 launches\n", "command    ./scale '10 0'\n", "executable /home/me/scale\n",
       "Launch 1: number 3 of scale<float> in process 17\n", "void scale<float>(float*, int)\n",
       "grid 64x2x1, block 256x1x1, 512 bytes of dynamic shared memory\n",
       "40 launches of this shape, 12.50 us each, 25 % of the GPU's time\n",
       "NVIDIA H200, compute capability 9.0, driver 13.0\n", "max dynamic shared bytes 65536\n",
       "called at  /home/me/scale + 0x1234\n", "pointer to allocation 2 + 0x100\n", "7, or 9.80909e-45 as float\n",
       "4602678819172646912, or 0.5 as double\n", ", at 0 a pointer to allocation 1\n",
       "0x7f0000000000  1,024  left it", "0x7f0000100000    512  changed it", "weights\n",
       "128 words of its allocations may be pointers to managed memory (cudaMallocManaged), which is not stored\n",
       "Launch 2: "});
}

TEST_CASE("show --json prints the manifest of a capture") {
  const User user;
  write_sample(user.home() / "c");
  const Result result = user.run({"show", "./c", "--json"});
  check_out(result, 0);
  const auto capture = nlohmann::json::parse(result.out);
  CHECK(capture == nlohmann::json::parse(read_bytes(user.home() / "c/manifest.json")));
  CHECK(capture["format"] == 1);
  CHECK(capture["command"] == nlohmann::json({"./scale", "10 0"}));
  const auto& launch = capture["launches"][0];
  CHECK(launch["kernel"] == "scale<float>");
  CHECK(launch["grid"] == nlohmann::json({64, 2, 1}));
  CHECK(launch["weight"]["mean_us"] == 12.5);
  CHECK(launch["parameters"][1]["bytes"] == "07000000");
  CHECK(launch["function_attributes"][0]["name"] == "max dynamic shared bytes");
  CHECK(launch["allocations"][1]["address"] == "0x7f0000100000");
  CHECK(launch["allocations"][1]["before"] != launch["allocations"][1]["after"]);
  CHECK(launch["variables"][0]["name"] == "weights");
  CHECK(launch["unstored"][0]["words"] == 128);
}

TEST_CASE("what a program or a folder says of itself cannot steer the terminal") {
  const User user;
  tuner::capture::Snapshot snapshot = *read_records(Sample::records());
  snapshot.kernel = snapshot.gpu = snapshot.frames[0].file = snapshot.variables[0].name = snapshot.unstored[0].name =
      "a\x1b[2Jb\nc\xff";
  const Sample sample;
  {
    tuner::capture::FolderWriter writer(user.home() / "c",
                                        {.command = {"\x1b[2J"}, .executable = "\x1b", .folder = "\n\x1b"});
    const auto bytes = std::as_bytes(std::span(sample.before));
    writer.add(snapshot, bytes, bytes, {});
    writer.finish();
  }
  for (const Words& more : {Words{}, Words{"--json"}}) {
    const Result result = user.run(joined({"show", "c"}, more));
    CHECK(result.exit_code == 0);
    CHECK(!contains(result.out, "\x1b"));
    CHECK(!contains(result.out, "b\nc"));
  }
}

TEST_CASE("a capture that is incomplete or damaged is one sentence") {
  const User user;
  write_sample(user.home() / "c");
  user.folder().write("c/manifest.json", "{}");
  check_error(user.run({"show", "c"}), 5, {"c/manifest.json is damaged, at `format`"});
  std::filesystem::remove(user.home() / "c/manifest.json");
  check_error(user.run({"show", "c"}), 5, {"The capture in c is incomplete"});
  std::filesystem::create_directory(user.home() / "empty");
  check_error(user.run({"show", "./empty"}), 2,
              {"./empty/manifest.json cannot be read", "Name the folder of a capture"});
}
