#include "tests/structure/rooms.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace tuner::test {
namespace {

std::string folder_of(const std::string& file) {
  return file.substr(0, file.rfind('/'));
}

bool begins_with_any(std::string_view name, const std::vector<std::string_view>& beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view one) { return name.starts_with(one); });
}

}  // namespace

std::vector<Room> read_rooms(const std::filesystem::path& file) {
  std::vector<Room> rooms;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    Room room;
    std::string folders;
    words >> room.name >> folders;
    std::istringstream list(folders);
    for (std::string folder; std::getline(list, folder, ',');) room.folders.insert(folder);
    for (std::string link; words >> link;) room.links.insert(link);
    rooms.push_back(std::move(room));
  }
  return rooms;
}

std::vector<std::string> find_unlinked(const std::vector<Room>& rooms, const IncludedFiles& includes) {
  std::map<std::string, const Room*> room_of;  // by folder
  for (const Room& room : rooms) {
    for (const std::string& folder : room.folders) room_of.emplace(folder, &room);
  }
  std::vector<std::string> lines;
  for (const auto& [file, included] : includes) {
    const auto own = room_of.find(folder_of(file));
    if (own == room_of.end()) continue;
    for (const std::string& other : included) {
      const auto theirs = room_of.find(folder_of(other));
      if (theirs == room_of.end() || theirs->second == own->second) continue;
      if (!own->second->links.contains(theirs->second->name))
        lines.push_back(file + " includes " + other + ", and " + own->second->name + " does not link " +
                        theirs->second->name);
    }
  }
  return lines;
}

std::vector<std::string> find_seen(const IncludedFiles& includes, std::string_view from, std::string_view to) {
  std::vector<std::string> lines;
  for (const auto& [file, included] : includes) {
    if (!file.starts_with(from)) continue;
    std::map<std::string, std::string> reached;  // each with the file that includes it
    std::vector<std::string> pending{file};
    while (!pending.empty()) {
      const std::string at = std::move(pending.back());
      pending.pop_back();
      const auto found = includes.find(at);
      if (found == includes.end()) continue;
      for (const std::string& next : found->second) {
        if (!reached.emplace(next, at).second) continue;
        if (next.starts_with(to)) lines.push_back(file + " sees " + next + " through " + at);
        pending.push_back(next);
      }
    }
  }
  return lines;
}

std::vector<std::string> find_homeless(const std::filesystem::path& root, const std::vector<Room>& rooms,
                                       const IncludedFiles& files) {
  std::vector<std::string> lines;
  std::map<std::string, std::string> room_of;  // by folder
  for (const Room& room : rooms) {
    for (const std::string& folder : room.folders) {
      if (!std::filesystem::is_directory(root / folder))
        lines.push_back(folder + " of " + room.name + " does not exist");
      const auto [before, is_first] = room_of.emplace(folder, room.name);
      if (!is_first) lines.push_back(folder + " is a folder of " + before->second + " and of " + room.name);
    }
  }
  for (const auto& [file, included] : files) {
    const bool stands_alone = file.ends_with("main.cpp") || file.starts_with("tuner/capture/inject/") ||
                              file.starts_with("tuner/host/shim/") || file.starts_with("tuner/include/");
    if (!stands_alone && !room_of.contains(folder_of(file))) lines.push_back(file + " is in no room");
  }
  return lines;
}

std::vector<std::string> find_forbidden(const std::vector<Room>& rooms, const std::vector<Unknown>& unknowns) {
  std::vector<std::string> lines;
  for (const Room& room : rooms) {
    for (const Unknown& unknown : unknowns) {
      if (!room.name.starts_with(unknown.room)) continue;
      for (const std::string& link : room.links) {
        if (begins_with_any(link, unknown.never) && !begins_with_any(link, unknown.but))
          lines.push_back(room.name + " links " + link);
      }
    }
  }
  return lines;
}

}  // namespace tuner::test
