#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/sizes/sizes.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr std::size_t kMostBytes = 16 << 20;
constexpr std::size_t kMostEntries = 10'000;
constexpr std::size_t kDeepest = 64;

[[noreturn]] void damaged(const std::string& what) {
  throw Error(Errc::store_damaged,
              fmt::format("What is stored of a kernel's sizes is damaged: {}. Tune its problems together again.",
                          one_line(what, 200)));
}

Json to_json(const SizesPortfolio& portfolio) {
  return {{"members", portfolio.members},
          {"mean_loss", portfolio.mean_loss},
          {"worst_loss", portfolio.worst_loss},
          {"exact", portfolio.exact}};
}

Json to_json(const search::RuleNode& node) {
  if (const auto* leaf = std::get_if<search::RuleLeaf>(&node)) {
    return {{"configuration", leaf->configuration},
            {"expected_loss", leaf->expected_loss},
            {"problems", leaf->problems},
            {"nearest", leaf->nearest}};
  }
  const auto& question = std::get<search::RuleQuestion>(node);
  return {{"expression", question.expression.text()},
          {"at_most", question.threshold},
          {"yes", question.yes},
          {"no", question.no}};
}

Json to_json(const search::DomainRange& range) {
  Json json{{"property", range.property}, {"names", range.names}};
  if (range.least <= range.most) {
    json["least"] = range.least;
    json["most"] = range.most;
  }
  return json;
}

Json to_json(const search::RuleValidation& validation) {
  return {{"problems", validation.problems},         {"rule_mean", validation.rule_mean},
          {"rule_worst", validation.rule_worst},     {"compared", validation.compared},
          {"nearest_mean", validation.nearest_mean}, {"nearest_worst", validation.nearest_worst}};
}

/// A value in the text and its name, for sentences.
class Reader {
 public:
  Reader(const Json& json, std::string name) : json_(json), name_(std::move(name)) {}

  bool has(const char* key) const { return json_.is_object() && json_.contains(key); }
  Reader at(const char* key) const {
    if (!has(key)) damaged(fmt::format("{} has no \"{}\"", name_, key));
    return {json_.at(key), key};
  }
  std::string text() const {
    if (!json_.is_string()) damaged(fmt::format("\"{}\" is no text", name_));
    return json_.get<std::string>();
  }
  bool boolean() const {
    if (!json_.is_boolean()) damaged(fmt::format("\"{}\" is neither true nor false", name_));
    return json_.get<bool>();
  }
  double real() const {
    if (!json_.is_number()) damaged(fmt::format("\"{}\" is no number", name_));
    return json_.get<double>();
  }
  double loss() const {
    const double loss = real();
    if (loss < 0) damaged(fmt::format("\"{}\" is below zero", name_));
    return loss;
  }
  std::size_t count(std::size_t below) const {
    if (!json_.is_number_unsigned() || json_.get<std::uint64_t>() >= below) {
      damaged(fmt::format("\"{}\" is no whole number below {}", name_, below));
    }
    return json_.get<std::size_t>();
  }
  std::int64_t row() const {
    if (!json_.is_number_integer()) damaged(fmt::format("\"{}\" is no whole number", name_));
    return json_.get<std::int64_t>();
  }
  template <class Read>
  auto list(Read read) const {
    if (!json_.is_array() || json_.size() > kMostEntries) damaged(fmt::format("\"{}\" is no list", name_));
    std::vector<decltype(read(*this))> result;
    for (const Json& entry : json_) result.push_back(read(Reader(entry, name_)));
    return result;
  }

 private:
  const Json& json_;
  std::string name_;
};

std::string read_text(const Reader& json) {
  return json.text();
}

SizesPortfolio read_portfolio(const Reader& json, std::size_t configurations) {
  SizesPortfolio portfolio;
  portfolio.members = json.at("members").list([&](const Reader& member) { return member.count(configurations); });
  if (!std::is_sorted(portfolio.members.begin(), portfolio.members.end(), std::less_equal<>())) {
    damaged("the members of a portfolio are not in order");
  }
  portfolio.mean_loss = json.at("mean_loss").loss();
  portfolio.worst_loss = json.at("worst_loss").loss();
  portfolio.exact = json.at("exact").boolean();
  return portfolio;
}

TunedSize read_problem(const Reader& json, std::size_t configurations) {
  TunedSize tuned;
  tuned.problem = parse_problem(json.at("problem").text());
  tuned.decision = json.at("decision").row();
  tuned.weight = json.at("weight").real();
  if (json.has("member")) tuned.member = json.at("member").count(configurations);
  tuned.loss = json.at("loss").loss();
  return tuned;
}

