#include "tuner/host/problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "tuner/error.hpp"

namespace tuner::host {
namespace {

constexpr std::size_t kMostProblems = 7;
/// What the baseline may take of a problem; other configurations take more.
struct Cost {
  double threads = 0, bytes = 0, flops = 0;
  bool is_within(const Cost& most) const {
    return threads <= most.threads && bytes <= most.bytes && flops <= most.flops;
  }
};
constexpr Cost kQuick{1 << 13, 4 << 20, 1 << 24};
/// Of the only problems that there are: seconds.
constexpr Cost kMost{1 << 21, 1 << 28, 1 << 28};
constexpr std::size_t kMostSlowProblems = 2;
/// What numbers that are no sizes are divided by where nothing else is small enough.
constexpr std::array<std::int64_t, 7> kDivisors{1, 4, 16, 64, 256, 1024, 4096};

/// Tried in this order; a kernel with more sizes than a row has takes its numbers again from the beginning.
constexpr std::array<std::array<std::int64_t, 3>, 16> kSizes{{{1, 1, 1},
                                                              {37, 41, 43},
                                                              {129, 3, 17},
                                                              {3, 130, 5},
                                                              {64, 64, 64},
                                                              {1000, 31, 2},
                                                              {0, 5, 7},
                                                              {2, 2, 2},
                                                              {8, 8, 8},
                                                              {16, 16, 16},
                                                              {32, 32, 32},
                                                              {128, 128, 128},
                                                              {256, 256, 256},
                                                              {512, 512, 512},
                                                              {1024, 1024, 1024},
                                                              {4096, 4096, 4096}}};

Cost cost_of(const Task& task, const search::Configuration& baseline) {
  Cost cost{1, 0, task.work_flops(baseline).value_or(0)};
  const Geometry geometry = task.geometry(baseline);
  for (int i = 0; i < 3; ++i) cost.threads *= static_cast<double>(geometry.grid[i]) * geometry.block[i];
  for (const BoundArgument& argument : task.arguments())
    cost.bytes += static_cast<double>(argument.length) * argument.lanes * static_cast<double>(size_of(argument.type));
  return cost;
}

/// Collects what the description accepts, and why it does not accept the rest.
class Derivation {
 public:
  Derivation(const std::shared_ptr<const KernelDescription>& description, const DeviceInfo& device,
             const std::vector<std::filesystem::path>& include_folders)
      : description_(description), device_(device), include_folders_(include_folders) {
    for (const ProblemProperty& property : description->problem) {
      if (property.kind == ProblemProperty::Kind::size)
        sizes_.push_back(property.name);
      else if (property.default_value && property.default_value->is_integer())
        numbers_.emplace_back(property.name, property.default_value->as_integer());
    }
  }

  std::vector<ProblemValues> problems() {
    for (const std::int64_t divisor : kDivisors) {
      for (const auto& row : kSizes) {
        if (quick_.size() == kMostProblems) return quick_;
        look_at_orders_of(row, divisor);
        if (sizes_.empty()) break;
      }
      if (!quick_.empty()) return quick_;
      if (numbers_.empty()) break;
    }
    if (slow_.empty()) refuse();
    return least_of_slow();
  }

