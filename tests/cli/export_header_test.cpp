#include <doctest/doctest.h>

#include <cstdlib>

#include "tests/cli/stored.hpp"

using namespace tuner::test;

namespace {

struct Learnt {
  std::string kernel = "scale";
  std::string problem = "n=1000";
  std::string device = "NVIDIA H200|cc=9.0|sms=132|memory=140GiB|l2=60MiB|mig=";
  std::string winner = "BLOCK=256,LAYOUT=blocked,UNROLL=2";
  std::string baseline = "BLOCK=128,LAYOUT=strided,UNROLL=1";
  std::int64_t created_unix_ms = 1'700'000'000'000;
  std::int64_t awkward_sizes = 0;
  std::string identity = "0123";
  std::string mode = "cold";
  cache::Origin origin = cache::Origin::measured;
};

void learn(const User& user, const Learnt& learnt) {
  cache::Decision decision = decision_on_h200(learnt.kernel, learnt.problem, learnt.winner);
  decision.key.kernel_identity = learnt.kernel + ":" + learnt.identity;
  decision.key.device = learnt.device;
  decision.key.mode = learnt.mode;
  decision.session = "session-" + std::to_string(learnt.created_unix_ms) + learnt.problem;
  decision.baseline = learnt.baseline;
  decision.speedup = 1.5;
  decision.speedup_low = 1.4;
  decision.speedup_high = 1.6;
  decision.origin = learnt.origin;
  decision.launch = "grid=4x2x1 block=256x1x1 shared=64";
  decision.awkward_sizes = learnt.awkward_sizes;
  decision.created_unix_ms = learnt.created_unix_ms;
  open_database(user)->record_decision(decision);
}

void learn_three(const User& user) {
  learn(user, {});
  learn(user, {.problem = "n=100000", .winner = "BLOCK=512,LAYOUT=strided,UNROLL=4", .awkward_sizes = 3});
  learn(user,
        {.device = "NVIDIA L4|cc=8.9|sms=58|memory=22GiB|l2=48MiB|mig=", .winner = "BLOCK=64,LAYOUT=blocked,UNROLL=1"});
}

/// Whether a compiler takes a program; its words are shown if not.
bool compiles(const User& user, const std::string& compiler, const std::string& name, const std::string& text) {
  user.folder().write(name, text);
  return user.in_shell(compiler + " " + name) == 0;
}

bool has_nvcc() {
  return std::system("nvcc --version > /dev/null 2>&1") == 0;
}

constexpr const char* kHost = "g++ -std=c++17 -Wall -Wextra -Wshadow -Werror -fsyntax-only";

constexpr const char* kUse = R"(#include "tuned.hpp"
namespace t = tuned::scale;
constexpr bool is(const t::Configuration& c, int block, int layout, int unroll) {
  return c.BLOCK == block && c.LAYOUT == layout && c.UNROLL == unroll;
}
static_assert(t::LAYOUT_blocked != t::LAYOUT_strided, "");
static_assert(is(t::find("NVIDIA H200", 90, {1000}), 256, t::LAYOUT_blocked, 2), "the problem itself");
static_assert(is(t::find("NVIDIA H200", 90, {1001}), 512, t::LAYOUT_strided, 4), "near, where that was verified");
static_assert(is(t::find("NVIDIA GH200", 90, {1000}), 256, t::LAYOUT_blocked, 2), "the compute capability");
static_assert(is(t::find("NVIDIA L4", 89, {1000}), 64, t::LAYOUT_blocked, 1), "another device");
static_assert(is(t::find("NVIDIA L4", 89, {1001}), 128, t::LAYOUT_strided, 1), "no winner for that size: the baseline");
static_assert(is(t::find("NVIDIA A100", 80, {1000}), 128, t::LAYOUT_strided, 1), "no winner for that device");
static_assert(t::winners[0].configuration.launch.grid[0] == 4 && t::winners[0].configuration.launch.shared_bytes == 64, "");
template <int block> constexpr int twice() { return 2 * block; }
static_assert(twice<t::find("NVIDIA H200", 90, {1000}).BLOCK>() == 512, "constants can be template arguments");
)";

}  // namespace

TEST_CASE("a header finds the winner of a device and a problem, and falls back to the baseline") {
  const User user;
  learn_three(user);
  const Result result = user.run({"export", "--header", "tuned.hpp"});
  check_out(result, 0, {"scale: 3 winners"});
  CHECK(result.err.empty());
  check_has(read_bytes(user.home() / "tuned.hpp"),
            {"// 1.500x (1.400-1.600) the baseline, 1.000 us, 2023-11-14 22:13 UTC, toolkit 13.0.88, driver 580.159, "
             "tuner 0.1.0\n"});
  CHECK(compiles(user, kHost, "use.cpp", kUse));
  if (has_nvcc()) CHECK(compiles(user, "nvcc -std=c++17 -arch=sm_90 -cubin -o use.cubin", "use.cu", kUse));
}

