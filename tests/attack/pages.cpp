// Pages of `tuner report` over hostile databases, as a person opens them: data that is data and nothing else, no mark
// that hides or turns text round, and in a Chromium a page that is not empty and has nothing to complain of.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "tests/attack/attack.hpp"
#include "tests/attack/sql.hpp"
#include "tests/page/browser.hpp"

namespace tuner::attack {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kPagesOfACase = 6;
/// Arrays of so many have been more than a function's arguments may be.
constexpr std::size_t kManyTrials = 130'000;

/// The page around its data, as it is for whatever database.
std::string frame_of_pages;

struct PageParts {
  std::string frame, data;
};

PageParts parts_of(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(begin);
  if (from == std::string::npos) return {page, ""};
  const std::size_t to = page.find("</script>", from);
  return {page.substr(0, from) + page.substr(std::min(to, page.size())),
          page.substr(from + begin.size(), to - from - begin.size())};
}

/// The characters of UTF-8 text.
std::u32string characters_of(const std::string& text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    char32_t code = bytes == 1 ? lead : lead & (0xffU >> (bytes + 1));
    for (std::size_t k = 1; k < bytes && i + k < text.size(); ++k)
      code = code << 6U | (static_cast<unsigned char>(text[i + k]) & 0x3fU);
    result += code;
    i += bytes;
  }
  return result;
}

bool hides_or_turns(char32_t code) {
  return (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0) || code == 0xad ||
         code == 0x61c || code == 0x180e || (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb) ||
         (code >= 0xe0000 && code <= 0xe0fff);
}

/// The first mark in a text, as U+202E; joiners within a word or an emoji are none. Empty if there is none.
std::string mark_in(const std::string& text) {
  const std::u32string all = characters_of(text);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool joins = (all[i] == 0x200c || all[i] == 0x200d) && i > 0 && i + 1 < all.size() && all[i - 1] >= 0x80 &&
                       all[i + 1] >= 0x80;
    if (joins || !hides_or_turns(all[i])) continue;
    char name[16];
    std::snprintf(name, sizeof name, "U+%04X", static_cast<unsigned>(all[i]));
    return name;
  }
  return {};
}

/// The same in any text of JSON, names of members included.
std::string mark_in(const Json& value) {
  if (value.is_string()) return mark_in(value.get_ref<const std::string&>());
  for (const auto& [name, member] : value.items()) {
    if (value.is_object()) {
      if (std::string mark = mark_in(name); !mark.empty()) return mark;
    }
    if (!member.is_structured() && !member.is_string()) continue;
    if (std::string mark = mark_in(member); !mark.empty()) return mark;
  }
  return {};
}

void check_text_of_page(Attack& attack, const std::string& page) {
  const auto [frame, data] = parts_of(page);
  if (frame != frame_of_pages) attack.find("a database changed the page around its data", "tuner report");
  for (const char c : data) {
    if (static_cast<unsigned char>(c) < 0x80 && c != '<') continue;
    attack.find("raw text in a page's data", "tuner report");
    break;
  }
  const Json values = Json::parse(data, nullptr, false);
  if (values.is_discarded()) return attack.find("a page's data is no JSON", "tuner report");
  if (const std::string mark = mark_in(values); !mark.empty())
    attack.find("a page shows '" + mark + "' as it is", "tuner report");
}

/// Every decision of the page, as somebody looks at it who filters and sorts.
const char* const kLookAround = R"js((() => {
  const problems = [], of = id => document.getElementById(id);
  const choose = (id, value) => {
    of(id).value = value;
    for (const kind of ["input", "change"]) of(id).dispatchEvent(new Event(kind));
  };
  const decisions = of("subject").options.length || 1;
  for (let i = 0; i < Math.min(decisions, 4); ++i) {
    if (i > 0) choose("subject", String(i));
    if (!/^\d+ of \d+ trials?$/.test(of("shown").textContent)) problems.push("no trials of decision " + i);
    if (of("verdict").textContent === "") problems.push("no verdict of decision " + i);
    if (of("conditions").textContent === "") problems.push("no conditions of decision " + i);
    for (const id of ["x", "colour"])
      if (of(id).options.length > 0) choose(id, of(id).options[of(id).options.length - 1].value);
    choose("filter", "block=64");
    choose("filter", "");
    const heads = document.querySelectorAll("#trials th button");
    for (const at of [0, 1, heads.length - 1]) document.querySelectorAll("#trials th button")[at]?.click();
  }
  if (window.hacked !== undefined) problems.push("a script of a database ran");
  return problems;
})())js";