 private:
  /// Of those with the fewest threads one that is not even, and the largest: where all problems have as many threads,
  /// as with a fixed grid, one must be larger than a block.
  std::vector<ProblemValues> least_of_slow() {
    std::stable_sort(slow_.begin(), slow_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto is_more = [&](const auto& one) { return one.first > slow_.front().first; };
    const auto equal = static_cast<std::size_t>(std::find_if(slow_.begin(), slow_.end(), is_more) - slow_.begin());
    if (equal > kMostSlowProblems) return {slow_[1].second, slow_[equal - 1].second};
    std::vector<ProblemValues> least;
    for (std::size_t i = 0; i < std::min(slow_.size(), kMostSlowProblems); ++i) least.push_back(slow_[i].second);
    return least;
  }

  /// In the order that the row has, or the first that the description accepts: of a width and a pitch one must not be
  /// the smaller one.
  void look_at_orders_of(const std::array<std::int64_t, 3>& row, std::int64_t divisor) {
    std::array<std::size_t, 3> order{0, 1, 2};
    do {
      if (is_accepted({row[order[0]], row[order[1]], row[order[2]]}, divisor)) return;
    } while (sizes_.size() > 1 && row[0] != row[1] && std::next_permutation(order.begin(), order.end()));
  }

  bool is_accepted(const std::array<std::int64_t, 3>& row, std::int64_t divisor) {
    ProblemValues values;
    for (std::size_t i = 0; i < sizes_.size(); ++i) values[sizes_[i]] = search::Value(row[i % row.size()]);
    for (const auto& [name, number] : numbers_) {
      if (divisor > 1 && number > divisor) values[name] = search::Value(number / divisor);
    }
    if (!known_.insert(problem_text(values)).second) return true;
    try {
      const Task task(description_, values, device_, {}, include_folders_, search::Listing::when_needed);
      const std::optional<search::Configuration> baseline = task.baseline();
      if (!baseline) {
        note_excluded(task);
        return false;
      }
      const Cost cost = cost_of(task, *baseline);
      if (cost.is_within(kQuick))
        quick_.push_back(std::move(values));
      else if (cost.is_within(kMost))
        slow_.emplace_back(cost.threads, std::move(values));
      else
        is_any_too_large_ = true;
      return true;
    } catch (const Error& error) {
      reason_ = error.what();
      return false;
    }
  }

  void note_excluded(const Task& task) {
    if (!excluded_.empty()) return;
    const search::Configuration defaults = task.space().defaults();
    excluded_ = fmt::format("{}: {}", task.space().text(defaults), task.space().why_invalid(defaults).value_or(""));
  }

  [[noreturn]] void refuse() const {
    const std::string& kernel = description_->kernel;
    if (description_->is_from_t1()) {
      throw Error(Errc::bad_problem,
                  fmt::format("The sizes of the kernel `{}` are fixed by its T1 file, and take long on a CPU: lower "
                              "ProblemSize, Size and FillValue in a copy of the file, or give exactly these sizes with "
                              "--problem.{}{}",
                              kernel, reason_.empty() ? "" : " The last one that was tried: ", reason_));
    }
    if (!excluded_.empty() && !is_any_too_large_) {
      throw Error(
          Errc::bad_problem,
          fmt::format("The kernel `{}` has no small problem that its constraints allow with the defaults of its "
                      "parameters, {} Change a `default` or the constraint, or give a problem with --problem.",
                      kernel, excluded_));
    }
    if (sizes_.empty() && reason_.empty()) {
      throw Error(Errc::bad_problem,
                  fmt::format("The problem of the kernel `{}` has no size that could be reduced, and takes long on a "
                              "CPU: describe a smaller one, or give it with --problem.",
                              kernel));
    }
    throw Error(Errc::bad_problem,
                fmt::format("No small problem for the kernel `{}` could be derived: give one with --problem.{}{}",
                            kernel, reason_.empty() ? "" : " The last one that was tried: ", reason_));
  }

  const std::shared_ptr<const KernelDescription>& description_;
  const DeviceInfo& device_;
  const std::vector<std::filesystem::path>& include_folders_;
  std::vector<std::string> sizes_;
  std::vector<std::pair<std::string, std::int64_t>> numbers_;  ///< that are no sizes
  std::set<std::string> known_;
  std::vector<ProblemValues> quick_;
  std::vector<std::pair<double, ProblemValues>> slow_;  ///< with the threads
  std::string reason_;                                  ///< what is wrong with the last that was refused
  std::string excluded_;                                ///< the defaults, and which constraint excludes them
  bool is_any_too_large_ = false;
};

}  // namespace

std::vector<ProblemValues> small_problems(const std::shared_ptr<const KernelDescription>& description,
                                          const DeviceInfo& device,
                                          const std::vector<std::filesystem::path>& include_folders) {
  return Derivation(description, device, include_folders).problems();
}

std::optional<ProblemValues> problem_of_files(const KernelDescription& description) {
  const auto has_file = [](const Argument& argument) { return argument.expected.has_value(); };
  if (std::none_of(description.arguments.begin(), description.arguments.end(), has_file)) return std::nullopt;
  ProblemValues values;
  for (const ProblemProperty& property : description.problem) {
    if (!property.default_value) return std::nullopt;
    values[property.name] = *property.default_value;
  }
  return values;
}

}  // namespace tuner::host