TEST_CASE("a kernel without parameters has a header with its launches, in both styles") {
  const User user;
  learn(user, {.winner = "", .baseline = ""});
  REQUIRE(user.run({"export", "--header", "tuned.hpp"}).exit_code == 0);
  CHECK(compiles(user, kHost, "use.cpp",
                 "#include \"tuned.hpp\"\n"
                 "static_assert(tuned::scale::find(\"NVIDIA H200\", 90, {1000}).launch.grid[0] == 4, \"\");\n"
                 "static_assert(tuned::scale::find(\"NVIDIA H200\", 90, {1001}).launch.grid[0] == 0, \"\");\n"));
  REQUIRE(user.run({"export", "--header", "macros.hpp", "--style", "define"}).exit_code == 0);
  CHECK(compiles(user, kHost, "use.cpp", "#include \"macros.hpp\"\nstatic_assert(TUNED_SCALE_GRID_X == 4, \"\");\n"));
}

TEST_CASE("a header is the same text each time, and does not replace a file unasked") {
  const User user;
  learn_three(user);
  REQUIRE(user.run({"export", "--header", "a.hpp"}).exit_code == 0);
  REQUIRE(user.run({"export", "--header", "b.hpp"}).exit_code == 0);
  CHECK(read_bytes(user.home() / "a.hpp") == read_bytes(user.home() / "b.hpp"));
  check_err(user.run({"export", "--header", "a.hpp"}), 2, {"--force"});
  CHECK(user.run({"export", "--header", "a.hpp", "--force"}).exit_code == 0);
  std::filesystem::create_symlink("/dev/null", user.home() / "device.hpp");
  std::filesystem::create_symlink("a.hpp", user.home() / "link.hpp");
  for (const Words& force : {Words{}, Words{"--force"}})
    for (const char* link : {"device.hpp", "link.hpp"})
      check_error(user.run(joined({"export", "--header", link}, force)), 2, {"is a symbolic link and was not changed"});
  CHECK(std::filesystem::is_symlink(user.home() / "device.hpp"));
  CHECK(std::filesystem::is_symlink(user.home() / "link.hpp"));
  CHECK(user.run({"export", "--header", "missing/a.hpp"}).exit_code == 2);
}

TEST_CASE("macros for kernels that use #if, numbered as the kernel file declares") {
  const User user;
  learn_three(user);
  const std::string kernel = data_file("scale.cu").string();
  REQUIRE(user.run({"export", "--header", "tuned.hpp", kernel, "--style", "define", "--namespace", "app::best"})
              .exit_code == 0);
  const std::string use =
      "#include \"tuned.hpp\"\n"
      "static_assert(LAYOUT_blocked == 0 && LAYOUT_strided == 1, \"as the kernel file has them\");\n"
      "#if LAYOUT == LAYOUT_blocked\nconstexpr int block = BLOCK;\n#else\nconstexpr int block = -BLOCK;\n#endif\n";
  const auto chosen = [&](const std::string& option, int block) {
    return compiles(user, std::string(kHost) + " " + option, "use.cpp",
                    use + "static_assert(block == " + std::to_string(block) + ", \"\");\n");
  };
  CHECK(chosen("", 256));
  CHECK(chosen("-DAPP_BEST_SCALE=APP_BEST_SCALE_NVIDIA_H200_n_100000", -512));
  CHECK(chosen("-DAPP_BEST_SCALE=APP_BEST_SCALE_NVIDIA_L4_n_1000", 64));
  CHECK(chosen("-DAPP_BEST_SCALE=0", -128));
  CHECK_FALSE(chosen("-DAPP_BEST_SCALE=9 2> /dev/null", 0));
  CHECK(compiles(user, std::string(kHost) + " -DWANTED=4", "use.cpp",
                 use + "static_assert(APP_BEST_SCALE_GRID_X == WANTED, \"\");\n"));
  if (!has_nvcc()) return;
  CHECK(compiles(user, "nvcc -arch=sm_90 -cubin -o use.cubin", "use.cu",
                 "#include \"tuned.hpp\"\n#include \"" + kernel + "\"\n"));
}

