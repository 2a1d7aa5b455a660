#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/files.hpp"

namespace tuner::attack {

using test::read_bytes;
using test::write_bytes;

/// A file of any kind. Of one that is not regular `content` and `size` are 0; `target` is a link's.
struct Entry {
  mode_t mode = 0;
  uid_t user = 0;
  gid_t group = 0;
  off_t size = 0;
  std::size_t content = 0;  ///< a hash of its bytes, or its date
  std::string target;
  bool operator==(const Entry&) const = default;
};
/// What lies in a folder, by its path there.
using Listing = std::map<std::string, Entry>;
enum class Files {
  read,   ///< by their content; it is read again if size, inode or a date has changed
  dated,  ///< by size and date
};
Listing list(const std::filesystem::path& folder, const std::set<std::string>& left_out = {},
             Files files = Files::read);
/// In words, each difference in one: "created outside/x"; empty if there is none.
std::vector<std::string> differences(const Listing& before, const Listing& after);

/// Copies a folder as it is, links as links and FIFOs as FIFOs, over what was there.
void copy_as_it_is(const std::filesystem::path& from, const std::filesystem::path& to);

/// The folders among which one process of the campaign works:
///     db        the database that is attacked
///     in        what is given to the program: sources, recordings, data
///     out       where it is told to write
///     home      its home, and the folder in which it works
///     tmp       its folder for temporary files
///     outside   files that are none of its business
///     saved     what the campaign itself puts aside
class Sandbox {
 public:
  explicit Sandbox(std::filesystem::path root);
  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path operator/(const std::string& name) const { return root_ / name; }
  /// Every folder as it is before a case.
  void clear() const;
  void clear(const std::string& name) const;

 private:
  std::filesystem::path root_;
};

}  // namespace tuner::attack
