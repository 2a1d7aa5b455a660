#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "cache/exchange/exchange.hpp"
#include "cache/file/fresh_file.hpp"

namespace tuner::cache {

/// Throws Error{bad_usage} if the two are one file.
void require_others(const std::filesystem::path& from, const std::filesystem::path& to);

/// Binaries on their way to a file that decisions of an earlier export may need until others have their name.
class BinaryExport {
 public:
  /// Writes them to a file that has no name yet. Throws as export_decisions does.
  BinaryExport(const ExportRequest::Binaries& files, const std::set<Hash>& hashes, bool overwrite);
  /// Gives them their name, together with those of an earlier export. Throws likewise.
  void publish_beside_earlier();
  /// Leaves nothing but them. Throws likewise.
  void remove_earlier();
  const ExportedBinaries& counts() const { return counts_; }

 private:
  std::filesystem::path to_;
  ExportedBinaries counts_;
  std::vector<Binary> builds_;
  std::optional<FreshFile> alone_;  ///< until it is published
};

}  // namespace tuner::cache
