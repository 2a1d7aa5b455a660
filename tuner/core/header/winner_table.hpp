#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cache/records/decision.hpp"
#include "tuner/core/base/geometry.hpp"
#include "tuner/core/header/header_column.hpp"
#include "tuner/core/header/header_request.hpp"

namespace tuner {

/// Of a name in a header, and of a value in a sentence.
inline constexpr std::size_t kLongestHeaderName = 200;

/// The winners of one kernel as rows of typed columns.
class WinnerTable {
 public:
  struct Row {
    ColumnValues configuration, problem;
    std::optional<Geometry> launch;  ///< as far as the decision says it
    std::string device;              ///< its name
    int compute_capability = 0;      ///< 90 for 9.0; 0 where it is not known
    bool any_size = false;           ///< verified at other sizes, too
    std::string problem_text;
    std::string account;  ///< how good the winner is and where that comes from, in one sentence
  };

  /// `decisions` are all of one kernel, one at least. Throws Error{bad_usage} if a name cannot stand in a header, or a
  /// text is too long for one.
  WinnerTable(const std::vector<cache::Decision>& decisions, const HeaderRequest& request);

  const std::string& kernel() const { return kernel_; }
  const std::vector<Row>& rows() const { return rows_; }
  const HeaderColumns& columns() const { return columns_; }
  const HeaderColumns& problem_columns() const { return problem_columns_; }
  /// The parameters at their defaults.
  const ColumnValues& baseline() const { return baseline_; }

 private:
  void require_bounded(const cache::Decision& decision) const;
  void require_identifier(const std::string& name) const;

  std::string kernel_;
  std::vector<Row> rows_;
  ColumnValues baseline_;
  HeaderColumns columns_, problem_columns_;
};

}  // namespace tuner
