#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/files.hpp"
#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/report/report.hpp"

using tuner::Effort;
using tuner::TuneReport;
using tuner::Unproven;
using tuner::test::contains;
using tuner::test::longest_line;

namespace {

tuner::cache::ResourceFacts facts(int registers, int spilled, double occupancy, const std::string& limiter) {
  return {.registers = registers,
          .stack_bytes = spilled,
          .spill_store_bytes = spilled,
          .spill_load_bytes = spilled,
          .static_shared_bytes = 256,
          .dynamic_shared_bytes = 0,
          .occupancy = occupancy,
          .occupancy_limiter = limiter,
          .binary_hash = {"00112233445566778899aabbccddeeff"}};
}

const std::string kWinner =
    "BLOCKDIMX=1024,MIN_BLOCKS=1,PADDING=0,PDIST=1,REGISTER_FORM=switch,SIZE_KNOWN=0,STRATEGY=none,UNROLL=4";
const std::string kTied =
    "BLOCKDIMX=1024,MIN_BLOCKS=2,PADDING=0,PDIST=1,REGISTER_FORM=switch,SIZE_KNOWN=0,STRATEGY=none,UNROLL=4";
const std::string kAsync =
    "BLOCKDIMX=512,MIN_BLOCKS=2,PADDING=3,PDIST=6,REGISTER_FORM=unrolled,SIZE_KNOWN=1,STRATEGY=shared_rolling_async,"
    "UNROLL=1";
const std::string kBaseline =
    "BLOCKDIMX=128,MIN_BLOCKS=0,PADDING=0,PDIST=1,REGISTER_FORM=switch,SIZE_KNOWN=0,STRATEGY=none,UNROLL=1";

tuner::FinalistReport finalist(const std::string& configuration, double time_ns, double relative, double low,
                               double high, int differing, const tuner::cache::ResourceFacts& resources) {
  return {.configuration = configuration,
          .time_ns = time_ns,
          .relative_time = relative,
          .relative_low = low,
          .relative_high = high,
          .tied = relative < 1.01,
          .is_baseline = configuration == kBaseline,
          .samples_ns = {time_ns - 250, time_ns, time_ns + 250},
          .differing_parameters = differing,
          .facts = resources};
}

// An invented session with one of everything that a report shows.
TuneReport full_report() {
  TuneReport report;
  report.kernel = "prefetch";
  report.file = "kernel_sources/prefetch.cu";
  report.problem = "row_length=65536,rows=528,sync_in_loop=0,work=4";
  report.device = "NVIDIA H200";
  report.mode = "cold";
  report.strategy = "exhaustive";
  report.seed = 7;
  report.session = "2025-03-01T12:30:00Z-4711";
  report.space_size = 708;
  report.cartesian_size = 2016;
  report.not_compared = {{"sums", 3, 61, 64}};
  report.unproven = {{"sums", tuner::Unproven::Why::not_a_number, 2, 61}};
  report.bytes_per_second = 1.267e12;
  report.roofline = {.rates = {.bytes_per_s = 4.31e12, .flops_per_s = {}},
                     .bound = {.time_ns = 64.23e3, .by = tuner::RooflineBound::By::bandwidth},
                     .bound_text = "its 2.768e+08 bytes take 64.23 us at 4.310 TB/s",
                     .share = 0.294};
  report.stored_in = "/home/ada/.local/share/tuner/decisions.db";
  report.stored = {.trials = 708, .of_trials = 708, .decision = true, .has_decision = true};
  report.budget = {1000, 60, 0.5, 200e3, 2, 0.95, 300, 0.02};
  report.stopped_because = "300 configurations in a row were not faster than the best";
  report.chance_left = 0.0625;
  report.warm_start = {4, true};

  tuner::cache::Decision& decision = report.decision;
  decision.configuration = kWinner;
  decision.baseline = kBaseline;
  decision.time_ns = 218432;
  decision.baseline_time_ns = 405120;
  decision.speedup = 1.8547;
  decision.speedup_low = 1.8502;
  decision.speedup_high = 1.8591;
  decision.confidence = 0.99;
  decision.ties = {{kWinner, 1.0}, {kTied, 1.0021}};
  decision.race_blocks = 40;
  decision.verified = true;
  decision.awkward_sizes = 2;
  decision.contended = true;
  decision.launch = "grid=528x1x1 block=1024x1x1 shared=0";
  decision.counters = {{"asked", 708},    {"timed", 642},  {"compiled", 642},           {"deduplicated", 60},
                       {"launched", 638}, {"stored", 708}, {"failed_compile_error", 2}, {"failed_launch_refused", 4},
                       {"screened", 408}, {"reused", 300}};
  decision.conditions = {"0.1.0", "13.0.88", "580.159"};
  decision.created_unix_ms = 1740832200000;

  report.awkward_problems = {"row_length=65535,rows=527,sync_in_loop=0,work=4",
                             "row_length=1023,rows=528,sync_in_loop=0,work=4"};
  report.winner_facts = facts(40, 0, 1.0, "warps");
  report.baseline_facts = facts(32, 0, 0.9375, "registers");
  report.winner_code = {24, tuner::GlobalLoads{{0, 2, 0, 8}, {}, 1}};
  report.baseline_code = {2, tuner::GlobalLoads{{0, 4, 0, 0}, {}, std::nullopt}};
  report.finalists = {finalist(kWinner, 218432, 1, 1, 1, 3, facts(40, 0, 1.0, "warps")),
                      finalist(kTied, 218890, 1.0021, 0.9984, 1.0058, 3, facts(32, 16, 1.0, "warps")),
                      finalist(kAsync, 240100, 1.0992, 1.0934, 1.1050, 8, facts(64, 0, 0.5, "registers")),
                      finalist(kBaseline, 405120, 1.8547, 1.8502, 1.8591, 0, facts(32, 0, 0.9375, "registers"))};
  report.failures = {
      {tuner::Outcome::compile_error, 2, kAsync, "prefetch.cu(88): error: identifier \"SLOTS\" is undefined"},
      {tuner::Outcome::launch_refused, 4, kTied,
       "The driver refused a block of 1024 threads with 72 registers each: the device has 65536 registers a block. "
       "Fewer "
       "threads or launch bounds would make it fit."},
  };
  report.time = {.total_s = 12.75,
                 .starting_s = 0.75,
                 .waiting_s = 2.125,
                 .loading_s = 0.3125,
                 .verifying_s = 3.875,
                 .timing_s = 5.25,
                 .exchanging_s = 0.1875,
                 .ending_s = 0.0625,
                 .compile_cpu_s = 96.25,
                 .storing_s = 0.0625};
  report.warnings = {"The SM clock moved during 3 of 43 blocks of the race; they were dropped and measured again."};
  return report;
}

TuneReport replayed_report() {
  TuneReport report;
  report.kernel = "gemm";
  report.problem = "[4096,4096,4096]";
  report.device = "NVIDIA GeForce RTX 3090";
  report.mode = "cold";
  report.strategy = "random";
  report.replayed = true;
  report.decision.origin = tuner::cache::Origin::replay;
  report.replay_file = "gemm.csv.gz";
  report.replay_note = "recorded in 2023 on NVIDIA GeForce RTX 3090; nothing was compiled or launched";
  report.interrupted = true;
  report.space_size = 17956;
  report.cartesian_size = 82944;
  report.decision.configuration = "KWG=32,MWG=64";
  report.decision.baseline = "KWG=16,MWG=16";
  report.decision.time_ns = 12345678;
  report.decision.baseline_time_ns = 24691356;
  report.decision.speedup = 2;
  report.decision.counters = {{"asked", 120}, {"timed", 120}, {"stored", 120}};
  report.stored_in = "/tmp/replay.db";
  report.stored = {.trials = 120, .of_trials = 120, .decision = true, .has_decision = true};
  return report;
}

// With TUNER_UPDATE_GOLDEN set, the golden file is written instead of compared: look at the difference before
// committing it.
void check_golden(const std::string& name, const std::string& text) {
  const auto golden = std::filesystem::path(TUNER_SOURCE_DIR "/tests/core/report/golden") / name;
  if (std::getenv("TUNER_UPDATE_GOLDEN") != nullptr) tuner::test::write_bytes(golden, text);
  REQUIRE_MESSAGE(std::filesystem::exists(golden), "golden file missing: " << name);
  CHECK(text == tuner::test::read_bytes(golden));
}

}  // namespace

