// Results of other tuners, as recordings and as hints: damaged files, and sound ones of searches that were interrupted
// or that hardly ever tried a value.
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "tests/attack/attack.hpp"
#include "tests/attack/text_damage.hpp"

namespace tuner::attack {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

/// What a search over these values tried.
struct Search {
  std::vector<std::string> names;
  std::vector<std::vector<Json>> values;
  std::set<std::vector<std::size_t>> rows;  ///< positions of values
};

Json value_of(Chance& chance, std::size_t kind, std::size_t position) {
  if (kind == 0) return static_cast<int>(position + 1);
  if (kind == 1) return 0.5 * static_cast<double>(position);
  if (kind == 2) return position % 2 == 0;
  return std::string(1, static_cast<char>('a' + position % 26)) + (chance.once_in(50) ? " b" : "");
}

/// Most rows have the first value of most parameters: the others are rare, or have none.
Search some_search(Chance& chance) {
  Search search;
  std::vector<std::size_t> rarity;
  for (std::size_t left = 1 + chance.below(4), number = 0; left > 0; --left, ++number) {
    search.names.push_back(std::string(1, static_cast<char>('A' + number)) + (chance.once_in(20) ? " B" : "ABLE"));
    const std::size_t kind = chance.below(4), count = kind == 2 ? 2 : 1 + chance.below(kind == 3 ? 26 : 40);
    std::vector<Json>& values = search.values.emplace_back();
    for (std::size_t i = 0; i < count; ++i) values.push_back(value_of(chance, kind, i));
    rarity.push_back(chance.one_of<std::size_t>({1, 1, 2, 30, 300}));
  }
  for (std::size_t left = chance.one_of<std::size_t>({1, 5, 60, 600, 900}); left > 0; --left) {
    std::vector<std::size_t> row;
    for (std::size_t i = 0; i < search.values.size(); ++i)
      row.push_back(chance.once_in(rarity[i]) ? chance.below(search.values[i].size()) : 0);
    search.rows.insert(row);
  }
  return search;
}

std::string as_kernel_tuner_cache(Chance& chance, const Search& search) {
  Json cache{{"device_name", "g"}, {"kernel_name", "scale"}, {"tune_params_keys", search.names}};
  for (std::size_t i = 0; i < search.names.size(); ++i) cache["tune_params"][search.names[i]] = search.values[i];
  cache["cache"] = Json::object();
  for (const std::vector<std::size_t>& row : search.rows) {
    std::string key;
    Json entry;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Json& value = search.values[i][row[i]];
      key += (key.empty() ? "" : ",") + (value.is_string() ? value.get<std::string>() : value.dump());
      entry[search.names[i]] = value;
    }
    entry["time"] = chance.once_in(9) ? Json("CompilationFailedConfig") : Json(1.0 + double(chance.below(100)));
    cache["cache"][key] = entry;
  }
  std::string text = cache.dump();
  // The program closes its file at the end.
  if (chance.once_in(2)) text = text.substr(0, text.size() - 2) + ",";
  return text;
}

std::string as_ktt_results(Chance& chance, const Search& search) {
  Json ktt{{"Metadata", {{"Device", "g"}, {"TimeUnit", "Microseconds"}}}, {"Results", Json::array()}};
  for (const std::vector<std::size_t>& row : search.rows) {
    Json result{{"KernelName", "scale"},
                {"Status", chance.once_in(9) ? "CompilationFailed" : "Ok"},
                {"TotalDuration", 1 + chance.below(100)},
                {"Configuration", Json::array()}};
    for (std::size_t i = 0; i < row.size(); ++i)
      result["Configuration"].push_back({{"Name", search.names[i]}, {"Value", search.values[i][row[i]]}});
    ktt["Results"].push_back(result);
  }
  return ktt.dump();
}

std::string as_t4_results(Chance& chance, const Search& search) {
  Json t4{{"results", Json::array()}};
  for (const std::vector<std::size_t>& row : search.rows) {
    const std::size_t time = 1 + chance.below(100);
    Json result{{"configuration", Json::object()},
                {"times", {{"runtimes", {time}}}},
                {"invalidity", chance.once_in(9) ? "compile" : "correct"},
                {"measurements", {{{"name", "time"}, {"value", time}, {"unit", "ms"}}}},
                {"objectives", {"time"}}};
    for (std::size_t i = 0; i < row.size(); ++i) result["configuration"][search.names[i]] = search.values[i][row[i]];
    t4["results"].push_back(result);
  }
  return t4.dump();
}

std::string results_of(Chance& chance, const Search& search) {
  switch (chance.below(4)) {
    case 0:
      return as_ktt_results(chance, search);
    case 1:
      return as_t4_results(chance, search);
    default:
      return as_kernel_tuner_cache(chance, search);
  }
}

std::string results(Chance& chance) {
  static const std::vector<std::string> files = [] {
    const fs::path folder = fs::path(TUNER_ATTACK_REPOSITORY) / "tests/data/foreign";
    return std::vector<std::string>{read_bytes(folder / "kernel_tuner.json"), read_bytes(folder / "ktt.json"),
                                    read_bytes(folder / "t4.json")};
  }();
  if (chance.once_in(2)) return damage_json(chance, chance.one_of(files));
  std::string text = results_of(chance, some_search(chance));
  if (chance.once_in(6)) text = with_odd_number(chance, std::move(text));
  if (chance.once_in(10)) text.resize(chance.below(text.size() + 1));
  return text;
}

void run_foreign_results(Attack& attack, Chance& chance) {
  attack.sandbox().clear();
  const fs::path file = attack / "in/results.json";
  Expectation expectation{.may_change = {"out"}, .exit_codes = {0, 1, 2, 6}};
  write_bytes(file, results(chance));
  if (chance.once_in(700)) {  // which takes the ten seconds after which a pipe is given up
    fs::remove(file);
    if (mkfifo(file.c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
    attack.note("a named pipe that nobody writes to");
    expectation.exit_codes = {2};
    expectation.patience = std::chrono::seconds(40);
  }
  std::vector<std::string> words{"tune", "--replay", file, "--db", attack / "out", "--budget", "20"};
  if (chance.once_in(2)) words = {"simulate", file, "--repeats", "1", "--budget", "20", "--workers", "1"};
  if (!chance.once_in(10)) words.insert(words.end(), {"--strategy", chance.one_of({"random", "model", "model"})});
  if (chance.once_in(4)) {
    words = {"tune",     "--replay", attack / "../base/in/scale.csv", "--hints", file, "--db", attack / "out",
             "--budget", "6"};
  }
  attack.run(words, expectation);
}

}  // namespace

const Section kForeignResults{"foreign-results", 2000, nullptr, run_foreign_results};

}  // namespace tuner::attack
