#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "search/rule/lesson.hpp"
#include "search/strategy/prng.hpp"

namespace tuner::search {

/// Draws problems that could have been among those of a lesson, but are not: between two of them, of which half the
/// time one is near the other, and as divisible as one of the two. Each property is, half the time, that of one of the
/// two: sizes of an application often differ in one of them only. The same lesson and points give the same problems.
class Sampler {
 public:
  /// `points` of the lesson, which must outlive this.
  Sampler(const Lesson& lesson, std::vector<std::size_t> points);

  struct Sample {
    PropertyValues problem;
    LessonPoint point;  ///< its values and weight, without costs
  };
  /// Nothing if a few attempts in a row gave no other problem that every feature can be evaluated for.
  std::optional<Sample> next();

 private:
  PropertyValues between(const PropertyValues& a, const PropertyValues& b);
  Value between(const Value& a, const Value& b, double share);

  const Lesson& lesson_;
  std::vector<std::size_t> points_;
  std::vector<std::vector<std::size_t>> near_;  ///< by place in points_, those nearest to it
  std::set<std::string> varying_;               ///< properties that are not the same for all points
  Prng prng_{20};
};

}  // namespace tuner::search