TEST_CASE("the text of a full session is the golden text, on a terminal and elsewhere") {
  check_golden("report_full.txt", tuner::to_text(full_report(), tuner::kReportWidth));
  check_golden("report_full_unwrapped.txt", tuner::to_text(full_report()));
}

TEST_CASE("the text of a replay says that nothing was compiled or launched") {
  check_golden("report_replay.txt", tuner::to_text(replayed_report(), tuner::kReportWidth));
}

TEST_CASE("the JSON of a full session is the golden object") {
  check_golden("report_full.json", tuner::to_json(full_report()) + "\n");
}

TEST_CASE("JSON without times is the same for two runs that differ in dates, durations and folders only") {
  TuneReport one = full_report();
  TuneReport other = full_report();
  other.session = "another";
  other.time.total_s = 99;
  other.decision.created_unix_ms += 5000;
  other.decision.session = "another";
  other.stored_in = "/elsewhere/decisions.db";
  CHECK(tuner::to_json(one, true) != tuner::to_json(other, true));
  CHECK(tuner::to_json(one, false) == tuner::to_json(other, false));
  check_golden("report_full_no_times.json", tuner::to_json(one, false) + "\n");
}

TEST_CASE("no line that can be broken is longer than a terminal's 100 columns") {
  TuneReport report = full_report();
  report.failures.clear();
  report.warnings.clear();
  CHECK(longest_line(tuner::to_text(report, tuner::kReportWidth)) <= tuner::kReportWidth);
  report.problem = "size_of_the_first=65536,size_of_the_second=65536,size_of_the_third=65536,size_of_the_fourth=65536";
  CHECK(longest_line(tuner::to_text(report, tuner::kReportWidth)) <= tuner::kReportWidth);
}

