#include "tests/structure/rooms.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

namespace tuner::test {
namespace {

std::string folder_of(const std::string& file) {
  return file.substr(0, file.rfind('/'));
}

/// By place.
using RoomAt = std::map<std::string, const Room*>;

const Room* room_of(const std::string& file, const RoomAt& rooms) {
  for (const std::string& place : {file, folder_of(file)}) {
    if (const auto found = rooms.find(place); found != rooms.end()) return found->second;
  }
  return nullptr;
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
    std::string places;
    words >> room.name >> places;
    std::istringstream list(places);
    for (std::string place; std::getline(list, place, ',');) room.places.insert(place);
    for (std::string link; words >> link;) room.links.insert(link);
    rooms.push_back(std::move(room));
  }
  return rooms;
}

std::vector<std::string> find_unlinked(const std::vector<Room>& rooms, const IncludedFiles& includes) {
  RoomAt room_at;
  for (const Room& room : rooms) {
    for (const std::string& place : room.places) room_at.emplace(place, &room);
  }
  std::vector<std::string> lines;
  for (const auto& [file, included] : includes) {
    const Room* const own = room_of(file, room_at);
    if (own == nullptr) continue;
    for (const std::string& other : included) {
      const Room* const theirs = room_of(other, room_at);
      if (theirs == nullptr || theirs == own || own->links.contains(theirs->name)) continue;
      lines.push_back(file + " includes " + other + ", and " + own->name + " does not link " + theirs->name);
    }
  }
  return lines;
}

std::vector<std::string> find_seen(const IncludedFiles& includes, std::string_view from,
                                   const std::vector<std::string_view>& to) {
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
        if (begins_with_any(next, to)) lines.push_back(file + " sees " + next + " through " + at);
        pending.push_back(next);
      }
    }
  }
  return lines;
}

std::vector<std::string> find_beyond(const IncludedFiles& includes, std::string_view from,
                                     const std::vector<std::string_view>& but) {
  std::vector<std::string> lines;
  for (const auto& [file, included] : includes) {
    if (!file.starts_with(from)) continue;
    for (const std::string& name : included) {
      if (includes.contains(name) && !name.starts_with(from) && !begins_with_any(name, but))
        lines.push_back(file + " includes " + name);
    }
  }
  return lines;
}

std::vector<std::string> find_strangers(const IncludedFiles& includes, const std::vector<Library>& libraries) {
  std::vector<std::string> lines;
  for (const Library& library : libraries) {
    for (std::string& line : find_seen(includes, "", library.headers)) {
      if (!begins_with_any(line, library.users)) lines.push_back(std::move(line));
    }
  }
  for (const auto& [file, included] : includes) {
    for (const std::string& name : included) {
      // Device code is ours where the host compiles it.
      const bool is_ours = includes.contains(name) || name.ends_with(".cu");
      const bool is_known = is_ours || std::ranges::any_of(libraries, [&](const Library& library) {
                              return begins_with_any(name, library.headers);
                            });
      if (!is_known) lines.push_back(file + " includes " + name + " of a library that has no users");
    }
  }
  return lines;
}

std::vector<std::string> find_homeless(const std::filesystem::path& root, const std::vector<Room>& rooms,
                                       const IncludedFiles& files) {
  std::vector<std::string> lines;
  RoomAt room_at;
  for (const Room& room : rooms) {
    for (const std::string& place : room.places) {
      if (!std::filesystem::exists(root / place)) lines.push_back(place + " of " + room.name + " does not exist");
      const auto [before, is_first] = room_at.emplace(place, &room);
      if (!is_first) lines.push_back(place + " is of " + before->second->name + " and of " + room.name);
    }
  }
  for (const auto& [file, included] : files) {
    const bool stands_alone = file.starts_with("tuner/capture/inject/") || file.starts_with("tuner/host/shim/") ||
                              file.starts_with("tuner/include/");
    if (!stands_alone && room_of(file, room_at) == nullptr) lines.push_back(file + " is in no room");
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
