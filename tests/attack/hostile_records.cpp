#include "tests/attack/hostile_records.hpp"

#include <limits>
#include <string>
#include <vector>

#include "cache/file/location.hpp"
#include "cache/store/sqlite_store.hpp"
#include "tests/attack/chance.hpp"
#include "tests/attack/text_damage.hpp"
#include "tests/cache/support.hpp"

namespace tuner::attack {
namespace {

const char* const kTextPieces[] = {
    "a", "BLOCK", "=", ",", "64", "0", " ", "\"", "'", "\\", "/", "|", "\n", "\r", "\t", "\x1b[2J", "\x7f", "\xc2\x9b",
    // direction, width, line ends that some programs see
    "\u202e", "\u202c", "\u2066", "\u2069", "\u200e", "\u200f", "\u061c", "\u200b", "\u200c", "\u200d", "\u2060",
    "\ufeff", "\u00ad", "\u180e", "\u2028", "\u2029", "\ufff9", "\U000e0041", "\U000e0100",
    // no UTF-8
    "\xff", "\xc3", "\xe2\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80",
    // markup, and what scripts know
    "</script>", "<script>window.hacked = 1</script>", "<!--", "<img src=x onerror='window.hacked = 1'>", "&lt;", "]]>",
    "<b>", "${window.hacked = 1}", "`", "__proto__", "constructor", "toString", "PAGE_DATA", "NaN", "Infinity", "1e999",
    "\u00e9\u200d\u00e9", "\U0001f468\u200d\U0001f469", "%s"};

const double kDoubles[] = {0, 1, -1, 0.5, 1e-300, 1e300, -1e300, 1.7e308, -1.7e308, 12345.6, 5e-324, 1e6, 1e12};
const std::int64_t kIntegers[] = {0,
                                  1,
                                  -1,
                                  40,
                                  255,
                                  1000000,
                                  std::numeric_limits<std::int64_t>::max(),
                                  std::numeric_limits<std::int64_t>::min(),
                                  std::int64_t{1} << 53};

/// An explanation with everything that pages show of one.
const char* const kExplained = R"({"format": 1, "findings": [
  {"cause": "bank_conflicts", "claim": "cause", "sentence": "conflicts fell from 31 to 0", "strength": 1},
  {"claim": "unexplained", "sentence": "other"}],
 "path": [{"change": "STRATEGY=rolling,PDIST=3", "time": {"ratio": 0.5, "low": 0.49, "high": 0.51}, "share": 0.9, "idle": false}],
 "roofline": {"share": 0.93, "text": "its 8e+09 bytes take 2 ms"}})";

class Records {
 public:
  explicit Records(std::uint64_t bits) : chance_(bits, "records", 0) {}

  std::string text(std::size_t most = 8) {
    std::string result;
    for (std::size_t left = chance_.below(most + 1); left > 0; --left) result += chance_.one_of(kTextPieces);
    return result;
  }
  std::string or_text(const std::string& usual) { return chance_.once_in(3) ? text() : usual; }
  void set(std::optional<double>& field) {
    if (chance_.once_in(3)) {
      field.reset();
    } else if (chance_.once_in(4)) {
      field = chance_.one_of(kDoubles);
    }
  }
  void set(std::optional<std::int64_t>& field) {
    if (chance_.once_in(3)) {
      field.reset();
    } else if (chance_.once_in(4)) {
      field = chance_.one_of(kIntegers);
    }
  }
  void set(std::optional<int>& field) {
    if (chance_.once_in(3)) {
      field.reset();
    } else if (chance_.once_in(4)) {
      field = static_cast<int>(chance_.one_of(kIntegers));
    }
  }

  cache::Decision decision() {
    cache::Decision one = cache::test::full_decision();
    one.key.kernel_name = or_text("hostile");
    one.key.kernel_identity = one.key.kernel_name + ":0123";
    one.key.problem = or_text("n=1000");
    if (chance_.once_in(4)) one.key.device = text();
    one.conditions = {or_text("0.1.0"), or_text("13.0.88"), or_text("580.159")};
    one.origin = chance_.one_of({cache::Origin::measured, cache::Origin::imported, cache::Origin::replay});
    one.configuration = configuration(0);
    one.baseline = chance_.once_in(4) ? text() : configuration(1);
    one.ties = {{one.configuration, 1}, {or_text(configuration(2)), chance_.one_of(kDoubles)}};
    for (std::optional<double>* field : {&one.baseline_time_ns, &one.speedup, &one.speedup_low, &one.speedup_high})
      set(*field);
    set(one.evaluated);
    set(one.space_size);
    if (chance_.once_in(3)) one.effort.reset();
    if (chance_.once_in(4)) one.time_ns = chance_.one_of(kDoubles);
    if (chance_.once_in(4)) one.confidence = chance_.one_of(kDoubles);
    if (chance_.once_in(4)) one.race_blocks = chance_.one_of(kIntegers);
    if (chance_.once_in(4)) one.created_unix_ms = chance_.one_of(kIntegers);
    one.stopped_because = or_text("");
    one.launch = or_text(one.launch);
    if (chance_.once_in(3)) one.counters = {{text(), 3}, {"tuning_ms", chance_.one_of(kIntegers)}};
    return one;
  }

