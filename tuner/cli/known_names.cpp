#include "tuner/cli/known_names.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "cache/file/location.hpp"
#include "cache/store/sqlite_store.hpp"
#include "search/expression/value.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/given/stores.hpp"
#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/task/problem.hpp"

namespace tuner::cli {

namespace {

/// No kernel file that people write is larger; reading one that is takes longer than they wait.
constexpr std::uintmax_t kLargestFile = std::uintmax_t{4} << 20U;
/// More values of one name are no help to choose from.
constexpr std::size_t kMostValues = 200;
/// Of more the numbers would be too many to choose from, and their rows take too long to read.
constexpr std::size_t kMostNumbered = 1000;
/// As long as a shell may wait for what another process does to the database.
constexpr std::chrono::milliseconds kPatience{20};

bool is_small_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return !error && size <= kLargestFile;
}

/// The kernel file that `word` names, or begins with before an @; empty: none.
std::filesystem::path file_in(const std::string& word) {
  if (is_small_file(word)) return word;
  const std::size_t at = word.rfind('@');
  if (at == std::string::npos || !is_small_file(word.substr(0, at))) return {};
  return word.substr(0, at);
}

/// Adds a value to a name, each once, in the order in which they come.
void add_value(std::vector<Assignable>& all, const std::string& name, const std::string& meaning,
               const std::string& value) {
  auto found = std::find_if(all.begin(), all.end(), [&](const Assignable& other) { return other.name == name; });
  if (found == all.end()) found = all.insert(all.end(), Assignable{name, meaning, {}});
  std::vector<std::string>& values = found->values;
  if (values.size() < kMostValues && !value.empty() && std::find(values.begin(), values.end(), value) == values.end())
    values.push_back(value);
}

std::vector<std::string> given_values(const UnfinishedLine& line, std::string_view option) {
  const auto found = line.given.find(option);
  return found == line.given.end() ? std::vector<std::string>() : found->second;
}

/// Words of the line that may be kernels which it is about.
std::vector<std::string> chosen_kernels(const UnfinishedLine& line) {
  std::vector<std::string> chosen = given_values(line, "kernel");
  chosen.insert(chosen.end(), line.operands.begin(), line.operands.end());
  return chosen;
}

}  // namespace

const std::vector<KernelDescription>& KnownNames::descriptions() {
  if (descriptions_) return *descriptions_;
  descriptions_.emplace();
  std::filesystem::path file = line_.option == nullptr ? file_in(line_.word) : std::filesystem::path();
  if (file.empty() && !line_.operands.empty()) file = file_in(line_.operands.front());
  try {
    if (!file.empty()) *descriptions_ = load_descriptions(file);
  } catch (const std::exception&) {
    // It is being written, or no kernel file.
  }
  const std::vector<std::string> kernel = given_values(line_, "kernel");
  const auto is_another = [&](const KernelDescription& description) { return description.kernel != kernel.back(); };
  if (!kernel.empty() && (line_.option == nullptr || line_.option->name != "kernel")) {
    std::erase_if(*descriptions_, is_another);
  }
  return *descriptions_;
}

const std::vector<cache::DecisionKey>& KnownNames::keys() {
  if (keys_) return *keys_;
  keys_.emplace();
  try {
    const std::vector<std::string> chosen = given_values(line_, "db");
    const cache::Location location = cache::locate(chosen.empty() ? "" : chosen.back());
    if (is_not_there_yet(location.decisions)) return *keys_;
    store_ = cache::SqliteStore::open(
        {.path = location.decisions, .access = cache::Access::read_only, .busy_timeout = kPatience});
    *keys_ = store_->list_keys({});
  } catch (const std::exception&) {
    // The command itself will say what is wrong with the database.
  }
  return *keys_;
}

std::vector<Completion> KnownNames::kernels() {
  std::vector<Completion> found;
  for (const KernelDescription& description : descriptions()) found.push_back({description.kernel, "in the file"});
  return found.empty() ? stored_kernels() : found;
}

