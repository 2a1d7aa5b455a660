#include "search/space/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <numeric>

#include "search/expression/arithmetic.hpp"
#include "search/expression/evaluator.hpp"
#include "search/expression/messages.hpp"
#include "search/expression/quoting.hpp"
#include "search/expression/tree.hpp"
#include "search/space/space_parts.hpp"

namespace tuner::search {
namespace {

constexpr std::size_t kMostValues = std::size_t{1} << 31;

/// Canonical text is `NAME=value,NAME=value`, so a name holds none of what structures it.
bool is_parameter_name(std::string_view name) {
  return !name.empty() && std::none_of(name.begin(), name.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x20 || byte == 0x7f || c == '=' || c == ',' || c == '"';
  });
}

void check_values(const Parameter& parameter) {
  if (parameter.values.empty()) {
    refuse(fmt::format("The parameter `{}` has no values; give it at least one.", parameter.name));
  }
  if (parameter.values.size() > kMostValues)
    refuse(fmt::format("The parameter `{}` has too many values.", parameter.name));
  std::vector<std::string> texts;
  for (const Value& value : parameter.values) texts.push_back(value.text());
  std::sort(texts.begin(), texts.end());
  const auto twice = std::adjacent_find(texts.begin(), texts.end());
  if (twice != texts.end()) {
    refuse(fmt::format("The parameter `{}` lists the value {} twice; remove one.", parameter.name, *twice));
  }
}

}  // namespace

void refuse(const std::string& sentence) {
  throw Error(Errc::bad_usage, with_short_quotations(sentence));
}

Space::Space(std::vector<Parameter> parameters, std::vector<Constraint> constraints, Scope constants, Listing listing)
    : parameters_(std::move(parameters)),
      constraints_(std::move(constraints)),
      constants_(std::move(constants)),
      parts_(std::make_shared<SpaceParts>()) {
  check_parameters();
  if (listing == Listing::at_once) valid();
}

Space::Space(std::vector<Parameter> parameters, std::shared_ptr<const std::vector<Configuration>> rows,
             std::vector<Constraint> constraints, Scope constants, Listing listing)
    : Space(std::move(parameters), std::move(constraints), std::move(constants), Listing::when_needed) {
  const bool are_in_order = std::adjacent_find(rows->begin(), rows->end(), std::greater_equal<>()) == rows->end();
  if (!are_in_order || !std::all_of(rows->begin(), rows->end(), [this](const auto& row) { return fits(row); })) {
    throw Error(Errc::internal, "A space was given configurations out of order, or of another space.");
  }
  rows_ = std::move(rows);
  if (listing == Listing::at_once) valid();
}

Space Space::with_value(std::size_t parameter, std::uint32_t position) const {
  std::vector<Parameter> parameters = parameters_;
  Parameter& fixed = parameters[parameter];
  fixed.values = {Value(fixed.values[position])};
  fixed.default_value = fixed.values.front();
  if (!rows_) return Space(std::move(parameters), constraints_, constants_);
  auto rows = std::make_shared<std::vector<Configuration>>();
  for (const Configuration& row : *rows_) {
    if (row.choice[parameter] == position) rows->emplace_back(row).choice[parameter] = 0;
  }
  return Space(std::move(parameters), std::move(rows), constraints_, constants_);
}

void Space::check_parameters() {
  sorted_by_name_.resize(parameters_.size());
  std::iota(sorted_by_name_.begin(), sorted_by_name_.end(), std::uint32_t{0});
  std::sort(sorted_by_name_.begin(), sorted_by_name_.end(),
            [this](std::uint32_t a, std::uint32_t b) { return parameters_[a].name < parameters_[b].name; });
  for (std::size_t i = 1; i < sorted_by_name_.size(); ++i) {
    const std::string& name = parameters_[sorted_by_name_[i]].name;
    if (name == parameters_[sorted_by_name_[i - 1]].name) {
      refuse(fmt::format("The parameter `{}` is declared twice; rename or remove one.", name));
    }
  }
  for (const Parameter& parameter : parameters_) {
    if (!is_parameter_name(parameter.name)) {
      refuse(fmt::format("`{}` cannot be the name of a parameter: names contain no blanks and none of = , \".",
                         parameter.name));
    }
    check_values(parameter);
    const std::optional<std::uint32_t> position = parameter.position_of(parameter.default_value);
    if (!position) {
      refuse(fmt::format("The default {} of the parameter `{}` is not one of its values; add it or choose another.",
                         parameter.default_value.text(), parameter.name));
    }
    defaults_.push_back(*position);
  }
}

