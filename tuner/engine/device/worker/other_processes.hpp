#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tuner::engine {

/// Who is who among processes, as this one sees it.
struct ProcessTable {
  struct Process {
    int parent = 0;
    std::string name;
  };
  int self = 0;
  int parent = 0;
  int siblings = 0;  ///< processes of our parent, other than this one, that have a GPU open
  std::function<std::optional<Process>(unsigned)> find;

  static ProcessTable of_this_machine();
};

/// Of the processes that compute on the GPU those that are not ours, that is neither this process nor its parent nor a
/// sibling: "4711 (python3)". In a container the driver may name processes by numbers that mean nothing here; they are
/// told apart by not containing this process, which has a context, and then only how many are not ours is known.
std::vector<std::string> other_processes(std::span<const unsigned> on_gpu, const ProcessTable& table);

}  // namespace tuner::engine
