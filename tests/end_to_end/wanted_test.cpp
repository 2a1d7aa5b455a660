// `tuner tune --wanted`: what programs missed is tuned from the sources that they left, with the fake GPU.
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cache/store/wanted_store.hpp"
#include "tests/end_to_end/story.hpp"
#include "tuner/core/description/headers.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/task/identity.hpp"

using namespace tuner::test;
using tuner::cache::Wanted;
using tuner::cache::WantedSource;
using Json = nlohmann::json;

namespace {

/// A kernel of four configurations; what a launch of it does is for the fake driver, see faults.cu. Its header is with
/// the list only. What refuses n=13 is its baseline.
WantedSource source_of(const std::string& kernel, const std::string& more = "") {
  const std::string text = R"(
#include "factor.cuh"
#pragma tuner kernel(NAME)
#pragma tuner problem(n: size, kind: constant = 0) problem_constraint(1 <= n <= 1000000)
#pragma tuner param(VARIANT, 3, 0, 1, 2)
#pragma tuner grid(ceil_div(n, 256)) block(256) work(bytes = 16 * n)
#pragma tuner in(values, double, n) out(doubled, double, n) inout(counts, int32, n) scratch(room, float, 64) scalar(n, int32)
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#if kind == 1
#error "this problem is meant not to compile"
#endif
extern "C" __device__ const char tuner_fake[] = "FAKE:right time=9" TEXT(VARIANT) "000";
extern "C" __global__ void NAME(const double* values, double* doubled, int* counts, float* room, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) doubled[i] = FACTOR * values[i];
}
)";
  WantedSource source{kernel + ".cu", text + more, {{"factor.cuh", "#define FACTOR 2\n"}}};
  for (std::size_t at = 0; (at = source.text.find("NAME", at)) != std::string::npos;)
    source.text.replace(at, 4, kernel);
  return source;
}

/// A user whose programs missed problems on the fake GPU.
struct Misser : Tuner {
  std::string device = Json::parse(run({"devices", "--json"}).out)["devices"][0]["identity"];
  tuner::cache::WantedStore list() const { return tuner::cache::WantedStore(data() / "decisions.db"); }
  void miss(const WantedSource& source, const std::string& problem, std::int64_t launched,
            const std::function<void(Wanted&)>& edit = {}) const {
    tuner::KernelDescription description = tuner::parse_descriptions(source.text, source.file).front();
    description.given_headers = source.headers;
    Wanted wanted;
    wanted.key = {description.kernel,
                  kernel_identity(description, quoted_headers(description, {})),
                  problem,
                  device,
                  "cold",
                  "time"};
    wanted.source = hash_of(source);
    wanted.rung = "baseline";
    wanted.launched = launched;
    wanted.requested = 1;
    if (edit) edit(wanted);
    list().record({&wanted, 1}, [&](const Wanted&) { return source; });
  }
  Words call(const Words& more = {}) const {
    return joined({"tune", "--wanted", "--workers", "2", "--compile-timeout", compile_timeout}, more);
  }
  /// Kernel and problem of each report, in order.
  std::vector<std::string> tuned(const Result& result) const {
    std::vector<std::string> all;
    INFO(result.err);
    REQUIRE_FALSE(result.out.empty());
    const Json reports = Json::parse(result.out)["reports"];
    for (const Json& report : reports)
      all.push_back(report["kernel"].get<std::string>() + " " + report["problem"].get<std::string>());
    return all;
  }
  std::vector<std::string> left() const {
    std::vector<std::string> all;
    for (const Wanted& wanted : list().list()) all.push_back(wanted.key.kernel_name + " " + wanted.key.problem);
    return all;
  }
};

}  // namespace

TEST_CASE("the list is worked off by value, kernel by kernel, and what was tuned leaves it") {
  const Misser user;
  user.miss(source_of("first"), "kind=0,n=1000", 10);
  user.miss(source_of("second"), "kind=0,n=2000", 500);
  user.miss(source_of("first"), "kind=0,n=3000", 100);
  user.miss(source_of("first"), "kind=0,n=4000", 1000, [](Wanted& wanted) { wanted.key.device += "another"; });
  user.miss(source_of("second"), "kind=0,n=5000", 1, [](Wanted& wanted) { wanted.key.mode = "warm"; });
  const Result result = user.run(user.call({"--json", "--mode", "cold"}));
  CHECK(result.exit_code == 0);
  CHECK(user.tuned(result) ==
        std::vector<std::string>{"second kind=0,n=2000", "first kind=0,n=1000", "first kind=0,n=3000"});
  check_has(result.err, {"1 entry is for other kinds of GPU than the "});
  CHECK(user.left() == std::vector<std::string>{"first kind=0,n=4000", "second kind=0,n=5000"});
  check_out(user.run({"list"}), 0, {"kind=0,n=1000", "kind=0,n=2000", "kind=0,n=3000"});
  const Json wanted = Json::parse(user.run({"wanted", "--json"}).out)["wanted"];
  CHECK(wanted[0]["time_from"] == "decisions by work");
  CHECK(user.tuned(user.run(user.call({"--json"}))) == std::vector<std::string>{"second kind=0,n=5000"});
  check_err(user.run(user.call()), 0, {"1 entry is for other kinds of GPU"});
  CHECK(user.all_processes_end());
}