std::span<const Parameter> Space::parameters() const {
  return parameters_;
}
std::span<const Constraint> Space::constraints() const {
  return constraints_;
}
const Scope& Space::constants() const {
  return constants_;
}
std::uint64_t Space::size() const {
  return valid().size();
}

double Space::cartesian_size() const {
  double product = 1;
  for (const Parameter& parameter : parameters_) product *= static_cast<double>(parameter.values.size());
  return product;
}

Configuration Space::at(std::uint64_t index) const {
  const ValidSet& valid = this->valid();
  if (index >= valid.size()) {
    throw Error(Errc::internal, fmt::format("Configuration {} was requested from a space of {}.", index, valid.size()));
  }
  Configuration result;
  result.choice.resize(parameters_.size());
  valid.read(index, result.choice);
  return result;
}

std::optional<std::uint64_t> Space::index_of(const Configuration& configuration) const {
  if (!fits(configuration)) return std::nullopt;
  return valid().find(configuration.choice);
}

Configuration Space::at_point(std::span<const double> point) const {
  if (point.size() != parameters_.size() || size() == 0) {
    throw Error(Errc::internal, "A point was mapped to a space that is empty or has another number of parameters.");
  }
  Configuration result;
  result.choice.resize(parameters_.size());
  valid().read_point(point, result.choice);
  return result;
}

std::size_t Space::terms() const {
  return program().terms().size();
}

void Space::terms(const Configuration& configuration, std::span<double> out) const {
  require_fit(configuration);
  program().terms(configuration.choice, out);
}

bool Space::contains(const Configuration& configuration) const {
  return index_of(configuration).has_value();
}

std::vector<Configuration> Space::neighbours(const Configuration& configuration, Neighbourhood neighbourhood) const {
  require_fit(configuration);
  return valid().neighbours(configuration, neighbourhood);
}

Configuration Space::defaults() const {
  return {defaults_};
}

std::optional<std::string> Space::why_invalid(const Configuration& configuration) const {
  if (auto violation = violated(configuration, constraints_.size())) return violation;
  if (!rows_ || std::binary_search(rows_->begin(), rows_->end(), configuration)) return std::nullopt;
  return fmt::format("{} is none of the {} configurations that there are.", text(configuration), rows_->size());
}

/// Of the first constraints.
std::optional<std::string> Space::violated(const Configuration& configuration, std::size_t count) const {
  const Scope names = scope(configuration);
  std::exception_ptr fault;
  for (const Constraint& constraint : std::span(constraints_).first(count)) {
    const ExpressionTree& tree = constraint.expression.tree();
    for (const NodeId root : conjuncts(tree, tree.root)) {
      try {
        const Operand result = evaluate(tree, root, names);
        if (truth(result, tree.site(tree.nodes[root].offset))) continue;
        return fmt::format("{} violates {}.", text(configuration), describe(constraint));
      } catch (const ExpressionError&) {
        if (!fault && !constraint.holds_where_undefined) fault = std::current_exception();
      }
    }
  }
  if (fault) std::rethrow_exception(fault);
  return std::nullopt;
}

const Value& Space::value(const Configuration& configuration, std::size_t parameter) const {
  require_fit(configuration);
  return parameters_.at(parameter).values[configuration.choice[parameter]];
}

Scope Space::scope(const Configuration& configuration) const {
  require_fit(configuration);
  Scope result(&constants_);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    result.set(parameters_[i].name, parameters_[i].values[configuration.choice[i]]);
  }
  return result;
}

bool Space::fits(const Configuration& configuration) const {
  if (configuration.choice.size() != parameters_.size()) return false;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (configuration.choice[i] >= parameters_[i].values.size()) return false;
  }
  return true;
}

void Space::require_fit(const Configuration& configuration) const {
  if (!fits(configuration))
    throw Error(Errc::internal, "A configuration was used with a space that it does not belong to.");
}

}  // namespace tuner::search
