#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::host {

/// What a kernel did wrong. docs/checking.md explains each.
enum class FindingKind {
  out_of_bounds_read,
  out_of_bounds_write,
  misaligned_access,
  undefined_behaviour,
  unwaited_copy,
  race,
  deadlock,
  uninitialised_read,
  input_written,
  unwritten_output,
  unproven_result,
  wrong_result,
  order_dependent_result,
  trap,
  crash,
  hang,
};
/// "out_of_bounds_read"
std::string_view to_string(FindingKind kind);

/// A place in a kernel's text; line 0: not known.
struct SourceSpot {
  std::string file;
  int line = 0;
  std::string text() const;  ///< "kernel.cu:12"; empty if it is not known
  friend bool operator==(const SourceSpot&, const SourceSpot&) = default;
};

struct Finding {
  FindingKind kind = FindingKind::crash;
  SourceSpot place;
  SourceSpot other;                    ///< of a race: the access it meets
  std::string sentence;                ///< what was seen
  std::string configuration, problem;  ///< of the first case that showed it
  std::size_t configurations = 1;      ///< that showed it
  std::size_t cases = 1;
};

/// Something that could not be checked, and why.
struct Unchecked {
  std::string sentence;
  SourceSpot place;
  std::string configuration;  ///< the first of them
  std::size_t configurations = 0;
};

/// One finding for each class and place, with the first case that showed it and how many there were.
std::vector<Finding> grouped(std::vector<Finding> seen);

/// Removes what another finding about the same case explains: a race makes wrong results, a place is better than none.
void drop_consequences(std::vector<Finding>& findings);

}  // namespace tuner::host
