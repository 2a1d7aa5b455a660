#include "tests/power/disk.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace tuner::power {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSector = 512;

bool keeps(double share, std::mt19937& random) {
  if (share <= 0 || share >= 1) return share >= 1;
  return std::bernoulli_distribution(share)(random);
}

/// What a disk shows where a file is longer than what was written to it: zeros, or what was there before.
void lengthen(std::string& bytes, std::size_t size, double share, std::mt19937& random) {
  const std::size_t begin = bytes.size();
  if (size <= begin) return;
  bytes.resize(size, '\0');
  if (share >= 1 || random() % 2 == 0) return;
  for (std::size_t i = begin; i < size; ++i) bytes[i] = static_cast<char>(random());
}

}  // namespace

std::vector<Event> read_recording(const fs::path& log) {
  std::ifstream file(log, std::ios::binary);
  std::vector<Event> events;
  Event event;
  while (file.read(reinterpret_cast<char*>(static_cast<Record*>(&event)), sizeof(Record))) {
    event.name.resize(event.name_size);
    event.data.resize(event.data_size);
    file.read(event.name.data(), static_cast<std::streamsize>(event.name_size));
    file.read(event.data.data(), static_cast<std::streamsize>(event.data_size));
    events.push_back(event);
  }
  return events;
}

Disk::Disk(const fs::path& folder) : root_(read(folder)) {}

Disk::NodeId Disk::add(std::uint64_t object, bool is_folder) {
  nodes_.push_back({.is_folder = is_folder});
  return numbers_[object] = nodes_.size() - 1;
}

Disk::NodeId Disk::read(const fs::path& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) throw std::runtime_error("cannot read " + path.string());
  const NodeId id = add(status.st_ino, S_ISDIR(status.st_mode));
  if (nodes_[id].is_folder) {
    for (const auto& entry : fs::directory_iterator(path)) {
      const NodeId child = read(entry.path());
      nodes_[id].names[entry.path().filename()] = child;
    }
  } else {
    std::ifstream file(path, std::ios::binary);
    nodes_[id].bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  return id;
}

Disk::Node& Disk::node(std::uint64_t object) {
  const auto found = numbers_.find(object);
  if (found == numbers_.end()) throw std::runtime_error("the recording names a file that it does not create");
  return nodes_[found->second];
}

void Disk::apply(const Event& event) {
  switch (event.kind) {
    case Record::create_file:
    case Record::create_folder: {
      const NodeId created = add(event.object, event.kind == Record::create_folder);
      node(event.folder).changes.push_back({event.kind, 0, event.name, {}, created});
      return;
    }
    case Record::unlink:
      node(event.folder).changes.push_back({event.kind, 0, event.name, {}});
      return;
    case Record::rename: {
      if (event.folder != event.object) throw std::runtime_error("a file went to another folder");
      std::mt19937 unused;
      Node& folder = node(event.folder);
      const NodeId moved = names_of(folder, 1, unused).at(event.name);
      folder.changes.push_back({event.kind, 0, event.name, event.data, moved});
      return;
    }
    case Record::write:
    case Record::truncate:
      node(event.object).changes.push_back({event.kind, event.offset, event.data, {}});
      return;
    case Record::sync: {
      std::mt19937 unused;
      Node& synced = node(event.object);
      if (synced.is_folder) synced.names = names_of(synced, 1, unused);
      if (!synced.is_folder) synced.bytes = bytes_of(synced, 1, unused);
      synced.changes.clear();
      return;
    }
    case Record::mark:
      return;
  }
}

void Disk::change_names(Names& names, const Change& change) {
  if (change.kind == Record::unlink) {
    names.erase(change.bytes);
  } else if (change.kind == Record::rename) {
    const auto from = names.find(change.bytes);
    if (from != names.end() && from->second == change.node) names.erase(from);
    names[change.to] = change.node;
  } else {
    names[change.bytes] = change.node;
  }
}

Disk::Names Disk::names_of(const Node& folder, double share, std::mt19937& random) {
  Names names = folder.names;
  for (const Change& change : folder.changes) {
    if (keeps(share, random)) change_names(names, change);
  }
  return names;
}

std::string Disk::bytes_of(const Node& file, double share, std::mt19937& random) {
  std::string bytes = file.bytes;
  for (const Change& change : file.changes) {
    if (change.kind == Record::truncate) {
      if (!keeps(share, random)) continue;
      lengthen(bytes, change.offset, share, random);
      bytes.resize(change.offset);
      continue;
    }
    if (keeps(share, random)) lengthen(bytes, change.offset + change.bytes.size(), share, random);
    for (std::size_t done = 0; done < change.bytes.size();) {
      const std::size_t at = change.offset + done;
      const std::size_t size = std::min(kSector - at % kSector, change.bytes.size() - done);
      if (keeps(share, random) && at < bytes.size()) {
        bytes.replace(at, std::min(size, bytes.size() - at), change.bytes, done, std::min(size, bytes.size() - at));
      }
      done += size;
    }
  }
  return bytes;
}

void Disk::show(const fs::path& folder, Kept kept, std::mt19937& random) const {
  show(root_, folder, kept, random);
}

void Disk::show(NodeId id, const fs::path& path, Kept kept, std::mt19937& random) const {
  const Node& node = nodes_[id];
  if (!node.is_folder) {
    std::ofstream(path, std::ios::binary) << bytes_of(node, kept.contents, random);
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
    return;
  }
  fs::create_directory(path);
  fs::permissions(path, fs::perms::owner_all);
  for (const auto& [name, child] : names_of(node, kept.names, random)) show(child, path / name, kept, random);
}

}  // namespace tuner::power
