// The page of `tuner report` as a person meets it, in a headless Chromium.
#include <doctest/doctest.h>

#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"
#include "tests/page/browser.hpp"
#include "tests/page/subjects.hpp"
#include "tests/support/skip.hpp"

namespace tuner::test {
namespace {

using page::made_up;
using page::report_page;
using page::Subject;

/// Chromium takes a second to start, so that all cases share one.
Browser& browser() {
  static Browser one;
  return one;
}

/// A page over these decisions, opened.
void open(const std::vector<Subject>& subjects, int width = 1200, bool dark = false) {
  if (Browser::program().empty()) skip("there is no Chromium; `apt-get install chromium` brings it");
  static const TemporaryFolder folder;
  browser().resize(width, 900, dark);
  browser().open(folder.write("report.html", report_page(subjects)));
}

std::string text_of(const std::string& id) {
  return browser().evaluate("document.getElementById('" + id + "').textContent");
}

/// Gives a control this value, as a user does.
void choose(const std::string& id, const std::string& value) {
  browser().evaluate("{ const control = document.getElementById('" + id + "'); control.value = '" + value +
                     "'; for (const kind of ['input', 'change']) control.dispatchEvent(new Event(kind)); }");
}

std::vector<std::string> column(int position) {
  return browser().evaluate("[...document.querySelectorAll('#trials tbody tr')].map(row => row.children[" +
                            std::to_string(position) + "].textContent)");
}

TEST_CASE("the report of the shipped recording opens without a complaint, at three widths, light and dark") {
  if (Browser::program().empty()) skip("there is no Chromium; `apt-get install chromium` brings it");
  const User user;
  const Result tuned = user.run({"tune", "--replay", TUNER_RECORDINGS "/prefetch__H200.csv"});
  REQUIRE(tuned.exit_code == 0);
  const std::string database = user.data() / "replay.db";
  check_err(user.run({"report", "prefetch", "-o", "report.html", "--db", database}), 0, {"Wrote 1 decision and 708"});
  std::string light;
  for (const int width : {360, 800, 1400}) {
    for (const bool dark : {false, true}) {
      CAPTURE(width);
      browser().resize(width, 900, dark);
      browser().open(user.home() / "report.html");
      CHECK(text_of("kernel") == "prefetch");
      CHECK(browser().evaluate("document.documentElement.scrollWidth").get<int>() <= width);
      const std::string ground = browser().evaluate("getComputedStyle(document.body).backgroundColor");
      if (!dark) light = ground;
      CHECK((ground == light) == !dark);
      CHECK_MESSAGE(browser().complaints().empty(), browser().complaints().front());
    }
  }
  CHECK(text_of("shown") == "708 of 708 trials");
  CHECK(text_of("verdict").find("times as fast as the defaults") != std::string::npos);
  CHECK(browser().evaluate("document.querySelectorAll('#strips circle').length").get<int>() > 16);
  CHECK(browser().evaluate("document.querySelectorAll('#race tbody tr').length").get<int>() > 1);
  CHECK(browser().evaluate("document.querySelectorAll('#race circle').length").get<int>() > 16);
  CHECK(browser().evaluate("document.querySelectorAll('#race tr.winner').length") == 1);
  CHECK(browser().evaluate("document.querySelectorAll('#effects tbody tr').length").get<int>() > 10);
  CHECK(browser().evaluate("document.querySelectorAll('#progress circle').length").get<int>() > 1);
  CHECK(browser().evaluate("document.querySelectorAll('#trials tr.winner').length") == 1);
  CHECK(text_of("failures").find("launch refused") != std::string::npos);
}

TEST_CASE("filters narrow the trials, by values and by outcome") {
  open({made_up(1000)});
  choose("filter", "STRATEGY=rolling pdist=3");
  const std::vector<std::string> rows = column(6);
  CHECK_FALSE(rows.empty());
  for (const std::string& row : rows) {
    CHECK(row.find("STRATEGY=rolling") != std::string::npos);
    CHECK(row.find("PDIST=3 ") != std::string::npos);
  }
  CHECK(text_of("shown") == std::to_string(rows.size()) + " of 1000 trials");
  choose("filter", "");
  choose("outcome", "launch_refused");
  CHECK(text_of("shown") == "20 of 1000 trials");
  CHECK(column(1) == std::vector<std::string>(20, "launch refused"));
  CHECK(browser().complaints().empty());
}

TEST_CASE("a click on a column sorts by it, another one the other way round") {
  open({made_up(1000)});
  CHECK(column(0).size() == 100);
  const auto click = [](int position) {
    browser().evaluate("document.querySelectorAll('#trials th button')[" + std::to_string(position) + "].click()");
  };
  const auto registers = [] {
    std::vector<int> numbers;
    for (const std::string& text : column(2)) numbers.push_back(std::stoi(text));
    return numbers;
  };
  click(2);
  std::vector<int> numbers = registers();
  CHECK(std::is_sorted(numbers.begin(), numbers.end()));
  CHECK(numbers.front() == 32);
  click(2);
  numbers = registers();
  CHECK(std::is_sorted(numbers.rbegin(), numbers.rend()));
  CHECK(numbers.front() == 95);
  CHECK(browser().evaluate("document.querySelectorAll('#trials th')[2].getAttribute('aria-sort')") == "descending");
  CHECK(browser().evaluate("document.activeElement.textContent") == "registers");
  browser().evaluate("document.getElementById('more').click()");
  CHECK(column(0).size() == 400);
}

TEST_CASE("the keyboard goes from trial to trial") {
  open({made_up(100)});
  browser().evaluate("document.getElementById('scatter').focus()");
  browser().press("ArrowRight");
  const std::string first = text_of("picked");
  CHECK(first.find("BLOCKDIMX=") == 0);
  browser().press("ArrowRight");
  CHECK(text_of("picked") != first);
  browser().press("ArrowLeft");
  CHECK(text_of("picked") == first);
}

TEST_CASE("a hostile name is text, and so is what a compiler said") {
  Subject subject = made_up(10, "</script><script>window.hacked = true</script>");
  subject.trials[3].outcome = Outcome::compile_error;
  subject.trials[3].message = "<img src=x onerror='window.hacked = true'>";
  open({subject});
  CHECK(text_of("kernel") == subject.decision.key.kernel_name);
  CHECK(text_of("failures").find("<img src=x") != std::string::npos);
  CHECK(browser().evaluate("typeof window.hacked") == "undefined");
  CHECK(browser().complaints().empty());
}

TEST_CASE("of several decisions each can be chosen") {
  std::vector<Subject> subjects{made_up(100, "first"), made_up(300, "second")};
  open(subjects);
  CHECK(text_of("kernel") == "first");
  choose("subject", "1");
  CHECK(text_of("kernel") == "second");
  CHECK(text_of("shown") == "300 of 300 trials");
}

TEST_CASE("a finalist is a line of its own in the final race, which is left out where no samples are stored") {
  Subject before = made_up(100, "before");
  before.texts.clear();
  open({made_up(100), before});
  CHECK(browser().evaluate("document.querySelectorAll('#race tbody tr').length") == 2);
  CHECK(browser().evaluate("document.querySelectorAll('#race rect').length") == 2);
  CHECK(browser().evaluate("document.querySelectorAll('#race circle').length") == 5);
  CHECK(text_of("race").find("the winner") < text_of("race").find("PDIST="));
  CHECK_FALSE(browser().evaluate("document.getElementById('raced').hidden").get<bool>());
  choose("subject", "1");
  CHECK(browser().evaluate("document.getElementById('raced').hidden").get<bool>());
  CHECK(browser().complaints().empty());
}

TEST_CASE("what was explained is a list, a path with a bar for each step, and a share of the roofline") {
  Subject before = made_up(100, "before");
  before.texts.clear();
  open({made_up(100), before});
  CHECK(browser().evaluate("document.querySelectorAll('#findings li').length") == 2);
  CHECK(text_of("findings").find("fell from 31 to 0 </script><b>") != std::string::npos);
  CHECK(browser().evaluate("document.querySelectorAll('#path tbody tr').length") == 2);
  CHECK(browser().evaluate("document.querySelectorAll('#path rect').length") == 2);
  CHECK(text_of("path").find("nothing: could keep its value") != std::string::npos);
  CHECK(text_of("roofline").find("93 %") != std::string::npos);
  choose("subject", "1");
  CHECK(browser().evaluate("document.getElementById('explained').hidden").get<bool>());
  CHECK(browser().complaints().empty());
}

TEST_CASE("what was explained but is no measurement is drawn without a complaint, and its share is an empty cell") {
  Subject subject = made_up(100);
  std::string path;
  for (const char* ratio : {"1e308", "-1", "0", "1e300", "\"?\"", "1e5", "1e5", "1e-300", "1e-300"}) {
    path += R"({"change": "A=1", "share": 1e308, "time": {"ratio": )" + std::string(ratio) +
            R"(, "low": 0.1, "high": 0.9}}, )";
  }
  subject.texts.back().text =
      R"({"format": 1, "findings": [], "roofline": {"share": -1e308, "text": "far"}, "path": [3, )" + path +
      R"({"change": "B=1", "share": -0.5, "time": {"ratio": 0.5, "low": 0.4, "high": 0.6}}]})";
  open({subject});
  CHECK_FALSE(browser().evaluate("document.getElementById('explained').hidden").get<bool>());
  CHECK(browser().evaluate("document.querySelectorAll('#path tbody tr').length") == 10);
  const std::string odd =
      "[...document.querySelectorAll('#path rect')].filter(bar => ['x', 'width'].some(name => !(bar.getAttribute(name) "
      ">= 0 && bar.getAttribute(name) <= 440))).length";
  CHECK(browser().evaluate(odd) == 0);
  CHECK(browser().evaluate("document.querySelector('#path tbody tr').lastChild.textContent") == "");
  CHECK(browser().evaluate("document.querySelector('#path tbody').lastChild.lastChild.textContent") ==
        "-50.0 % of the change");
  CHECK(text_of("roofline").empty());
  CHECK_MESSAGE(browser().complaints().empty(), browser().complaints().front());
}

TEST_CASE("where nothing was found there is no heading that promises why the winner wins") {
  Subject subject = made_up(100);
  const auto is_hidden = [&](const char* found) {
    subject.texts.back().text = found;
    open({subject});
    return browser().evaluate("document.getElementById('explained').hidden").get<bool>();
  };
  CHECK(is_hidden(R"({"format": 1, "findings": [], "path": [], "roofline": null})"));
  CHECK(is_hidden("{}"));
  CHECK(is_hidden(R"({"format": 2, "findings": [{"claim": "fact", "sentence": "so"}], "path": []})"));
  CHECK_FALSE(is_hidden(R"({"format": 1, "findings": [], "path": [], "roofline": {"share": 0.9, "text": "bound"}})"));
  CHECK_FALSE(is_hidden(R"({"format": 1, "findings": [{"claim": "fact", "sentence": "so"}], "path": []})"));
  CHECK(browser().complaints().empty());
}

TEST_CASE("a decision without trials, and one without a winner's interval, are shown as far as they go") {
  Subject empty = made_up(1, "empty");
  empty.trials.clear();
  empty.decision.speedup_low.reset();
  Subject bare = made_up(50, "bare");
  bare.decision.baseline.clear();
  bare.decision.baseline_time_ns.reset();
  bare.decision.speedup.reset();
  bare.trials[7].configuration = "nonsense";
  open({empty, bare});
  CHECK(text_of("shown") == "0 of 0 trials");
  CHECK(text_of("kernel") == "empty");
  choose("subject", "1");
  CHECK(text_of("verdict").find("200.0 us") != std::string::npos);
  CHECK_MESSAGE(browser().complaints().empty(), browser().complaints().front());
}

TEST_CASE("times that no clock gave are drawn outside of the picture and not refused by the browser") {
  Subject subject = made_up(50);
  subject.trials[0].time_ns = subject.trials[1].time_ns = 5e-324;
  subject.trials[0].samples_ns = {-1e300, 5e-324, 1.7e308};
  subject.trials[2].time_ns = -1.7e308;
  subject.trials[3].time_ns = 1.7e308;
  open({subject});
  CHECK(text_of("shown") == "50 of 50 trials");
  CHECK_MESSAGE(browser().complaints().empty(), browser().complaints().front());
}

TEST_CASE("a decision whose interval lacks one end is shown without it, and so is one that lacks everything else") {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Subject no_high = made_up(50, "no_high"), no_low = made_up(50, "no_low"), nothing = made_up(50, "nothing");
  no_high.decision.configuration = no_low.decision.configuration = no_high.trials[7].configuration;
  no_high.decision.speedup_high.reset();
  no_low.decision.speedup_low.reset();
  nothing.decision.time_ns = nothing.decision.confidence = kNone;
  nothing.decision.baseline_time_ns = nothing.decision.speedup = kNone;
  nothing.decision.conditions = {};
  nothing.trials[0].compile_ms = kNone;
  for (cache::Trial& trial : nothing.trials) {
    trial.time_ns.reset();
    trial.facts = {};
  }
  open({no_high, no_low, nothing});
  CHECK(text_of("verdict").find("times as fast as the defaults") != std::string::npos);
  CHECK(text_of("verdict").find("confidence") == std::string::npos);
  CHECK(text_of("shown") == "50 of 50 trials");
  choose("subject", "1");
  CHECK(text_of("verdict").find("confidence") == std::string::npos);
  CHECK(text_of("kernel") == "no_low");
  choose("subject", "2");
  CHECK(text_of("kernel") == "nothing");
  CHECK(text_of("command").find("tuner tune") != std::string::npos);  // the page's end
  CHECK_MESSAGE(browser().complaints().empty(), browser().complaints().front());
}

TEST_CASE("a date beyond all calendars is left out, and costs no other line") {
  Subject subject = made_up(50);
  subject.decision.created_unix_ms = 9'000'000'000'000'000'000;
  open({subject});
  CHECK(text_of("conditions").starts_with("tuner"));
  CHECK(text_of("command").find("tuner tune") != std::string::npos);
  CHECK(browser().complaints().empty());
}

TEST_CASE("a page with more trials than a function takes arguments is not empty, even if nearly all of them failed") {
  constexpr std::size_t kCount = 140000;
  Subject failing = made_up(kCount, "failing");
  for (std::size_t i = 1; i < kCount; ++i) {
    failing.trials[i].outcome = Outcome::launch_refused;
    failing.trials[i].time_ns.reset();
  }
  open({made_up(kCount), failing});
  CHECK(text_of("shown") == "140000 of 140000 trials");
  CHECK(column(0).size() == 100);
  CHECK(browser().evaluate("document.querySelectorAll('#progress circle').length") == 1);
  // VARIANT has 547 values.
  CHECK(text_of("effects").find("and 347 more") != std::string::npos);
  choose("subject", "1");
  CHECK(text_of("failures").find("launch refused139999BLOCKDIMX=") != std::string::npos);
  choose("filter", "variant=7 pdist=3");
  CHECK(text_of("shown") == "16 of 140000 trials");
  CHECK_MESSAGE(browser().complaints().empty(), browser().complaints().front());
}

TEST_CASE("ten thousand trials open, are filtered and sorted") {
  open({made_up(10000)}, 360);
  CHECK(text_of("shown") == "10000 of 10000 trials");
  choose("filter", "variant=7");
  CHECK(text_of("shown") == "256 of 10000 trials");
  CHECK(browser().complaints().empty());
}

}  // namespace
}  // namespace tuner::test