TEST_CASE("a report says how much is stored, and \"Stored in\" only of everything") {
  TuneReport report = full_report();
  CHECK(contains(tuner::to_text(report), "\nStored in /home/ada/"));
  report.stored = {.trials = 412, .of_trials = 708, .decision = false, .has_decision = true};
  CHECK(contains(tuner::to_text(report),
                 "\nNot stored in full: 412 of 708 trials, without the decision, in /home/ada/.local/share/tuner/"
                 "decisions.db: see the warnings.\n"));
  CHECK(contains(tuner::to_json(report), "\"stored_in\": null"));
  report.stored.trials = 0;
  CHECK(contains(tuner::to_text(report), "\nNot stored: see the warnings.\n"));
  report.stored = {.trials = 708, .of_trials = 708, .decision = false, .has_decision = false};  // it was interrupted
  CHECK(contains(tuner::to_text(report), "\nStored in /home/ada/"));
  report.stored_in.clear();
  CHECK(contains(tuner::to_text(report), "\nNot stored: see the warnings.\n"));
}

TEST_CASE("paths were broken in a report's lines: they stay whole however long they are, spaces or not") {
  const std::string folder = "/home/ada lovelace/" + std::string(60, 'd') + " and/" + std::string(60, 'e');
  TuneReport report = full_report();
  report.file = folder + "/scale, the best.cu";
  report.stored_in = folder + "/a=1,b=2/decisions.db";
  report.data = {{"image", folder + "/a \"b\".npy", "00ff"}};
  report.replayed = true;
  report.replay_file = folder + "/scale.csv";
  report.replay_note = "recorded on another day";
  report.failures[0].example_message = folder + "/scale.cu(88): error: identifier \"SLOTS\" is undefined";
  report.warnings = {"The database " + folder + "/decisions.db was damaged."};
  for (const std::size_t width : {std::size_t{60}, tuner::kReportWidth, tuner::kUnwrapped}) {
    CAPTURE(width);
    const std::string text = tuner::to_text(report, width);
    for (const std::string& path : {report.file, report.stored_in, report.data[0].file, report.replay_file}) {
      CHECK(contains(text, path));
    }
    CHECK(contains(text, report.failures[0].example_message));
    CHECK(contains(text, "Warning: " + report.warnings[0] + "\n"));
  }
}