TEST_CASE("an entry that cannot be tuned is told in one sentence, stays, and comes last the next time") {
  const Misser user;
  user.miss(source_of("first"), "kind=1,n=1000", 1000);
  user.miss(source_of("first"), "kind=0,n=2000", 10);
  user.miss(source_of("first"), "kind=0,n=9999999", 500);
  user.miss(source_of("second"), "kind=0,n=1", 5, [](Wanted& wanted) { wanted.key.kernel_identity += "0"; });
  user.miss(source_of("third"), "n=1", 4);
  const Result result = user.run(user.call({"--json"}));
  CHECK(result.exit_code == 1);
  CHECK(user.tuned(result) == std::vector<std::string>{"first kind=0,n=2000"});
  check_has(result.err, {"`first` is not tuned for kind=1,n=1000: ", "meant not to compile",
                         "`first` is not tuned for kind=0,n=9999999: ", "does not accept",
                         "`second` is not tuned for kind=0,n=1: What is stored of its source",
                         "`third` is not tuned for n=1: Its source and its problem are not those that were noted"});
  CHECK(user.left().size() == 4);
  for (const Wanted& wanted : user.list().list()) CHECK_FALSE(wanted.trouble.empty());
  check_out(user.run({"wanted"}), 0, {"Not tuned: first for kind=1,n=1000: "});
  user.miss(source_of("first"), "kind=0,n=3000", 1);
  CHECK(user.tuned(user.run(user.call({"--json"}))) == std::vector<std::string>{"first kind=0,n=3000"});
}

TEST_CASE("what was decided meanwhile leaves the list without being tuned, and --for begins nothing after its time") {
  const Misser user;
  user.miss(source_of("first"), "kind=0,n=1000", 10);
  CHECK(user.run(user.call()).exit_code == 0);
  user.miss(source_of("first"), "kind=0,n=1000", 10);
  const std::size_t rows = user.count_rows();
  check_err(user.run(user.call()), 0, {"Nothing is wanted"});
  CHECK(user.left().empty());
  CHECK(user.count_rows() == rows);
  for (int n = 2; n <= 60; ++n) user.miss(source_of("first"), "kind=0,n=" + std::to_string(1000 * n), 100 - n);
  // All of them take longer than a second on any machine, however soon the first begins.
  check_err(user.run(user.call({"--for", "1s"})), 0, {"The time is spent: ", "entries are not tuned and stay"});
  const std::vector<std::string> left = user.left();
  REQUIRE_FALSE(left.empty());
  CHECK(std::count(left.begin(), left.end(), "first kind=0,n=60000") == 1);
}

TEST_CASE("headers are compiled as the list has them, whatever their names, and none is written or looked for") {
  const Misser user;
  const std::string outside = "../" + user.home().filename().string() + "-factor.cuh";
  WantedSource source = source_of("first");
  source.text.replace(source.text.find("factor.cuh"), 10, outside);
  source.headers[0].name = outside;
  source.file = "../../first.cu";
  user.miss(source, "kind=0,n=1000", 10);
  CHECK(user.tuned(user.run(user.call({"--json"}))) == std::vector<std::string>{"first kind=0,n=1000"});
  CHECK_FALSE(std::filesystem::exists(user.home() / outside));
  CHECK_FALSE(std::filesystem::exists(user.home() / "../../first.cu"));
  // Without it, that of another folder does not take its place.
  user.folder().write("stray.cuh", "#define FACTOR 2\n");
  source.text.replace(source.text.find(outside), outside.size(), (user.home() / "stray.cuh").string());
  user.miss(source, "kind=0,n=2000", 10);
  user.folder().write("stray.cuh", "#define FACTOR 3\n");
  check_err(user.run(user.call()), 1, {"What is stored of its source is not all that belongs to it"});
}

TEST_CASE("Ctrl-C keeps what was tuned and the rest of the list") {
  const Misser user;
  for (int n = 1; n <= 30; ++n) user.miss(source_of("first"), "kind=0,n=" + std::to_string(1000 * n), 100 - n);
  Running program(user, user.call({"--json"}));
  REQUIRE(eventually([&] { return user.left().size() < 30 || program.ended(); }));
  REQUIRE(!program.ended());
  program.signal(SIGINT);
  const Result result = program.finish();
  CHECK(result.exit_code == 130);
  const std::size_t left = user.left().size();
  CHECK(left > 0);
  CHECK(user.tuned(result).size() >= 30 - left);
  CHECK(user.all_processes_end());
}