std::vector<Completion> KnownNames::stored_kernels() {
  std::map<std::string, std::set<std::string>> problems;
  for (const cache::DecisionKey& key : keys()) problems[key.kernel_name].insert(key.problem);
  std::vector<Completion> found;
  for (const auto& [kernel, of_kernel] : problems) found.push_back({kernel, counted(of_kernel.size(), "problem")});
  return found;
}

std::vector<Completion> KnownNames::numbers() {
  std::vector<Completion> found;
  if (keys().empty() || keys().size() > kMostNumbered) return found;
  try {
    for (const NumberedDecision& numbered : numbered_decisions(*store_)) {
      const cache::DecisionKey& key = numbered.decision.key;
      found.push_back(
          {std::to_string(numbered.number), key.kernel_name + " " + key.problem + ", " + device_name(key.device)});
    }
  } catch (const std::exception&) {
    // As above.
  }
  return found;
}

std::vector<Completion> KnownNames::gpus() {
  std::map<std::string, std::set<std::string>> kernels;
  for (const cache::DecisionKey& key : keys()) kernels[device_name(key.device)].insert(key.kernel_name);
  std::vector<Completion> found;
  for (const auto& [name, of_gpu] : kernels) found.push_back({name, counted(of_gpu.size(), "kernel")});
  return found;
}

std::vector<Assignable> KnownNames::properties() {
  std::vector<Assignable> found;
  for (const KernelDescription& description : descriptions()) {
    for (const ProblemProperty& property : description.problem) {
      const std::string value = property.default_value ? property.default_value->text() : "";
      add_value(found, property.name, value.empty() ? "of the problem" : "of the problem, by default " + value, value);
    }
  }
  if (!found.empty()) return found;
  const std::vector<std::string> kernels = chosen_kernels(line_);
  const auto is_chosen = [&](const cache::DecisionKey& key) {
    return std::find(kernels.begin(), kernels.end(), key.kernel_name) != kernels.end();
  };
  const bool all = std::none_of(keys().begin(), keys().end(), is_chosen);
  for (const cache::DecisionKey& key : keys()) {
    if (!all && !is_chosen(key)) continue;
    try {
      for (const auto& [name, value] : parse_problem(key.problem)) {
        add_value(found, name, "of stored problems", value.text());
      }
    } catch (const std::exception&) {
      // A recording's problem is whatever its author wrote.
    }
  }
  return found;
}

std::vector<Assignable> KnownNames::parameters() {
  std::vector<Assignable> found;
  for (const KernelDescription& description : descriptions()) {
    for (const ParameterDescription& parameter : description.parameters) {
      for (const search::Value& value : parameter.parameter.values) {
        add_value(found, parameter.parameter.name, "by default " + parameter.parameter.default_value.text(),
                  value.text());
      }
    }
  }
  return found.empty() ? stored_parameters() : found;
}

std::vector<Assignable> KnownNames::stored_parameters() {
  std::vector<Assignable> found;
  const auto number_of = [](const std::string& side) { return number_in(side.substr(0, side.rfind('@'))); };
  std::optional<std::size_t> number = line_.option == nullptr ? number_of(line_.word) : std::nullopt;
  if (!number && !line_.operands.empty()) number = number_of(line_.operands.front());
  if (!number || keys().empty()) return found;
  const auto add = [&](const std::string& configuration) {
    for (const std::string& part : split_assignments(configuration)) {
      const std::size_t equals = part.find('=');
      if (equals != std::string::npos) add_value(found, part.substr(0, equals), "tried", part.substr(equals + 1));
    }
  };
  try {
    for (const NumberedDecision& numbered : numbered_decisions(*store_)) {
      if (numbered.number != number) continue;
      add(numbered.decision.configuration);
      for (const cache::Trial& trial : trials_behind(numbered.decision, *store_)) add(trial.configuration);
    }
  } catch (const std::exception&) {
    // The command itself will say what is wrong with the database.
  }
  return found;
}

std::vector<Assignable> KnownNames::buffers() {
  std::vector<Assignable> found;
  for (const KernelDescription& description : descriptions()) {
    for (const Argument& argument : description.arguments) {
      if (has_surroundings(argument.role)) add_value(found, argument.name, argument.type + " buffer", "");
    }
  }
  return found;
}

}  // namespace tuner::cli