  cache::Trial trial(const cache::Run& run, std::size_t sequence, bool plain) {
    cache::Trial one = cache::test::full_trial();
    static_cast<cache::Run&>(one) = run;
    one.sequence = static_cast<std::int64_t>(sequence);
    one.configuration = plain || !chance_.once_in(6) ? configuration(sequence) : text();
    one.outcome = Outcome::ok;
    one.message = "";
    one.time_ns = 1000.0 + static_cast<double>(chance_.below(100000));
    one.samples_ns = {*one.time_ns, *one.time_ns + 10};
    if (sequence > 3 && !chance_.once_in(plain ? 10 : 3)) {
      one.outcome = Outcome(1 + chance_.below(12));
      one.message = plain ? "It failed: " + std::to_string(chance_.below(1000)) : text(20);
      one.time_ns.reset();
      one.samples_ns.clear();
    }
    if (plain) return one;
    set(one.time_ns);
    if (chance_.once_in(4)) one.samples_ns.clear();
    if (chance_.once_in(8)) one.samples_ns = {chance_.one_of(kDoubles), chance_.one_of(kDoubles)};
    cache::ResourceFacts& facts = one.facts;
    for (std::optional<int>* field : {&facts.registers, &facts.stack_bytes, &facts.spill_store_bytes,
                                      &facts.spill_load_bytes, &facts.static_shared_bytes, &facts.dynamic_shared_bytes})
      set(*field);
    set(facts.occupancy);
    facts.occupancy_limiter = or_text("registers");
    one.censored = chance_.once_in(5);
    if (chance_.once_in(5)) one.duplicate_of = or_text(configuration(0));
    for (double* field : {&one.compile_ms, &one.verify_ms, &one.timing_ms}) {
      if (chance_.once_in(6)) *field = chance_.one_of(kDoubles);
    }
    return one;
  }

  std::vector<cache::DecisionText> texts(const cache::Decision& decision) {
    using cache::TextKind;
    std::vector<cache::DecisionText> all;
    const auto samples = [&] {
      return chance_.once_in(3) ? damage_json(chance_, "[1000,1010.5,990]") : "[1000,1010,990]";
    };
    if (chance_.once_in(2)) all.push_back({TextKind::samples, decision.configuration, samples()});
    if (chance_.once_in(2)) all.push_back({TextKind::samples, decision.configuration + or_text("1"), samples()});
    if (chance_.once_in(2))
      all.push_back({TextKind::insight, "explain", chance_.once_in(2) ? kExplained : damage_json(chance_, kExplained)});
    return all;
  }

 private:
  /// Of five parameters, each number another.
  std::string configuration(std::size_t number) const {
    return "BLOCK=" + std::to_string(32 * (1 + number % 8)) + ",ITEMS=" + std::to_string(number / 8 % 16) +
           ",STORE=" + (number / 128 % 2 == 0 ? "plain" : "streaming") +
           ",UNROLL=" + std::to_string(number / 256 % 32) + ",VARIANT=" + std::to_string(number / 8192);
  }

  Chance chance_;
};

}  // namespace

int record_hostile(std::uint64_t bits, std::size_t trials, const std::filesystem::path& folder) {
  Records records(bits);
  const auto store = cache::SqliteStore::open({.path = cache::locate(folder).decisions});
  for (std::size_t which = 0; which < 3; ++which) {
    const bool plain = which == 0 && trials > 1000;
    cache::Decision decision = records.decision();
    std::vector<cache::Trial> behind;
    for (std::size_t i = 0; i < (which == 0 ? trials : 5); ++i) behind.push_back(records.trial(decision, i, plain));
    store->record_trials(behind);
    store->record_texts(store->record_decision(decision), records.texts(decision));
  }
  return 0;
}

}  // namespace tuner::attack
