#include "search/space/changes.hpp"

#include <algorithm>

namespace tuner::search {
namespace {

constexpr std::size_t kMostTogether = 4;

class Changes {
 public:
  Changes(const Configuration& from, const Configuration& to, const std::function<bool(const Configuration&)>& accepts)
      : from_(from), to_(to), accepts_(accepts), differing_(differing(from, to)) {}

  std::vector<Change> smallest() {
    std::vector<Change> found;
    for (const std::size_t parameter : differing_) {
      Change change = smallest_with(parameter);
      if (std::find(found.begin(), found.end(), change) == found.end()) found.push_back(std::move(change));
    }
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  Change smallest_with(std::size_t parameter) {
    for (std::size_t size = 1; size <= std::min(kMostTogether, differing_.size()); ++size) {
      Change change{parameter};
      if (complete(change, size, 0)) return change;
    }
    return differing_;
  }

  /// Adds parameters from the position `next` on until the change has `size` of them and is accepted.
  bool complete(Change& change, std::size_t size, std::size_t next) {
    if (change.size() == size) {
      Change sorted = change;
      std::sort(sorted.begin(), sorted.end());
      if (!accepts_(changed(from_, to_, sorted))) return false;
      change = std::move(sorted);
      return true;
    }
    for (std::size_t i = next; i < differing_.size(); ++i) {
      if (differing_[i] == change.front()) continue;
      change.push_back(differing_[i]);
      if (complete(change, size, i + 1)) return true;
      change.pop_back();
    }
    return false;
  }

  const Configuration& from_;
  const Configuration& to_;
  const std::function<bool(const Configuration&)>& accepts_;
  const Change differing_;
};

}  // namespace

Change differing(const Configuration& from, const Configuration& to) {
  Change parameters;
  for (std::size_t i = 0; i < from.choice.size(); ++i) {
    if (from.choice[i] != to.choice[i]) parameters.push_back(i);
  }
  return parameters;
}

Configuration changed(const Configuration& from, const Configuration& to, const Change& change) {
  Configuration result = from;
  for (const std::size_t parameter : change) result.choice[parameter] = to.choice[parameter];
  return result;
}

std::vector<Change> smallest_changes(const Configuration& from, const Configuration& to,
                                     const std::function<bool(const Configuration&)>& accepts) {
  return Changes(from, to, accepts).smallest();
}

}  // namespace tuner::search