TEST_CASE("without a terminal every sentence of a report stands on one line") {
  const std::string text = tuner::to_text(full_report());
  CHECK(contains(text, "stop after 300 idle, stop when the expected gain is below 2 %\n"));
  CHECK(
      contains(text, "uncompared 3 of 64 elements of `sums` (the first is 61): the reference leaves them unwritten\n"));
  CHECK(contains(text, "REGISTER_FORM=unrolled SIZE_KNOWN=1 STRATEGY=shared_rolling_async\n"));
}

TEST_CASE("a report says what an effort left out and how to go on, or that a stored decision answers") {
  TuneReport report = full_report();
  CHECK(to_text(report).find("left out") == std::string::npos);
  report.effort = tuner::Effort::quick;
  report.decision.counters["asked"] = 60;
  std::string text = to_text(report);
  CHECK(text.find("  left out   648 configurations; `--effort normal` or `--effort full` goes on from here\n") !=
        std::string::npos);
  report.effort = tuner::Effort::normal;
  CHECK(to_text(report).find("648 configurations; `--effort full` goes on") != std::string::npos);
  report.from_store = true;
  report.decision.effort = tuner::Effort::full;
  text = to_text(report);
  CHECK(text.find("  kept       the decision of effort full that is stored, so nothing was measured; `--fresh`") !=
        std::string::npos);
  for (const char* part : {"left out", "Counts", "payback"}) CHECK(text.find(part) == std::string::npos);
}

TEST_CASE("a report said that less than 1 % is left in a space larger than any on which that was checked") {
  TuneReport report = full_report();
  report.space_size = 17'956;
  CHECK(contains(to_text(report), "less than 1 % is believed left"));
  CHECK(contains(to_json(report), "\"chance_left\": 0.0625"));
  report.space_size = 100'000;
  CHECK(contains(to_text(report), "it is not known how much is left in a space of more than 18,000 configurations"));
  CHECK_FALSE(contains(to_text(report), "believed left"));
  CHECK(contains(to_json(report), "\"chance_left\": null"));
}

TEST_CASE("a report of a search too short for a belief said nothing of what is left") {
  TuneReport report = full_report();
  report.chance_left.reset();
  CHECK_FALSE(contains(to_text(report), "  to gain "));  // all were tried
  report.decision.counters["asked"] = 60;
  report.strategy = "auto";
  const std::string unknown = "  to gain    it is not known how much is left: ";
  CHECK(contains(to_text(report), unknown + "too few were tried to form a belief\n"));
  CHECK(contains(to_json(report), "\"chance_left\": null"));
  report.strategy = "random";
  CHECK(contains(to_text(report), unknown + "strategy random forms no belief\n"));
  report.interrupted = true;
  CHECK_FALSE(contains(to_text(report), "  to gain "));
}

TEST_CASE("a speed-up without an interval says that its uncertainty is unknown") {
  CHECK(contains(tuner::to_text(replayed_report()), "uncertainty is unknown"));
}

TEST_CASE("a winner that was verified at its own size only says why") {
  TuneReport report = full_report();
  report.awkward_problems.clear();
  report.awkward_note = "no problem_constraint says which sizes the kernel accepts";
  CHECK(contains(tuner::to_text(report), "no other size: no problem_constraint"));
  CHECK(contains(tuner::to_json(report), "\"awkward_problems\": []"));
}

TEST_CASE("integers that no generator is given for are named") {
  TuneReport report = full_report();
  CHECK(!contains(tuner::to_text(report), "inputs "));
  report.counting_inputs = "No generator is given for `keys`.";
  CHECK(contains(tuner::to_text(report), "inputs     No generator is given for `keys`.\n"));
}

