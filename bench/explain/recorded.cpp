// What `tuner explain --json` recorded, without a GPU: rules are asked again, pages and tables are made of it.
//   bench_explain_recorded list DEVICE FILE.json...            every finding, with the claim and the strength
//   bench_explain_recorded page DEVICE CONDITIONS FILE.json    as a part of a page in docs/kernels
//   bench_explain_recorded facts FILE.json...                  a table for tests: a line for each fact, a column for
//   each file
// DEVICE is a short name, "H100": of the GPU on which it was recorded. CONDITIONS are driver, toolkit, date and commit.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "bench/explain/page.hpp"
#include "tuner/explain/explanation_json.hpp"
#include "tuner/explain/rules.hpp"

using namespace tuner;

namespace {

std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(file + " cannot be read.");
  return {std::istreambuf_iterator<char>(in), {}};
}

explain::Explanation explained_again(const std::string& file, const DeviceInfo& device) {
  std::optional<explain::Explanation> explanation = explain::explanation_from_json(content(file));
  if (!explanation) throw std::runtime_error(file + " is no object of `tuner explain --json`.");
  add_derived(explanation->from, device);
  add_derived(explanation->to, device);
  explain_again(*explanation, device);
  return *explanation;
}

void list(const std::string& file, const DeviceInfo& device) {
  const explain::Explanation explanation = explained_again(file, device);
  fmt::print("{}: {}\n", std::filesystem::path(file).stem().string(),
             explanation.time ? fmt::format("{:.4f}", explanation.time->value) : "not timed");
  for (const explain::Finding& finding : explanation.findings) {
    fmt::print("  {:<11} {:.2f} {}: {}\n", explain::claim_name(finding.claim), finding.strength, finding.cause,
               finding.sentence);
  }
}

/// Facts by the pointer to them in the object. Zeros of the code are left out: that is what is taken for missing ones.
std::map<std::string, std::string> facts_of(const std::string& file) {
  nlohmann::json object = nlohmann::json::parse(content(file));
  for (const char* key : {"findings", "path", "interactions", "path_failures", "next_steps", "roofline", "no_counters",
                          "warnings", "blocks", "noisy", "mode", "problem", "device"})
    object.erase(key);
  std::map<std::string, std::string> facts;
  const nlohmann::json flat = object.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    const bool is_code = pointer.find("/code/") != std::string::npos || pointer.find("loads/") != std::string::npos;
    if (value.is_null() || (is_code && value == 0) || pointer.ends_with("binary_hash")) continue;
    const bool is_rounded = value.is_number_float() && value.get<double>() != std::floor(value.get<double>());
    facts[pointer] = is_rounded ? fmt::format("{:.6g}", value.get<double>()) : value.dump();
  }
  return facts;
}

void print_facts(const std::vector<std::string>& files) {
  std::vector<std::map<std::string, std::string>> columns;
  std::set<std::string> pointers;
  std::string line = "fact";
  for (const std::string& file : files) {
    columns.push_back(facts_of(file));
    for (const auto& [pointer, value] : columns.back()) pointers.insert(pointer);
    line += "\t" + std::filesystem::path(file).stem().string();
  }
  fmt::print("{}\n", line);
  for (const std::string& pointer : pointers) {
    line = pointer;
    for (const auto& column : columns) {
      const auto found = column.find(pointer);
      line += "\t" + (found == column.end() ? "-" : found->second);
    }
    fmt::print("{}\n", line);
  }
}

int run(const std::vector<std::string>& words) {
  if (words.size() >= 2 && words[0] == "facts") {
    print_facts({words.begin() + 1, words.end()});
  } else if (words.size() >= 3 && words[0] == "list") {
    for (std::size_t i = 2; i < words.size(); ++i) list(words[i], known_device(words[1]));
  } else if (words.size() == 4 && words[0] == "page") {
    fmt::print("{}", bench::page_of(explained_again(words[3], known_device(words[1])), words[2]));
  } else {
    throw std::runtime_error(
        "Usage: bench_explain_recorded list DEVICE FILE.json..., page DEVICE CONDITIONS FILE.json, or facts "
        "FILE.json...");
  }
  return 0;
}

}  // namespace

int main(int count, char** words) try { return run({words + 1, words + count}); } catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 2;
}
