#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/power/recording.hpp"

namespace tuner::power {

/// One thing that a program did, and what with.
struct Event : Record {
  std::string name;
  std::string data;
};
std::vector<Event> read_recording(const std::filesystem::path& log);

/// What of that which was not synced a disk has kept when the power fails. Sectors of 512 bytes are kept whole or not
/// at all, each by itself, whatever the order in which they were written; so are lengths, and names in folders.
struct Kept {
  double contents = 0;  ///< what share of sectors and lengths
  double names = 0;     ///< what share of created, removed and renamed names
};

/// The files of a folder on a disk that promises what POSIX does and not more: what is in a file is safe when the file
/// was synced, and its name when its folder was.
class Disk {
 public:
  /// The folder as it is, all of it safe.
  explicit Disk(const std::filesystem::path& folder);

  void apply(const Event& event);
  /// Writes what is there after a power failure to a new folder.
  void show(const std::filesystem::path& folder, Kept kept, std::mt19937& random) const;

 private:
  using NodeId = std::size_t;
  using Names = std::map<std::string, NodeId>;
  struct Change {
    Record::Kind kind;
    std::uint64_t offset = 0;
    std::string bytes;  ///< written; or the name
    std::string to;     ///< the new name
    NodeId node = 0;    ///< what has the name now
  };
  struct Node {
    bool is_folder = false;
    std::string bytes;            ///< that are safe
    Names names;                  ///< that are safe
    std::vector<Change> changes;  ///< since it was synced
  };

  NodeId add(std::uint64_t object, bool is_folder);
  NodeId read(const std::filesystem::path& path);
  Node& node(std::uint64_t object);
  void show(NodeId node, const std::filesystem::path& path, Kept kept, std::mt19937& random) const;
  static void change_names(Names& names, const Change& change);
  static Names names_of(const Node& folder, double share, std::mt19937& random);
  static std::string bytes_of(const Node& file, double share, std::mt19937& random);

  std::vector<Node> nodes_;
  std::map<std::uint64_t, NodeId> numbers_;  ///< that they have now
  NodeId root_ = 0;
};

}  // namespace tuner::power
