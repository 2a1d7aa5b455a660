#include "tuner/cli/simulate/permuted_recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "search/expression/lexer.hpp"
#include "search/strategy/prng.hpp"

namespace tuner::cli {

namespace {

using Renamed = std::map<std::string, std::string, std::less<>>;

/// Every expression text of a recording.
template <typename Visit>
void visit_expressions(engine::Recording& recording, Visit visit) {
  for (std::string& text : recording.restrictions) visit(text);
  for (auto& let : recording.lets) visit(let.second);
  for (std::string& text : recording.grid) visit(text);
  for (std::string& text : recording.block) visit(text);
  visit(recording.shared_bytes);
  visit(recording.work_bytes);
  visit(recording.work_flops);
}

void rename(std::string& text, const Renamed& renamed) {
  std::string result;
  std::size_t copied = 0;
  search::Lexer lexer(text);
  for (search::Token token = lexer.next(); token.kind != search::Token::Kind::end; token = lexer.next()) {
    if (token.kind != search::Token::Kind::name) continue;
    const auto found = renamed.find(token.text);
    if (found == renamed.end()) continue;
    result.append(text, copied, token.offset - copied);
    result += found->second;
    copied = token.offset + token.text.size();
  }
  result.append(text, copied);
  text = std::move(result);
}

/// The beginning of names that stand nowhere in the recording.
std::string unused_prefix(engine::Recording& recording) {
  std::string all = recording.problem;
  visit_expressions(recording, [&](const std::string& text) { all += ' ' + text; });
  for (const auto& [name, text] : recording.lets) all += ' ' + name;
  for (const search::Parameter& parameter : recording.parameters) {
    all += ' ' + parameter.name;
    for (const search::Value& value : parameter.values) all += ' ' + value.text();
  }
  std::string prefix = "permuted_";
  while (all.find(prefix) != std::string::npos) prefix += '_';
  return prefix;
}

}  // namespace

search::Configuration permuted(const search::Configuration& configuration, const std::vector<std::size_t>& order) {
  search::Configuration result;
  for (const std::size_t before : order) result.choice.push_back(configuration.choice[before]);
  return result;
}

PermutedRecording permuted(engine::Recording recording, std::uint64_t seed) {
  std::vector<std::size_t> order(recording.parameters.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  search::Prng prng(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[prng.below(i)]);

  const std::string prefix = unused_prefix(recording);
  Renamed renamed;
  std::vector<search::Parameter> parameters;
  for (std::size_t i = 0; i < order.size(); ++i) {
    search::Parameter parameter = std::move(recording.parameters[order[i]]);
    const std::string name = fmt::format("{}{}", prefix, i);
    renamed.emplace(std::exchange(parameter.name, name), name);
    parameters.push_back(std::move(parameter));
  }
  recording.parameters = std::move(parameters);
  try {
    visit_expressions(recording, [&](std::string& text) { rename(text, renamed); });
  } catch (const search::ExpressionError& error) {
    throw Error(Errc::bad_recording, fmt::format("{}: {}", recording.file.string(), error.what()));
  }
  for (engine::RecordedTrial& trial : recording.trials) trial.configuration = permuted(trial.configuration, order);
  if (recording.baseline) recording.baseline = permuted(*recording.baseline, order);
  return {std::move(recording), std::move(order)};
}

}  // namespace tuner::cli