void look_at_page(Attack& attack, test::Browser& browser) {
  browser.open(attack / "out/page.html");
  for (const Json& problem : browser.evaluate(kLookAround))
    attack.find("in the browser: " + problem.get<std::string>(), "tuner report");
  if (browser.complaints().empty()) return;
  const Json complaint = Json::parse(browser.complaints().front(), nullptr, false);
  const Json what = complaint.value(Json::json_pointer("/exceptionDetails/exception/description"), complaint);
  const std::string text = what.is_string() ? what.get<std::string>() : what.dump();
  attack.find("the browser complains: " + text.substr(0, text.find('\n')), "tuner report");
}

void prepare_pages(Attack& attack) {
  attack.sandbox().clear();
  attack.run({"report", "smooth", "-o", attack / "out/page.html", "--db", attack / "../base/many"},
             {.may_change = {"out"}, .exit_codes = {0}});
  frame_of_pages = parts_of(read_bytes(attack / "out/page.html")).frame;
  if (test::Browser::program().empty())
    std::fprintf(stderr, "pages: there is no Chromium, so that only their text is checked\n");
}

/// What the program itself never writes: fields that are missing and may not be, and infinity.
void damage_fields(Attack& attack, Chance& chance) {
  Sql sql(attack / "db/decisions.db");
  const std::string table = chance.one_of({"trial", "trial", "decision", "decision_tie"});
  const Sql::Rows columns = sql.ask("SELECT name FROM pragma_table_info('" + table + "') WHERE name NOT LIKE '%_id'");
  const std::string change = "UPDATE OR IGNORE " + table + " SET " + chance.one_of(columns).at(0) + " = " +
                             chance.one_of({"NULL", "NULL", "9e999", "-9e999", "0", "''", "-1"}) +
                             (chance.once_in(2) ? " WHERE random() % 2" : "");
  sql.run(change);
  attack.note(change);
}

void run_pages(Attack& attack, Chance& chance) {
  std::optional<test::Browser> browser;
  if (!test::Browser::program().empty()) browser.emplace();
  const bool large = chance.once_in(10);
  for (std::size_t left = large ? 1 : kPagesOfACase; left > 0; --left) {
    attack.sandbox().clear();
    copy_as_it_is(attack / "../base" / chance.one_of({"many", "full", "empty"}), attack / "db");
    const std::size_t trials = large ? kManyTrials + chance.below(20'000) : chance.below(60);
    const std::string bits = std::to_string(chance.bits());
    attack.note("records " + bits + ", " + std::to_string(trials) + " trials");
    attack.run("helper", {"hostile", bits, std::to_string(trials), attack / "db"},
               {.may_change = {"db"}, .exit_codes = {0}});
    for (std::size_t i = chance.below(3); i > 0 && !large; --i) damage_fields(attack, chance);
    std::vector<std::string> words{"report", "-o", attack / "out/page.html", "--db", attack / "db/decisions.db"};
    const Ending ending = attack.run(words, {.may_change = {"out"}, .exit_codes = {0, 5}});
    if (ending.exit_code != 0) continue;
    check_text_of_page(attack, read_bytes(attack / "out/page.html"));
    if (browser) look_at_page(attack, *browser);
  }
}

}  // namespace

const Section kPages{"pages", 30, prepare_pages, run_pages};

}  // namespace tuner::attack
