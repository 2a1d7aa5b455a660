// `tuner replay` of what `tuner capture` stored, around a program with the fake driver and a fake CUPTI.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/capture/captured.hpp"
#include "tests/cli/program.hpp"
#include "tests/support/text.hpp"

using namespace tuner::test;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// "exact: not reached, out, in", with "?" behind what is not certain.
std::string uses_of(const json& launch) {
  std::string text = launch["verdict"].get<std::string>() + ":";
  for (const json& memory : launch["memory"]) {
    text += text.ends_with(':') ? " " : ", ";
    text += memory["use"].get<std::string>() + (memory["certain"] == true ? "" : "?");
  }
  return text;
}

constexpr std::uint64_t kBytes = 4 * 4000, kPadded = 4 * 4024;

json range(std::uint64_t begin, std::uint64_t end) {
  return json::array({begin, end});
}

}  // namespace

TEST_CASE("what a kernel writes is told, though its second launch changes nothing") {
  for (const std::string launch : {"1", "2"}) {
    const json replayed = Captured("copies", launch).replayed();
    CHECK(uses_of(replayed) == "exact: not reached, out, in");
    const json& out = replayed["memory"][1];
    CHECK(out["written"]["output_bytes"] == kBytes);
    CHECK(out["written"]["ranges"] == json::array({range(0, kBytes)}));
    CHECK(replayed["memory"][2]["written"].is_null());
  }
}

TEST_CASE("each kernel's memory is said to be what its source says") {
  struct Case {
    std::string word, launch, uses;
  };
  const Case cases[] = {{"increments", "1", "exact: not reached, inout, in"},
                        {"increments", "2", "exact: not reached, inout, in"},
                        {"reads_back", "1", "exact: not reached, out, in"},
                        {"reads_back", "2", "exact: not reached, out, in"},
                        {"pads", "1", "exact: not reached, out, in"},
                        {"pads", "2", "exact: not reached, out, in"},
                        {"copies_some", "1", "exact: not reached, out, in"},
                        {"copies_some", "2", "exact: not reached, out, in"},
                        {"rewrites", "1", "exact: not reached, inout, in"},
                        {"clamps", "1", "exact: not reached, inout, in"},
                        {"clamps", "2", "exact: not reached, inout, in"},
                        {"raises", "1", "exact: not reached, inout, in"},
                        {"raises", "2", "exact: not reached, inout, in"},
                        {"fills", "1", "exact: not reached, out, in"},
                        {"fills", "2", "exact: not reached, out, in"},
                        {"clears", "1", "exact: not reached, out, in"},
                        {"clears", "2", "exact: not reached, out, in"},
                        {"reads", "1", "exact: not reached, in, in"},
                        {"idles", "1", "exact: not reached, in, in"},
                        {"swaps", "1", "exact: not reached, inout, inout"},
                        {"swaps", "2", "exact: not reached, inout, inout"},
                        {"structure", "1", "exact: not reached, out, in"},
                        {"copies_to_even", "1", "exact: not reached, inout, in"}};
  for (const Case& each : cases) {
    CAPTURE(each.word);
    CAPTURE(each.launch);
    CHECK(uses_of(Captured(each.word, each.launch).replayed()) == each.uses);
  }
}

TEST_CASE("ranges are those that were written: padding, and one element in a thousand") {
  const json pads = Captured("pads", "2").replayed()["memory"][1]["written"];
  CHECK(pads["ranges"] == json::array({range(0, kPadded)}));
  const json some = Captured("copies_some", "2").replayed()["memory"][1]["written"];
  CHECK(some["output_bytes"] == 16);
  CHECK(some["range_count"] == 4);
  CHECK(some["ranges"] == json::array({range(0, 4), range(4000, 4004), range(8000, 8004), range(12000, 12004)}));
  CHECK(contains(Captured("rewrites").replay().out, "what was there"));
}

TEST_CASE("a kernel that computes from what was in its output is not said to overwrite it") {
  const json written = Captured("increments").replayed()["memory"][1]["written"];
  CHECK(written["inout_bytes"] == kBytes);
  CHECK(written["output_bytes"] == 0);
}

