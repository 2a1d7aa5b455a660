#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/skeleton/host_expression.hpp"
#include "tuner/core/skeleton/reach.hpp"

namespace tuner {

/// The index of an element, and where in the kernel's body it stands.
struct ElementIndex {
  HostExpression expression;
  std::size_t at = 0;
};

/// How a kernel uses what a pointer points to.
struct PointerUse {
  bool is_read = false;
  bool is_written = false;
  bool is_unclear = false;            ///< it is handed on, or computed with
  std::vector<ElementIndex> indices;  ///< of the elements that are seen
};

/// What the text of a kernel's body shows of its sizes. Nothing is preprocessed, so all of it is a guess.
class KernelUse {
 public:
  explicit KernelUse(std::string_view body);

  bool mentions(std::string_view word) const;
  PointerUse pointer(const std::string& name) const;
  /// Whether something is compared with `name`, as an index with a size.
  bool bounds_something(const std::string& name) const;
  /// Whether each thread counts from a number to `name`.
  bool loops_to(const std::string& name) const;
  /// How many dimensions threadIdx and blockIdx are used in.
  int dimensions() const;

  /// What is known of sizes, before the questions below: their names.
  void set_sizes(std::set<std::string> sizes) { sizes_ = std::move(sizes); }
  /// The size that the index of blocks in a dimension runs over, as `blockIdx.x`, if the text does not say it.
  void set_extent(const std::string& block_index, const std::string& size) { extents_[block_index] = size; }

  /// What an index computed from `blockIdx.x` is compared with, as a size's name.
  std::optional<std::string> extent_of(const std::string& block_index) const;
  /// What `blockIdx.x` is multiplied with: how many elements a block computes, sizes left out; nothing if it is not
  /// used, a plain 1 if it is not multiplied.
  std::optional<HostExpression> elements_per_block(const std::string& block_index) const;
  /// The length that buffers need for these indices, "rows * columns"; empty if no size is seen in them.
  std::string length(const std::vector<ElementIndex>& indices) const;
  /// Whether something is compared with a size that an index was divided into, as `warp = i / 32`.
  bool ends_at_quotient() const;
  /// Whether something is added to one of them or is a factor that `length` leaves out, as in `x[i * VEC + RADIUS]`.
  bool reach_further(const std::vector<ElementIndex>& indices) const;
  /// Whether it is `blockIdx.x` or the like, or a variable that only ever is that.
  bool is_block_index(const HostExpression& index) const;

 private:
  struct Comparison {
    HostExpression left, right;
    std::size_t at = 0;
  };
  using Known = std::map<std::string, Reach>;  ///< of names; those that are being found out have no size

  void read_assignments(std::string_view body);
  void read_comparisons(std::string_view body);
  void note_comparisons(const HostExpression& expression, std::size_t at);
  bool has_size(const HostExpression& expression) const;
  bool is_constant(const HostExpression& part) const;
  bool is_divisor(const std::string& name) const;
  bool lengthens(const HostExpression& factor, const ElementIndex& other) const;
  bool reaches_further(const ElementIndex& index) const;
  Reach bounds_between(const std::string& name, std::size_t begin, std::size_t end, Known& known) const;
  Reach greatest(const ElementIndex& index, Known& known) const;
  Reach greatest_of_operation(const ElementIndex& index, Known& known) const;
  Reach greatest_of_name(const std::string& name, std::size_t at, Known& known) const;
  std::optional<HostExpression> factor(const HostExpression& expression, const std::string& name) const;

  std::string body_;
  std::multimap<std::string, ElementIndex> assigned_;  ///< in the order of the text for each name
  std::vector<Comparison> compared_;
  std::set<std::string> sizes_;
  std::map<std::string, std::string> extents_;
};

}  // namespace tuner
