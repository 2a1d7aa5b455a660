#include "search/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <numeric>

#include "search/arithmetic.hpp"
#include "search/enumeration.hpp"
#include "search/evaluator.hpp"
#include "search/messages.hpp"
#include "search/packed_rows.hpp"
#include "search/tree.hpp"

namespace tuner::search {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr std::size_t kMostValues = std::size_t{1} << 31;

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(Errc::bad_usage, sentence);
}

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

struct Space::Valid {
  std::once_flag listed;
  PackedRows rows;
  std::string why_empty;
};

Space::Space(std::vector<Parameter> parameters, std::vector<Constraint> constraints, Scope constants, Listing listing)
    : parameters_(std::move(parameters)),
      constraints_(std::move(constraints)),
      constants_(std::move(constants)),
      valid_(std::make_shared<Valid>()) {
  check_parameters();
  if (listing == Listing::at_once) valid();
}

const Space::Valid& Space::valid() const {
  std::call_once(valid_->listed, [this] { enumerate(*valid_); });
  return *valid_;
}

void Space::enumerate(Valid& valid) const {
  std::vector<std::size_t> counts;
  for (const Parameter& parameter : parameters_) counts.push_back(parameter.values.size());
  PackedRows rows(counts);
  Enumeration enumeration(parameters_, constraints_, constants_);
  enumeration.run([&](std::span<const std::uint32_t> choice) {
    rows.push(choice);
    if (rows.bytes() > kMostBytes) {
      refuse(fmt::format("The space has more than {} valid configurations; add constraints or remove values.",
                         rows.size() - 1));
    }
    return true;
  });
  if (rows.size() == 0) valid.why_empty = explain_empty(enumeration);
  valid.rows = std::move(rows);
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
      refuse(fmt::format("`{}` cannot name a parameter: a name has no blanks and none of = , \".", parameter.name));
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

/// The constraint that leaves nothing is the last of the fewest constraints that together cannot be satisfied.
std::string Space::explain_empty(Enumeration& enumeration) const {
  std::size_t satisfiable = 0;
  std::size_t empty = constraints_.size();
  while (empty - satisfiable > 1) {
    const std::size_t middle = satisfiable + (empty - satisfiable) / 2;
    (enumeration.satisfiable(middle) ? satisfiable : empty) = middle;
  }
  const std::size_t culprit = empty - 1;
  const std::string what = describe(constraints_[culprit]);
  const std::vector<std::string> used = enumeration.parameters_of(culprit);
  if (used.empty()) {
    return fmt::format("No configuration is valid: {} uses no parameter and is false.", what);
  }
  return fmt::format("No configuration is valid: {} rejects {}; change it, or the values of {}.", what,
                     culprit == 0 ? "every one" : "every one that the constraints before it accept",
                     fmt::join(used, ", "));
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
  return valid().rows.size();
}

double Space::cartesian_size() const {
  double product = 1;
  for (const Parameter& parameter : parameters_) product *= static_cast<double>(parameter.values.size());
  return product;
}

Configuration Space::at(std::uint64_t index) const {
  if (index >= size()) {
    throw Error(Errc::internal, fmt::format("Configuration {} of a space of {} was asked for.", index, size()));
  }
  Configuration result;
  result.choice.resize(parameters_.size());
  valid().rows.read(index, result.choice);
  return result;
}

std::optional<std::uint64_t> Space::index_of(const Configuration& configuration) const {
  if (!fits(configuration)) return std::nullopt;
  return valid().rows.find(configuration.choice);
}

bool Space::contains(const Configuration& configuration) const {
  return index_of(configuration).has_value();
}

std::vector<Configuration> Space::neighbours(const Configuration& configuration, Neighbourhood neighbourhood) const {
  require_fit(configuration);
  std::vector<Configuration> result;
  Configuration candidate = configuration;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const auto count = static_cast<std::uint32_t>(parameters_[i].values.size());
    const std::uint32_t here = configuration.choice[i];
    const bool near = neighbourhood == Neighbourhood::adjacent;
    const std::uint32_t first = near && here > 0 ? here - 1 : (near ? here : 0);
    const std::uint32_t last = near ? std::min(here + 1, count - 1) : count - 1;
    for (std::uint32_t choice = first; choice <= last; ++choice) {
      candidate.choice[i] = choice;
      if (choice != here && contains(candidate)) result.push_back(candidate);
    }
    candidate.choice[i] = here;
  }
  return result;
}

Configuration Space::defaults() const {
  return {defaults_};
}

std::optional<std::string> Space::why_invalid(const Configuration& configuration) const {
  const Scope names = scope(configuration);
  std::exception_ptr fault;
  for (const Constraint& constraint : constraints_) {
    const ExpressionTree& tree = constraint.expression.tree();
    for (const NodeId root : conjuncts(tree, tree.root)) {
      try {
        const Operand result = evaluate(tree, root, names);
        if (truth(result, tree.site(tree.nodes[root].offset))) continue;
        return fmt::format("{} violates {}.", text(configuration), describe(constraint));
      } catch (const ExpressionError&) {
        if (!fault) fault = std::current_exception();
      }
    }
  }
  if (fault) std::rethrow_exception(fault);
  return std::nullopt;
}

std::string Space::why_empty() const {
  return valid().why_empty;
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
