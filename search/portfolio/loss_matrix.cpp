#include "search/portfolio/loss_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/error.hpp"

namespace tuner::search {
namespace {

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(Errc::internal, sentence);
}

void require_positive(double number, const char* what) {
  if (std::isfinite(number) && number > 0) return;
  refuse(fmt::format("A {} of {} is not a finite number above zero; leave out what was not measured.", what, number));
}

}  // namespace

LossMatrix::LossMatrix(const std::vector<std::vector<std::optional<double>>>& times_ns, std::vector<double> weights)
    : configurations_(times_ns.empty() ? 0 : times_ns.front().size()), weights_(std::move(weights)) {
  if (weights_.empty()) weights_.assign(times_ns.size(), 1.0);
  if (weights_.size() != times_ns.size()) {
    refuse(fmt::format("There are {} weights for {} problems; give one for each.", weights_.size(), times_ns.size()));
  }
  for (const double weight : weights_) require_positive(weight, "weight");
  losses_.assign(problems() * configurations_, kUnknown);
  for (std::size_t problem = 0; problem < problems(); ++problem) {
    const auto& times = times_ns[problem];
    if (times.size() != configurations_) {
      refuse(fmt::format("Problem {} has times of {} configurations instead of {}.", problem, times.size(),
                         configurations_));
    }
    double least = kUnknown;
    for (const std::optional<double>& time : times) {
      if (!time) continue;
      require_positive(*time, "time");
      least = std::min(least, *time);
    }
    for (std::size_t i = 0; i < configurations_; ++i) {
      if (times[i]) losses_[i * problems() + problem] = *times[i] / least - 1;
    }
  }
  find_best();
}

void LossMatrix::find_best() {
  best_.assign(problems(), std::nullopt);
  for (std::size_t problem = 0; problem < problems(); ++problem) {
    for (std::size_t i = 0; i < configurations_ && !best_[problem]; ++i) {
      if (loss(problem, i) == 0) best_[problem] = i;
    }
  }
}

double LossMatrix::loss_or_worst(std::size_t problem, std::size_t configuration) const {
  if (loss(problem, configuration) < kUnknown) return loss(problem, configuration);
  double worst = kLeastUnknown;
  for (std::size_t i = 0; i < configurations_; ++i) {
    if (loss(problem, i) < kUnknown) worst = std::max(worst, loss(problem, i));
  }
  return worst;
}

LossMatrix LossMatrix::of_problems(std::span<const std::size_t> problems) const {
  LossMatrix part;
  part.configurations_ = configurations_;
  for (const std::size_t problem : problems) part.weights_.push_back(weight(problem));
  for (std::size_t i = 0; i < configurations_; ++i) {
    for (const std::size_t problem : problems) part.losses_.push_back(loss(problem, i));
  }
  part.find_best();
  return part;
}

}  // namespace tuner::search