TEST_CASE("a variable of the module is restored before each launch") {
  const json replayed = Captured("variable", "2", "placed=512", "adds").replayed();
  CHECK(replayed["verdict"] == "exact");
  CHECK(uses_of(replayed).ends_with(", inout"));
  CHECK(replayed["memory"].back()["name"] == "step");
}

TEST_CASE("structures of pointers are patched where their memory lies elsewhere") {
  const json replayed = Captured("structure").replayed();
  CHECK(replayed["own_addresses"] == false);
  CHECK(replayed["memory"][1]["own_address"] == false);
  CHECK(replayed["memory"][2]["arrays"][0]["parameter"] == 1);
  CHECK(replayed["memory"][2]["arrays"][0]["inside"] == 8);
}

TEST_CASE("memory that pointers in memory lead to lies where it lay, in granules of its own or not") {
  for (const std::string driver : {"placed=131072", "placed=512"}) {
    CAPTURE(driver);
    const json replayed = Captured("list", "1", driver).replayed();
    CHECK(uses_of(replayed) == "exact: not reached, inout, inout, inout");
    CHECK(replayed["memory"][1]["own_address"] == true);
    CHECK(replayed["memory"][2]["own_address"] == true);
    CHECK(replayed["memory"][3]["own_address"] == false);  // no memory leads there
    CHECK(replayed["memory"][3]["pointers"] == 1);
  }
}

TEST_CASE("memory whose addresses the driver does not give is named") {
  Captured captured("list");
  captured.user().environment["FAKE_DRIVER"] = "again taken";
  check_out(
      captured.replay(), 1,
      {"not repeatable. The driver does not give the addresses of allocation 2, allocation 3.", "inout?  not placed"});
}

TEST_CASE("a kernel that faults costs workers, and is one sentence") {
  const Captured captured("faults_again");
  const json replayed = captured.replayed(1);
  CHECK(replayed["verdict"] == "not run");
  CHECK(replayed["workers_lost"].get<int>() > 0);
  check_out(captured.replay(), 1, {"Launch 1 of work: not run. "});
}

TEST_CASE("a kernel that never ends is stopped at the limit, and is one sentence") {
  const Captured captured("hangs_again");
  const json replayed = captured.replayed(1, {"--launch-timeout", "50ms"});
  CHECK(replayed["verdict"] == "not run");
  CHECK(contains(replayed["reason"].get<std::string>(), "50 ms"));
  CHECK(replayed["workers_lost"].get<int>() > 0);
}

TEST_CASE("a kernel that does something else each time is not said to be repeatable") {
  const json replayed = Captured("varies").replayed(1);
  CHECK(uses_of(replayed).starts_with("not repeatable: not reached, "));
  CHECK(contains(replayed["reason"].get<std::string>(), "launches differ among themselves"));
}

TEST_CASE("a kernel whose first launch alone leaves what the program had is not said to be repeatable") {
  for (const std::string launch : {"1", "2"}) {
    const json replayed = Captured("varies_later", launch).replayed(1);
    CHECK(uses_of(replayed) == "not repeatable: not reached, inout, in");
    CHECK(contains(replayed["reason"].get<std::string>(), "launches differ among themselves"));
  }
}

TEST_CASE("a kernel that depends on what was not captured is not said to be repeatable") {
  const json replayed = Captured("depends").replayed(1);
  CHECK(uses_of(replayed) == "not repeatable: not reached, inout, in");
  CHECK(contains(replayed["reason"].get<std::string>(), "it may depend on something that was not captured"));
}

TEST_CASE("memory that another stream wrote meanwhile is not said to be written by the kernel") {
  const json replayed = Captured("disturbed").replayed(1);
  CHECK(uses_of(replayed) == "not repeatable: not reached, out, in");
  CHECK(contains(replayed["reason"].get<std::string>(), "another stream may have"));
}

