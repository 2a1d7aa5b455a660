#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tuner {

/// A process below another one.
struct Descendant {
  pid_t pid = -1;
  pid_t branch = -1;  ///< the child of the root that it is, or descends from
};

/// The processes that descend from `root`, parents before their children; hardly more than `most` of them. Those whose
/// parent has ended are not among them: the system gave them another parent. Empty where the system does not list
/// children in /proc.
std::vector<Descendant> descendants(pid_t root, std::size_t most = std::numeric_limits<std::size_t>::max());

/// Bytes of memory that only this process holds; 0 once it has ended.
std::uint64_t memory_of(pid_t pid);

/// SIGKILL to a process that has not been waited for and to all that descend from it, in whatever session or group they
/// are. They are stopped first, so that none starts another in the meantime; the group that `root` leads at once,
/// because processes that start others without end leave no time to look for each.
void kill_tree(pid_t root) noexcept;

/// While one exists, processes whose parents end become children of this process. Its end kills all descendants and
/// collects them. For programs that have no children but those that are to end with it.
class Adoption {
 public:
  Adoption() noexcept;
  ~Adoption();
  Adoption(const Adoption&) = delete;
  Adoption& operator=(const Adoption&) = delete;
};

}  // namespace tuner
