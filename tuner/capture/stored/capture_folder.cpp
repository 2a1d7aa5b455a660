#include "tuner/capture/stored/capture_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "cache/file/hash.hpp"
#include "tuner/capture/stored/manifest.hpp"
#include "tuner/capture/stored/unstored.hpp"
#include "tuner/core/binary/cubin.hpp"
#include "tuner/error.hpp"
#include "tuner/version.hpp"

namespace tuner::capture {
namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const std::byte>;

constexpr const char* kData = "data";
constexpr const char* kUnfinished = ".unfinished";
constexpr std::size_t kLongestManifest = std::size_t{64} << 20;

/// What the system said.
struct Refused {
  int reason;
};

void write_all(int file, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) throw Refused{errno};
    if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

/// Fewer bytes where the file ends.
std::size_t read_all(int file, std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = read(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno != EINTR) throw Refused{errno};
    if (count == 0) break;
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return done;
}

/// A file, not what waits for a writer, for instance.
UniqueFd open_file(const fs::path& path) {
  UniqueFd file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0) throw Refused{errno};
  if (!S_ISREG(status.st_mode)) throw Refused{EINVAL};
  return file;
}

bool is_empty(int folder) {
  const int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(copy < 0 ? nullptr : fdopendir(copy), closedir);
  if (!listing) throw Refused{errno};
  while (const dirent* const entry = readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") return false;
  }
  return true;
}

std::string hash_of_file(const fs::path& path) {
  try {
    const UniqueFd file = open_file(fs::canonical(path));
    cache::ContentHash hash;
    std::vector<std::byte> piece(std::size_t{1} << 20);
    while (const std::size_t count = read_all(file.get(), piece)) hash.add(Bytes(piece).first(count));
    return hash.hash().text;
  } catch (const Refused&) {
  } catch (const fs::filesystem_error&) {
  }
  return {};
}

bool can_be_started(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
}

/// As a shell looks for a program.
fs::path found_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* const variable = std::getenv("PATH");
  const std::string folders = variable == nullptr ? "/usr/bin:/bin" : variable;
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const fs::path file = (begin == end ? fs::path(".") : fs::path(folders.substr(begin, end - begin))) / name;
    if (can_be_started(file)) return file;
    begin = end + 1;
  }
  return {};
}

[[noreturn]] void damaged(const fs::path& file, std::string_view how) {
  throw Error(Errc::store_damaged, fmt::format("{} {}: capture the program again.", file.string(), how));
}

}  // namespace

ProgramFacts facts_of_program(const std::vector<std::string>& command) {
  std::error_code ignored;
  ProgramFacts facts{.command = command, .folder = fs::current_path(ignored).string()};
  const fs::path found = command.empty() ? fs::path() : found_program(command.front());
  if (found.empty()) return facts;
  facts.executable = fs::weakly_canonical(found, ignored).string();
  facts.executable_hash = hash_of_file(found);
  return facts;
}