TEST_CASE("floats that rounding changes are close, and where they are written is told") {
  const json replayed = Captured("rounds").replayed();
  CHECK(uses_of(replayed) == "close: not reached, out, in");
  CHECK(replayed["memory"][1]["written"]["output_bytes"] == kBytes);
  CHECK(contains(replayed["reason"].get<std::string>(), "within its tolerance"));
}

TEST_CASE("the same records in another order are the same set") {
  const json replayed = Captured("shuffles").replayed();
  CHECK(replayed["verdict"] == "same set");
  CHECK(contains(replayed["reason"].get<std::string>(), "in the order of records"));
  CHECK(replayed["memory"][1]["use"] != "in");
  CHECK(replayed["memory"][2]["use"] == "in");
}

TEST_CASE("only the launch that is asked for is run, and it has to be there") {
  const Captured captured("copies", "1,2");
  const json both = json::parse(captured.replay({"--json"}).out);
  CHECK(both["folder"] == "c");
  CHECK(both["launches"].size() == 2);
  CHECK(captured.replayed(0, {"--launch", "2"})["launch"] == 2);
  check_out(captured.replay({"--launch", "2"}), 0, {"Launch 2 of work: exact."});
  check_error(captured.replay({"--launch", "3"}), 2, {"--launch 3", "2 launches"});
  check_error(captured.replay({"--launch", "0"}), 2, {"1 or more"});
}

TEST_CASE("sizes and types of arrays are read from the parameters and the kernel's name") {
  const json array = Captured("copies").replayed()["memory"][1]["arrays"][0];
  CHECK(array["parameter"] == 1);
  CHECK(array["type"] == "int32");
  CHECK(array["bytes"] == kPadded);
  CHECK(array["sizes"].empty());  // of the padding
}

TEST_CASE("machine code that others could have put there runs with --trust alone") {
  Captured captured("copies");
  fs::permissions(captured.user().home() / "c", fs::perms::others_write, fs::perm_options::add);
  check_error(captured.replay(), 2, {"which is not trusted", "--trust"});
  CHECK(captured.replay({"--trust"}).exit_code == 0);
  fs::permissions(captured.user().home() / "c", fs::perms::others_write, fs::perm_options::remove);
  CHECK(captured.replay().exit_code == 0);
  fs::permissions(captured.user().home() / "c/data", fs::perms::others_write, fs::perm_options::add);
  check_error(captured.replay(), 2, {"c/data is writable by its group or by everyone", "--trust"});
}

TEST_CASE("a folder of data that is elsewhere is trusted as it is there") {
  Captured captured("copies");
  const fs::path home = captured.user().home();
  fs::create_directory(home / "shared");
  fs::rename(home / "c/data", home / "shared/data");
  fs::create_directory_symlink("../shared/data", home / "c/data");
  CHECK(captured.replay().exit_code == 0);
  fs::permissions(home / "shared", fs::perms::others_write, fs::perm_options::add);
  check_error(captured.replay(), 2, {"shared is writable by its group or by everyone", "--trust"});
}

TEST_CASE("a launch is run on the GPU that is asked for, and one that is not there is one sentence") {
  Captured captured("copies");
  captured.user().environment["FAKE_DRIVER"] = "again devices=2 numbered";
  const std::string journal = captured.user().home() / "journal";
  captured.user().environment["FAKE_DRIVER_JOURNAL"] = journal;
  CHECK(captured.replay({"--device", "1"}).exit_code == 0);
  CHECK(contains(read_bytes(journal), "on GPU 1"));
  CHECK(!contains(read_bytes(journal), "on GPU 0"));
  captured.user().environment.erase("FAKE_DRIVER_JOURNAL");
  check_error(captured.replay({"--device", "5"}), 3);
}

TEST_CASE("without a driver a replay is one sentence") {
  Captured captured("copies");
  captured.user().environment["TUNER_DRIVER"] = "/nowhere/libcuda.so";
  check_error(captured.replay(), 3);
}