TEST_CASE("types, options, reals, booleans and large numbers are written as what they are") {
  const User user;
  learn(user, {.kernel = "ns::odd",
               .problem = "TYPE=double,n=5000000000,x=0.5",
               .winner = "BIG=5000000000,FLAG=true,FMAD=\"--fmad=false\",RATIO=0.5,VECTOR=float4",
               .baseline = "BIG=1,FLAG=false,FMAD=\"\",RATIO=-1,VECTOR=float"});
  REQUIRE(user.run({"export", "--header", "tuned.hpp"}).exit_code == 0);
  CHECK(compiles(user, kHost, "use.cpp",
                 "#include \"tuned.hpp\"\nnamespace t = tuned::ns_odd;\n"
                 "constexpr const auto& c = t::find(\"NVIDIA H200\", 90, {\"double\", 5000000000, 0.5});\n"
                 "static_assert(c.BIG == 5000000000 && c.FLAG && c.RATIO == 0.5 && c.FMAD[2] == 'f' && c.VECTOR[5] == "
                 "'4', \"\");\n"
                 "static_assert(!t::find(\"NVIDIA H200\", 90, {\"float\", 5000000000, 0.5}).FLAG, \"\");\n"));
  user.folder().write("odd.cu",
                      "#pragma tuner kernel(ns::odd) problem(n: size = 4) grid(1) block(32)\n"
                      "#pragma tuner param(BIG, 1, 5000000000) param(FLAG, false, true) param(RATIO, -1, 0.5)\n"
                      "#pragma tuner option(FMAD, \"\", \"--fmad=false\"; default \"\") param(VECTOR, float, float4)\n"
                      "#pragma tuner inout(y, float, n)\nnamespace ns {\n__global__ void odd(float* y) {}\n}\n");
  const Result macros = user.run({"export", "--header", "tuned.hpp", "odd.cu", "--style", "define", "--force"});
  CAPTURE(macros.err);
  REQUIRE(macros.exit_code == 0);
  CHECK(compiles(user, kHost, "use.cpp",
                 "struct float4 { float v[4]; };\n#include \"tuned.hpp\"\nVECTOR value = {};\n"
                 "static_assert(FLAG && BIG == 5000000000 && sizeof(value) == 16, \"\");\n"));
  CHECK(contains(read_bytes(user.home() / "tuned.hpp"), "// FMAD was compiled with the option \"--fmad=false\""));
}

TEST_CASE("a header can be narrowed; older sources and warm timings are left out") {
  const User user;
  learn_three(user);
  learn(user, {.kernel = "other"});
  learn(user, {.problem = "n=7", .created_unix_ms = 1'600'000'000'000, .identity = "old"});
  learn(user, {.winner = "BLOCK=64,LAYOUT=blocked,UNROLL=4", .mode = "warm"});
  const auto exported = [&](const Words& options) {
    return user.run(joined({"export", "--header", "tuned.hpp", "--force"}, options));
  };
  const Result all = exported({});
  check_out(all, 0, {"scale: 3 winners", "other: 1 winner\n"});
  check_err(all, 0, {"Winners of an earlier source of `scale` are left out."});
  check_out(exported({"--kernel", "scale", "--device", "L4"}), 0, {"scale: 1 winner\n"});
  check_out(exported({"--problem", "n=100000", "--json"}), 0, {"\"winners\": 1"});
  check_err(exported({"--style", "define"}), 2, {"choose one with --kernel"});
}

TEST_CASE("a header says of what was replayed that nobody measured it") {
  const User user;
  learn(user, {.origin = cache::Origin::replay});
  CHECK(user.run({"export", "--header", "tuned.hpp"}).exit_code == 0);
  CHECK(contains(read_bytes(user.home() / "tuned.hpp"), "replayed from a recording and not measured"));
}

TEST_CASE("nothing to write is said in a sentence") {
  const User user;
  check_err(user.run({"export", "--header", "tuned.hpp"}), 1, {"Nothing is stored in "});
  learn(user, {});
  check_err(user.run({"export", "--header", "tuned.hpp", "--kernel", "scle"}), 1, {"Did you mean `scale`?"});
  CHECK_FALSE(std::filesystem::exists(user.home() / "tuned.hpp"));
  check_err(user.run({"export", "--header", "tuned.hpp", "--namespace", "1x"}), 2, {"is not a valid namespace"});
  check_err(user.run({"export", "--header", "tuned.hpp", "--namespace", "app::class"}), 2,
            {"is not a valid namespace"});
  check_err(user.run({"export", "--header", "tuned.hpp", "--with-binaries"}), 2, {"does not apply to a header"});
  check_err(user.run({"export", "tuned.db", "--style", "define"}), 2, {"add --header"});
}
