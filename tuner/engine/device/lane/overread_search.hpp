#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/engine/device/lane/device.hpp"

namespace tuner::engine {

/// How the launches of some probes ended.
enum class ProbeEnd {
  normal,      ///< all of them
  fault,       ///< one met its fence
  misaligned,  ///< one needs a larger alignment
};

/// Finds out over which edge of which buffers a kernel reads, and how far, or to which input it writes what is there
/// already. What meets a fence costs a worker and what does not costs a launch, so fences come nearer from afar. Knows
/// nothing of who launches.
class OverreadSearch {
 public:
  /// What a candidate takes.
  OverreadSearch(const std::vector<BoundArgument>& arguments, const Candidate& candidate);

  /// What is to be launched next, one after the other, until a launch does not end normally. None: it is over.
  const std::vector<FenceProbe>& probes() const { return probes_; }
  /// So many of them ended normally, before the one that ended like that.
  void take(std::size_t passed, ProbeEnd end);

  /// "It reads 100 bytes behind `b` and 4 bytes before `a`"; empty if nothing was found.
  std::string found() const;
  /// A sentence that says how to go on after that.
  std::string way_out() const;

 private:
  struct Buffer {
    std::size_t position;  ///< among the arguments
    std::uint64_t bytes;
  };
  /// One side of a buffer over which it reads.
  struct Edge {
    std::size_t buffer;
    FenceSide side;
    std::uint64_t low;                  ///< a fence so far away is met
    std::optional<std::uint64_t> high;  ///< one so far away is not; nothing: none is known
    std::uint64_t alignment;            ///< with which the buffer is placed
    bool is_known = false;
  };
  enum class Phase { edges, distances, writes, over };

  const BoundArgument& argument(std::size_t buffer) const { return arguments_[buffers_[buffer].position]; }
  FenceProbe probe(std::size_t buffer, FenceSide side, std::uint64_t gap, std::uint64_t alignment) const;
  std::uint64_t nearest_gap(std::size_t buffer, FenceSide side) const;
  void go_on();
  void probe_edges();
  bool narrow(Edge& edge);
  void take_edges(std::size_t passed, ProbeEnd end);
  void take_distance(Edge& edge, std::size_t passed, ProbeEnd end);
  std::string text(const Edge& edge) const;

  std::vector<BoundArgument> arguments_;
  std::vector<Buffer> buffers_;
  Phase phase_ = Phase::edges;
  std::vector<FenceProbe> probes_;
  std::size_t edges_done_ = 0;  ///< sides that were looked at, of all buffers
  std::vector<Edge> edges_;
  std::size_t measured_ = 0;  ///< of them
  std::string rewritten_;     ///< the input that is written to
};

}  // namespace tuner::engine