TEST_CASE("of many ties the text shows twenty and says how many more there are") {
  TuneReport report = full_report();
  CHECK_FALSE(contains(tuner::to_text(report), "more, in --json"));
  for (int i = 0; i < 30; ++i) report.decision.ties.push_back({"BLOCKDIMX=" + std::to_string(i), 1.005});
  const std::string text = tuner::to_text(report);
  CHECK(contains(text, "Tied with the winner: 31 configurations"));
  CHECK(contains(text, "BLOCKDIMX=18"));
  CHECK_FALSE(contains(text, "BLOCKDIMX=19"));
  CHECK(contains(text, "and 11 more, in --json"));
  CHECK(contains(tuner::to_json(report), "BLOCKDIMX=29"));
}

TEST_CASE("an interval that includes 1 is not called faster") {
  TuneReport report = full_report();
  report.decision.speedup_low = 0.99;
  CHECK(contains(tuner::to_text(report), "cannot tell them apart"));
}

TEST_CASE("a session whose baseline wins says so instead of printing a speed-up") {
  TuneReport report = full_report();
  report.decision.configuration = kBaseline;
  CHECK(contains(tuner::to_text(report), "the baseline itself is the fastest"));
}

TEST_CASE("a replay whose baseline failed without having been asked for says so, and counts it") {
  TuneReport report = replayed_report();
  report.decision.baseline.clear();
  report.decision.counters = {{"asked", 3}, {"timed", 2}};
  report.failures = {{tuner::Outcome::compile_error, 2, "", "expected a ';'"}};
  const std::string text = tuner::to_text(report);
  CHECK(contains(text, "unknown: the recording has no time of a baseline to compare with"));
  CHECK(contains(text, "Failures: 2 of 4 configurations"));
  CHECK(contains(text, "4 configurations: 2 timed, 0 deduplicated, 2 failed"));
}

TEST_CASE("a configuration that was timed and failed in the race is one configuration") {
  TuneReport report = full_report();
  report.decision.counters = {{"asked", 3}, {"timed", 3}};
  report.failures = {{tuner::Outcome::wrong_result, 1, "", "not what the reference computes"}};
  CHECK(contains(tuner::to_text(report), "Failures: 1 of 3 configurations"));
  report.replayed = true;
  CHECK(contains(tuner::to_text(report), "Failures: 1 of 3 configurations"));
}

TEST_CASE("a session without a usable configuration has no winner in text and null in JSON") {
  TuneReport report = full_report();
  report.decision.configuration.clear();
  report.decision.time_ns = 0;
  report.finalists.clear();
  report.decision.ties.clear();
  CHECK(contains(tuner::to_text(report), "No winner"));
  report.decision.created_unix_ms = 0;
  CHECK(contains(tuner::to_json(report), "\"winner\": null"));
  CHECK(contains(tuner::to_json(report), "\"created_unix_ms\": null"));
}

TEST_CASE("a kernel without parameters had no winner and no baseline in its report") {
  TuneReport report = full_report();
  report.decision.configuration.clear();
  report.decision.baseline.clear();
  CHECK(contains(tuner::to_text(report), "Winner\n"));
  CHECK(contains(tuner::to_text(report), "values     (no parameters)\n"));
  CHECK(contains(tuner::to_text(report), "none: the baseline itself is the fastest"));
  CHECK(contains(tuner::to_json(report), "\"winner\": {"));
  CHECK(contains(tuner::to_json(report), "\"baseline\": {"));
}

TEST_CASE("a compiler message that is not UTF-8 still makes a JSON report") {
  TuneReport report = full_report();
  report.failures[0].example_message = "bad byte \xff here";
  CHECK(contains(tuner::to_json(report), "bad byte \xef\xbf\xbd here"));
}