TEST_CASE("an interrupted replay ends at once with 130") {
  Captured captured("hangs_again");
  const std::string journal = captured.user().home() / "journal";
  captured.user().environment["FAKE_DRIVER_JOURNAL"] = journal;
  Running running(captured.user(), {"replay", "c", "--launch-timeout", "600s"});
  while (!fs::exists(journal) || !contains(read_bytes(journal), "load records")) usleep(1000);
  running.signal(2);
  const Result result = running.finish();
  CHECK(result.exit_code == 130);
  CHECK(!contains(result.out, "Launch 1"));
}

TEST_CASE("a capture without a module is one sentence for each launch") {
  const Captured captured("copies");
  captured.change_manifest("/launches/0/module"_json_pointer, nullptr);
  check_out(captured.replay(), 1, {"Launch 1 of work: not run. The capture does not have its module."});
}

TEST_CASE("a GPU with too little memory, or that cannot map it, is one sentence") {
  Captured captured("copies");
  captured.user().environment["FAKE_DRIVER"] = "fence_memory=1000";
  check_out(captured.replay(), 1, {"Launch 1 of work: not run. "});
  captured.user().environment["FAKE_DRIVER"] = "no_fences";
  check_out(captured.replay(), 1, {"Launch 1 of work: not run. The driver has no functions for mapping memory."});
}

TEST_CASE("a machine with too little memory is one sentence, and nothing is loaded") {
  Captured captured("copies");
  captured.change_manifest("/launches/0/allocations/2/size"_json_pointer, std::uint64_t{1} << 50);
  captured.user().environment["FAKE_DRIVER"] = "again room=4000000000000000000";
  check_out(captured.replay(), 1, {"Launch 1 of work: not run. What its memory held before and after needs more than"});
}

TEST_CASE("what cannot be replayed is one sentence") {
  const User user;
  check_error(user.run({"replay"}), 2, {"needs the folder of a capture"});
  check_error(user.run({"replay", "./nowhere"}), 2, {"Name the folder of a capture"});
  fs::create_directories(user.home() / "c/data");
  check_error(user.run({"replay", "c"}), 5, {"The capture in c is incomplete"});
}

TEST_CASE("names of a capture cannot forge lines of what a replay prints") {
  const Captured captured("variable", "1", "placed=512", "adds");
  captured.change_manifest("/launches/0/mangled"_json_pointer, "k\nFORGED\x1b[2J");
  captured.change_manifest("/launches/0/variables/0/name"_json_pointer, "v\nFORGED\x1b[2J");
  for (const Words& options : {Words{}, Words{"--json"}}) {
    const Result result = captured.replay(options);
    CHECK(result.exit_code == 1);
    CHECK(!contains(result.out, "\nFORGED"));
    CHECK(!contains(result.out, "\x1b"));
  }
}

TEST_CASE("a capture with too few parameters is one sentence, and the driver reads none behind them") {
  const Captured captured("copies");
  captured.change_manifest("/launches/0/parameters"_json_pointer, json::array());
  check_out(captured.replay(), 1, {"not run. The kernel takes 20 bytes of parameters, and the capture has 0."});
}

TEST_CASE("what a replay has found out stays in the folder, and one launch's takes the place of its own alone") {
  const Captured captured("increments", "1,2");
  const fs::path file = captured.user().home() / "c/replay.json";
  const json both = json::parse(read_bytes(file));
  CHECK(both["launches"].size() == 2);
  struct stat status {};
  REQUIRE(stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  json changed = both;
  changed["launches"][0]["reason"] = "It is Monday.";
  write_bytes(file, changed.dump());
  CHECK(captured.replay({"--launch", "2"}).exit_code == 0);
  const json kept = json::parse(read_bytes(file));
  CHECK(kept["launches"].size() == 2);
  CHECK(kept["launches"][0]["reason"] == "It is Monday.");
  CHECK(kept["launches"][1] == both["launches"][1]);
}

TEST_CASE("a replay of a folder that cannot be written says what it found, and that it is not kept") {
  const Captured captured("copies");
  fs::remove(captured.user().home() / "c/replay.json");
  fs::create_directory(captured.user().home() / "c/replay.json");
  check_err(captured.replay(), 0, {"What was found out is not kept in the folder"});
}
