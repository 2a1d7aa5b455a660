#include "tuner/page/report_page.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/page/subjects.hpp"

namespace tuner::page {
namespace {

/// The page's data, as its script reads it.
nlohmann::json data_of(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_CASE("a page has the decision, its trials as columns, and who won among them") {
  const Subject subject = made_up(500);
  const nlohmann::json data = data_of(report_page({&subject, 1}));
  REQUIRE(data.size() == 1);
  const nlohmann::json& page = data[0];
  CHECK(page["kernel"] == "scale");
  CHECK(page["device"] == "NVIDIA H200");
  for (const char* column : {"time", "censored", "outcome", "message", "registers", "spills", "shared", "occupancy",
                             "limiter", "compile", "duplicate"}) {
    CAPTURE(column);
    CHECK(page["trials"][column].size() == 500);
  }
  CHECK(page["trials"]["rows"].size() == 4 * 500);
  CHECK(page["samples"].size() == 40);  // of the fastest, which the baseline is one of
  const std::size_t winner = page["winner_at"];
  CHECK(subject.trials[winner].configuration == subject.decision.configuration);
  CHECK(page["baseline_at"] == 0);
  CHECK(page["tied_at"][0] == winner);
  CHECK(page["parameters"].size() == 4);
  CHECK(page["trials"]["time"][49].is_null());
  CHECK(page["outcomes"][page["trials"]["outcome"][49].get<std::size_t>()] == "launch_refused");
  CHECK(page["messages"].size() == 2);  // each text once
  CHECK(page["spent"]["compile"] == 50000);
}

TEST_CASE("a page has the samples of the final race, the fastest first, and of texts nothing else") {
  Subject subject = made_up(500);
  subject.texts.push_back({cache::TextKind::samples, "BROKEN=1", "[fast]"});
  subject.texts.push_back({cache::TextKind::samples, "NONE=1", "[]"});
  const std::string page = report_page({&subject, 1});
  CHECK(count_of(page, "no part of the page") == 0);
  const nlohmann::json race = data_of(page)[0]["race"];
  REQUIRE(race.size() == 2);
  CHECK(race[0]["configuration"] == subject.decision.configuration);
  CHECK(race[0]["median"] == 200000);
  CHECK(race[0]["samples"] == nlohmann::json{201000, 199000, 200000});
  CHECK(race[0]["differs"] == "");
  CHECK(race[1]["median"] == 405000);
  CHECK(race[1]["differs"].get<std::string>().find("PDIST=") != std::string::npos);
  CHECK(race[1]["count"] == 2);
  subject.texts.clear();
  CHECK(data_of(report_page({&subject, 1}))[0]["race"].empty());
}

TEST_CASE("a page has what was explained, without what is foreign in it") {
  Subject subject = made_up(10);
  const std::string page = report_page({&subject, 1});
  CHECK(count_of(page, "</script><b>") == 0);
  nlohmann::json why = data_of(page)[0]["why"];
  REQUIRE(why["findings"].size() == 2);
  CHECK(why["findings"][0]["sentence"] == "conflicts fell from 31 to 0 </script><b>");
  CHECK(why["findings"][1]["sentence"].is_null());
  REQUIRE(why["path"].size() == 2);
  CHECK(why["path"][0]["ratio"] == 0.5);
  CHECK(why["path"][1]["ratio"] == 1);
  CHECK(why["share"] == 0.93);
  for (const char* found : {"", "[]", "{\"path\": {}, \"findings\": 3, \"roofline\": []}", "{"}) {
    CAPTURE(found);
    subject.texts.back().text = found;
    CHECK_NOTHROW(why = data_of(report_page({&subject, 1}))[0]["why"]);
    CHECK((why.is_null() || why["path"].empty()));
  }
  subject.texts.clear();
  CHECK(data_of(report_page({&subject, 1}))[0]["why"].is_null());
}

TEST_CASE("of what was explained each step keeps its own ratio, and what no clock gave is neutral") {
  Subject subject = made_up(10);
  const auto why_of = [&](const std::string& found) {
    subject.texts.back().text = found;
    return data_of(report_page({&subject, 1}))[0]["why"];
  };
  const auto step = [](const std::string& change, const std::string& ratio, const std::string& rest = "") {
    return R"({"change": ")" + change + R"(", "time": {"ratio": )" + ratio + R"(, "low": 0.1, "high": 0.9})" + rest +
           "}";
  };
  nlohmann::json path =
      why_of(R"({"path": [7, )" + step("A=1", "0.5") + ", null, [], " + step("B=1", "0.7") + "]}")["path"];
  REQUIRE(path.size() == 2);
  CHECK(path[0]["change"] == "A=1");
  CHECK(path[0]["ratio"] == 0.5);
  CHECK(path[1]["change"] == "B=1");
  CHECK(path[1]["ratio"] == 0.7);

  for (const char* ratio : {"1e308", "-0.5", "0", "1000000", "\"0.5\"", "[0.5]", "null", "18446744073709551615"}) {
    CAPTURE(ratio);
    path = why_of(R"({"path": [)" + step("A=1", ratio) + ", " + step("B=1", "0.7") + "]}")["path"];
    REQUIRE(path.size() == 2);
    for (const char* key : {"ratio", "low", "high"}) CHECK(path[0][key] == 1);
    CHECK(path[1]["ratio"] == 0.7);
    CHECK(path[1]["low"] == 0.1);
  }
  std::string many;  // a foreign number before each
  for (int i = 0; i < 200; ++i) many += (i > 0 ? ", " : "") + std::to_string(i) + ", " + step(std::to_string(i), "1e5");
  path = why_of(R"({"path": [)" + many + "]}")["path"];
  REQUIRE(path.size() == 100);
  double state = 1;
  for (std::size_t i = 0; i < path.size(); ++i) {
    CHECK(path[i]["change"] == std::to_string(i));
    state *= path[i]["ratio"].get<double>();
  }
  CHECK(state == 1e5);

  for (const char* share : {"1e308", "-10.5", "10.5", "\"half\"", "{}", "true"}) {
    CAPTURE(share);
    const nlohmann::json why =
        why_of(R"({"roofline": {"text": "bound", "share": )" + std::string(share) + R"(}, "path": [)" +
               step("A=1", "0.5", R"(, "share": )" + std::string(share)) + "]}");
    CHECK(why["path"][0]["share"].is_null());
    CHECK(why["share"].is_null());
    CHECK(why["bound"] == "");
  }
  CHECK(why_of(R"({"path": [)" + step("A=1", "0.5", R"(, "share": -10)") + "]}")["path"][0]["share"] == -10);
}

TEST_CASE("of a race whose samples are without end the page shows a part") {
  Subject subject = made_up(10);
  std::string samples = "[1";
  for (int i = 0; i < 5000; ++i) samples += ",1";
  for (int i = 0; i < 100; ++i) {
    subject.texts.push_back({cache::TextKind::samples, "X=" + std::to_string(i), samples + "]"});
  }
  const nlohmann::json race = data_of(report_page({&subject, 1}))[0]["race"];
  REQUIRE(race.size() == 25);
  CHECK(race[24]["configuration"] == subject.decision.baseline);
  CHECK(race[0]["samples"].size() == 1000);
  CHECK(race[0]["count"] == 5001);
}

TEST_CASE("whatever is in a name or a message is text") {
  Subject subject = made_up(4, "k</script><script>window.hacked = 1</script><!--");
  subject.trials[1].outcome = Outcome::compile_error;
  subject.trials[1].message = "</script><img src=x onerror=alert(1)> \xff\xfe";
  subject.decision.key.problem = "n='<b>',m=\"";
  subject.texts[1].name = "</script><b>";
  const Subject plain = made_up(4);
  const std::string page = report_page({&subject, 1});
  const std::string without = report_page({&plain, 1});
  CHECK(count_of(page, "<") == count_of(without, "<"));
  const nlohmann::json data = data_of(page);
  CHECK(data[0]["kernel"] == subject.decision.key.kernel_name);
  CHECK(data[0]["command"].get<std::string>().find(R"('n='\''<b>'\'',m="')") != std::string::npos);
}

TEST_CASE("marks that hide or turn text round are shown as their bytes, in whatever text of the page they stand") {
  const std::string hostile =
      "a\xe2\x80\xae"
      "b\xe2\x80\x8b"
      "c\x1b"
      "d\xff";
  const std::string shown = R"(a\xe2\x80\xaeb\xe2\x80\x8bc\x1bd\xff)";
  Subject subject = made_up(4, hostile);
  subject.decision.key.problem = subject.decision.conditions.driver = hostile;
  subject.decision.configuration = subject.texts[1].name = "A=" + hostile;
  subject.decision.ties = {{"A=" + hostile, 1}};
  subject.trials[0].configuration = hostile;
  subject.trials[1].configuration = "A=" + hostile;
  subject.trials[2].message = hostile + "\nsecond line";
  subject.trials[3].facts.occupancy_limiter = hostile;
  const nlohmann::json data = data_of(report_page({&subject, 1}))[0];
  CHECK(data["kernel"] == shown);
  CHECK(data["problem"] == shown);
  CHECK(data["conditions"]["driver"] == shown);
  CHECK(data["winner"] == "A=" + shown);
  CHECK(data["tied"][0] == "A=" + shown);
  CHECK(data["unread"][0][1] == shown);
  CHECK(data["messages"][1] == shown + "\nsecond line");
  CHECK(data["limiters"][1] == shown);
  for (const char* mark : {"\xe2\x80\xae", "\xe2\x80\x8b", "\\u202e", "\\u200b", "\\u001b", "\xef\xbf\xbd"}) {
    CAPTURE(mark);
    CHECK(count_of(data.dump(), mark) == 0);
  }
}

TEST_CASE("ten thousand trials take less than three megabytes") {
  const Subject subject = made_up(10000);
  CHECK(report_page({&subject, 1}).size() < 3'000'000);
}

TEST_CASE("a page asks for nothing from elsewhere") {
  const std::string page(page_template());
  // The namespace of SVG is a name, not an address that is opened.
  CHECK(count_of(page, "http") == count_of(page, "http://www.w3.org/2000/svg"));
  for (const char* way : {"<link", "src=", "@import", "url(", "fetch(", "XMLHttp"}) {
    CAPTURE(way);
    CHECK(page.find(way) == std::string::npos);
  }
}

}  // namespace
}  // namespace tuner::page