FolderWriter::FolderWriter(const fs::path& folder, ProgramFacts program) : folder_(folder) {
  const auto refuse = [&](std::string_view why) {
    throw Error(Errc::bad_usage, fmt::format("The folder {} {}: name another one with -o.", folder.string(), why));
  };
  const auto refuse_for = [&](int reason) { refuse(fmt::format("cannot be made: {}", std::strerror(reason))); };
  is_new_ = mkdir(folder.c_str(), 0700) == 0;
  if (!is_new_ && errno != EEXIST) refuse_for(errno);
  try {
    folder_fd_.reset(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder_fd_) throw Refused{errno};
    if (!is_new_ && !is_empty(folder_fd_.get())) refuse("is not empty, and nothing was changed there");
    if (fchmod(folder_fd_.get(), 0700) != 0 || mkdirat(folder_fd_.get(), kData, 0700) != 0) throw Refused{errno};
    data_fd_.reset(openat(folder_fd_.get(), kData, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!data_fd_) throw Refused{errno};
  } catch (const Refused& refused) {
    if (is_new_) rmdir(folder.c_str());
    refuse_for(refused.reason);
  }
  capture_.tuner = kVersion;
  capture_.program = std::move(program);
}

FolderWriter::~FolderWriter() {
  if (is_finished_) return;
  for (const Blob& blob : stored_) unlinkat(data_fd_.get(), blob.file_name().c_str(), 0);
  unlinkat(folder_fd_.get(), kData, AT_REMOVEDIR);
  if (is_new_) rmdir(folder_.c_str());
}

void FolderWriter::cannot_write(int reason) const {
  const bool is_full = reason == ENOSPC || reason == EDQUOT || reason == EFBIG;
  throw Error(Errc::store_unavailable,
              fmt::format("The capture cannot be stored in {}: {}. {} another folder with -o.", folder_.string(),
                          std::strerror(reason), is_full ? "Free space there, or name" : "Name"));
}

/// Appears when it is complete.
template <typename Fill>
void FolderWriter::write_file(int folder, const std::string& name, Fill fill) {
  try {
    const UniqueFd file(openat(folder, kUnfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) throw Refused{errno};
    fill(file.get());
    if (renameat(folder, kUnfinished, folder, name.c_str()) != 0) throw Refused{errno};
  } catch (const Refused& refused) {
    unlinkat(folder, kUnfinished, 0);
    cannot_write(refused.reason);
  } catch (...) {
    unlinkat(folder, kUnfinished, 0);
    throw;
  }
}

Blob FolderWriter::store(Bytes contents) {
  const Blob blob = blob_of(contents);
  if (stored_.contains(blob)) return blob;
  write_file(data_fd_.get(), blob.file_name(),
             [&](int file) { pack(contents, [file](Bytes bytes) { write_all(file, bytes); }); });
  stored_.insert(blob);
  return blob;
}

const StoredLaunch& FolderWriter::add(const Snapshot& snapshot, Bytes before, Bytes after, const Weight& weight) {
  StoredLaunch launch{{snapshot}, weight};
  const auto store_memories = [&](const std::vector<Memory>& memories) {
    std::vector<StoredMemory> stored;
    for (const Memory& memory : memories) {
      stored.push_back({memory.address, memory.name, store(before.subspan(memory.offset, memory.size)),
                        store(after.subspan(memory.offset, memory.size))});
    }
    return stored;
  };
  launch.allocations = store_memories(snapshot.allocations);
  launch.variables = store_memories(snapshot.variables);
  if (!snapshot.image.empty()) {
    launch.module = store(snapshot.image);
    launch.toolkit = compiler_version(snapshot.image);
  }
  launch.unstored = unstored_memory(snapshot, before);
  return capture_.launches.emplace_back(std::move(launch));
}

void FolderWriter::finish() {
  using std::chrono::system_clock;
  const auto now = system_clock::now().time_since_epoch();
  capture_.created_unix_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  const std::string text =
      manifest_json(capture_).dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (syncfs(data_fd_.get()) != 0) cannot_write(errno);
  write_file(folder_fd_.get(), kManifest, [&](int file) {
    write_all(file, std::as_bytes(std::span(text)));
    if (fsync(file) != 0) throw Refused{errno};
  });
  is_finished_ = true;
  // What is said to be there is there after a power failure, too.
  if (fsync(folder_fd_.get()) != 0) cannot_write(errno);
}

bool is_capture_folder(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return false;
  if (fs::exists(folder / kManifest, ignored)) return true;
  // One that is incomplete has its data, and nothing else but a file that is being written.
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const fs::path name = entry.path().filename();
    if (name != kData && name != kUnfinished) return false;
  }
  return fs::is_directory(folder / kData, ignored);
}

std::optional<std::string> read_beside(const fs::path& folder, const char* name) {
  const fs::path path = folder / name;
  std::string text;
  try {
    const UniqueFd file = open_file(path);
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    for (std::size_t count = kPiece; count == kPiece;) {
      text.resize(text.size() + kPiece);
      count = read_all(file.get(), std::as_writable_bytes(std::span(text)).last(kPiece));
      text.resize(text.size() - kPiece + count);
      if (text.size() > kLongestManifest) damaged(path, "is too long for what it should be");
    }
  } catch (const Refused& refused) {
    if (refused.reason == ENOENT) return std::nullopt;
    throw Error(Errc::file_not_found, fmt::format("{} cannot be read: {}. Name the folder of a capture.", path.string(),
                                                  std::strerror(refused.reason)));
  }
  return text;
}

Capture read_capture(const fs::path& folder) {
  const std::string manifest = (folder / kManifest).string();
  if (const std::optional<std::string> text = read_beside(folder, kManifest))
    return capture_from_manifest(*text, manifest);
  if (is_capture_folder(folder)) {
    throw Error(Errc::store_damaged, fmt::format("The capture in {} is incomplete, because writing it was stopped: "
                                                 "remove the folder and capture the program again.",
                                                 folder.string()));
  }
  throw Error(Errc::file_not_found,
              fmt::format("{} cannot be read: {}. Name the folder of a capture.", manifest, std::strerror(ENOENT)));
}

fs::path blob_path(const fs::path& folder, const Blob& blob) {
  return folder / kData / blob.file_name();
}

std::vector<std::byte> load_blob(const fs::path& folder, const Blob& blob) {
  const fs::path path = blob_path(folder, blob);
  std::vector<std::byte> contents;
  try {
    const UniqueFd file = open_file(path);
    struct stat status {};
    constexpr std::uint64_t kMostRatio = 1040;  // of a zlib stream; what a manifest claims may be more
    if (fstat(file.get(), &status) == 0)
      contents.reserve(std::min(blob.size, static_cast<std::uint64_t>(status.st_size) * kMostRatio));
    const auto read = [&](std::span<std::byte> bytes) { return read_all(file.get(), bytes); };
    const auto keep = [&](Bytes chunk) { contents.insert(contents.end(), chunk.begin(), chunk.end()); };
    if (!unpack(blob, read, keep)) damaged(path, "is damaged");
  } catch (const Refused& refused) {
    damaged(path, fmt::format("cannot be read: {}", std::strerror(refused.reason)));
  }
  return contents;
}

}  // namespace tuner::capture