TEST_CASE("assignments are split at commas outside quotes") {
  CHECK(tuner::split_assignments("A=1,B=\"x,\\\"y\",C=2") == std::vector<std::string>{"A=1", "B=\"x,\\\"y\"", "C=2"});
  CHECK(tuner::split_assignments("").empty());
  CHECK(tuner::differing_assignments("A=1,B=2", "A=1,B=3") == std::vector<std::string>{"B=2"});
}

TEST_CASE("numbers carry a unit that fits") {
  CHECK(tuner::time_text(850) == "850.0 ns");
  CHECK(tuner::time_text(218432) == "218.4 us");
  CHECK(tuner::time_text(12345678) == "12.35 ms");
  CHECK(tuner::time_text(2.5e9) == "2.500 s");
  CHECK(tuner::rate_text(4.3e12, "B/s") == "4.300 TB/s");
  CHECK(tuner::duration_text(200) == "3 min 20 s");
  CHECK(tuner::duration_text(1800) == "30 min");
  CHECK(tuner::duration_text(7200) == "2 h");
  CHECK(tuner::duration_text(7260) == "2 h 1 min");
  CHECK(tuner::grouped(1234567) == "1,234,567");
  CHECK(tuner::grouped(12) == "12");
  CHECK(tuner::counted(1, "trial") == "1 trial");
  CHECK(tuner::date_text(1740832200000) == "2025-03-01 12:30 UTC");
}

TEST_CASE("durations are read with their unit, and nothing else is") {
  using std::chrono::milliseconds;
  CHECK(tuner::duration_from_text("250ms") == milliseconds(250));
  CHECK(tuner::duration_from_text("1.5s") == milliseconds(1500));
  CHECK(tuner::duration_from_text("5min") == milliseconds(300000));
  for (const char* text : {"", "5", "s", "5 s", "5h", "-1s", "0s", "nan s", "nans", "infs", "1e300s", "0.1ms"}) {
    CAPTURE(text);
    CHECK(!tuner::duration_from_text(text));
  }
}

TEST_CASE("data that came from files is named, and what fresh inputs are is said") {
  TuneReport report = full_report();
  report.data = {{"image", "/data/a \"b\".npy", "00ff"}};
  const std::string text = to_text(report);
  CHECK(contains(text, "\n  data       image from /data/a \"b\".npy\n"));
  CHECK(contains(text, "on fresh inputs, except those from files\n"));
  const std::string json = to_json(report);
  CHECK(contains(json, "\"argument\": \"image\""));
  CHECK(contains(json, "\"file\": \"/data/a \\\"b\\\".npy\""));
  CHECK(contains(json, "\"hash\": \"00ff\""));
  CHECK(contains(json, "\"role\": \"input\""));
}

TEST_CASE("where files alone say what is right, the report says that there were no fresh inputs") {
  TuneReport report = full_report();
  report.data = {{"image", "/data/image.npy", "00ff"}, {"sums", "/data/sums.npy", "ff00", true}};
  CHECK(contains(to_text(report), "on fresh inputs, except those from files\n"));
  CHECK(contains(to_text(report), "\n  data       sums expected as in /data/sums.npy\n"));
  CHECK(contains(to_json(report), "\"role\": \"expected\""));
  report.has_fresh_inputs = false;
  CHECK(contains(to_text(report), "again after the final race, on the same inputs, because none are random"));
}

TEST_CASE("static and dynamic shared memory are told apart") {
  TuneReport report = full_report();
  report.winner_facts.dynamic_shared_bytes = 49152;
  CHECK(contains(to_text(report), ", 256 B of static shared memory, 49,152 B of dynamic shared memory, "));
  report.winner_facts.static_shared_bytes = 0;
  CHECK(contains(to_text(report), "loads, 49,152 B of dynamic shared memory, "));
}

TEST_CASE("configurations that change nothing are counted apart") {
  TuneReport report;
  report.decision.counters = {{"asked", 9}, {"timed", 3}, {"deduplicated", 6}};
  CHECK(contains(tuner::to_text(report), " 6 deduplicated, 0 failed"));
  report.decision.counters["no_effect"] = 2;
  CHECK(contains(tuner::to_text(report), " 6 deduplicated (2 of them without any effect), 0 failed"));
}