search::RuleNode read_node(const Reader& json, std::size_t configurations) {
  if (json.has("configuration")) {
    return search::RuleLeaf{json.at("configuration").count(configurations), json.at("expected_loss").loss(),
                            json.at("problems").count(kMostEntries), json.at("nearest").boolean()};
  }
  return search::RuleQuestion{search::Expression::parse(json.at("expression").text()), json.at("at_most").real(),
                              json.at("yes").count(kMostEntries), json.at("no").count(kMostEntries)};
}

/// Every node but the first belongs to one question before it.
void check_tree(const std::vector<search::RuleNode>& nodes) {
  std::vector<std::size_t> depths(nodes.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0 && depths[i] == 0) damaged("a node of the rule belongs to no question");
    const auto* question = std::get_if<search::RuleQuestion>(&nodes[i]);
    if (question == nullptr) continue;
    for (const std::size_t below : {question->yes, question->no}) {
      if (below <= i || below >= nodes.size() || depths[below] != 0) damaged("the rule is not a tree");
      depths[below] = depths[i] + 1;
      if (depths[below] > kDeepest) damaged("the rule is too deep");
    }
  }
}

search::DomainRange read_range(const Reader& json) {
  search::DomainRange range{json.at("property").text(), 1, 0, json.at("names").list(read_text)};
  if (json.has("least")) {
    range.least = json.at("least").real();
    range.most = json.at("most").real();
  }
  if (!std::is_sorted(range.names.begin(), range.names.end())) damaged("the names of a property are not in order");
  return range;
}

search::RuleValidation read_validation(const Reader& json) {
  search::RuleValidation validation;
  validation.problems = json.at("problems").count(kMostEntries + 1);
  validation.rule_mean = json.at("rule_mean").loss();
  validation.rule_worst = json.at("rule_worst").loss();
  validation.compared = json.at("compared").count(kMostEntries + 1);
  validation.nearest_mean = json.at("nearest_mean").loss();
  validation.nearest_worst = json.at("nearest_worst").loss();
  return validation;
}

KernelSizes read_sizes(const Reader& json) {
  KernelSizes sizes;
  sizes.kernel = json.at("kernel").text();
  sizes.device = json.at("device").text();
  sizes.mode = json.at("mode").text();
  sizes.configurations = json.at("configurations").list(read_text);
  const std::size_t count = sizes.configurations.size();
  sizes.problems = json.at("problems").list([&](const Reader& problem) { return read_problem(problem, count); });
  sizes.within = json.at("within").loss();
  sizes.portfolio = read_portfolio(json.at("portfolio"), count);
  sizes.curve = json.at("curve").list([&](const Reader& portfolio) { return read_portfolio(portfolio, count); });
  sizes.rule.nodes = json.at("rule").list([&](const Reader& node) { return read_node(node, count); });
  check_tree(sizes.rule.nodes);
  sizes.rule.domain = json.at("domain").list(read_range);
  sizes.validation = read_validation(json.at("validation"));
  return sizes;
}

}  // namespace

std::string sizes_json(const KernelSizes& sizes) {
  Json problems = Json::array(), curve = Json::array(), rule = Json::array(), domain = Json::array();
  for (const TunedSize& tuned : sizes.problems) {
    Json problem{{"problem", problem_text(tuned.problem)}, {"decision", tuned.decision}, {"weight", tuned.weight}};
    if (tuned.member) problem["member"] = *tuned.member;
    problem["loss"] = tuned.loss;
    problems.push_back(std::move(problem));
  }
  for (const SizesPortfolio& portfolio : sizes.curve) curve.push_back(to_json(portfolio));
  for (const search::RuleNode& node : sizes.rule.nodes) rule.push_back(to_json(node));
  for (const search::DomainRange& range : sizes.rule.domain) domain.push_back(to_json(range));
  const Json json{{"format", kFormat},
                  {"kernel", sizes.kernel},
                  {"device", sizes.device},
                  {"mode", sizes.mode},
                  {"configurations", sizes.configurations},
                  {"problems", std::move(problems)},
                  {"within", sizes.within},
                  {"portfolio", to_json(sizes.portfolio)},
                  {"curve", std::move(curve)},
                  {"rule", std::move(rule)},
                  {"domain", std::move(domain)},
                  {"validation", to_json(sizes.validation)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

KernelSizes sizes_from_json(std::string_view text) {
  if (text.size() > kMostBytes) damaged("it is longer than 16 MiB");
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) damaged("it is no JSON object");
  const Reader reader(json, "it");
  const std::int64_t format = reader.at("format").row();
  if (format > kFormat) {
    throw Error(Errc::store_newer,
                fmt::format("What is stored of a kernel's sizes has format {}, and this program knows "
                            "{}; use the newer program that wrote it.",
                            format, kFormat));
  }
  if (format != kFormat) damaged(fmt::format("format {} never existed", format));
  try {
    return read_sizes(reader);
  } catch (const Error& error) {
    if (error.code() == Errc::store_damaged) throw;
    damaged(error.what());  // an expression or a problem that cannot be read
  }
}

}  // namespace tuner
