#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <type_traits>

#include "cache/store/binary.hpp"
#include "cache/store/decision.hpp"
#include "cache/store/page_file.hpp"

namespace tuner::cache {

/// What a program that starts wants to know of a database that it only reads, without SQLite (page_file.hpp).
class QuickLook {
 public:
  /// Null where the file is to be opened with SQLite, which can say why.
  static std::unique_ptr<QuickLook> open(const std::filesystem::path& path, const Format& format);

  std::filesystem::path path() const { return folder_->path() / name_; }
  const OpenFolder& folder() const { return *folder_; }
  /// Of the file that is read.
  int descriptor() const { return file_->descriptor; }
  /// Another file has taken the place of the one that was opened, or none is there now.
  bool is_replaced() const { return !PageFile::is_at(*file_, path()); }

  /// What `look` finds in one read transaction; nothing if SQLite has to be asked.
  template <class Look>
  std::optional<std::invoke_result_t<Look, PageFile&>> operator()(const Look& look) const {
    try {
      PageFile file(*file_, *folder_, name_, *format_);
      return look(file);
    } catch (const NotPlain&) {
      return std::nullopt;
    }
  }

 private:
  QuickLook(std::shared_ptr<const OpenFolder> folder, std::string name, const Format& format)
      : folder_(std::move(folder)), name_(std::move(name)), format_(&format), file_(PageFile::open(*folder_, name_)) {}

  std::shared_ptr<const OpenFolder> folder_;
  std::string name_;
  const Format* format_;
  std::shared_ptr<OpenFile> file_;
};

/// See Store::find_decision.
std::optional<Decision> read_served(PageFile& file, const DecisionKey& key);
std::optional<Decision> read_decision(PageFile& file, std::int64_t row);
/// See Store::list_sites.
std::vector<Site> read_sites(PageFile& file, const DecisionKey& key);
/// See BinaryStore::find_compiled; compared with no hash yet.
std::optional<StoredBinary> read_compiled(PageFile& file, std::string_view compile_key);

}  // namespace tuner::cache
