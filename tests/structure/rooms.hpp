#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::test {

/// A target of ours with the folders that hold its files, as cmake/rooms.cmake wrote it down. A program is a room, too.
struct Room {
  std::string name;
  std::set<std::string> places;  ///< folders, or the files of a program, by their path from the root
  std::set<std::string> links;   ///< targets, libraries of others among them
};

std::vector<Room> read_rooms(const std::filesystem::path& file);

/// By path from the root of a file: the files of ours that it includes, likewise.
using IncludedFiles = std::map<std::string, std::set<std::string>>;

/// A line for each file in a room that includes one of a room which its own does not link. Public headers are for all.
/// A file that is a program's own is in no other room.
std::vector<std::string> find_unlinked(const std::vector<Room>& rooms, const IncludedFiles& includes);

/// A line for each file whose path begins with `from` that sees one whose path begins with one of `to`, be it by way of
/// others: who includes a header needs nothing to link for what that includes.
std::vector<std::string> find_seen(const IncludedFiles& includes, std::string_view from,
                                   const std::vector<std::string_view>& to);

/// A line for each file whose path begins with `from` that includes one of ours that does not, and begins with none of
/// `but`: for what is compiled or installed without the rooms.
std::vector<std::string> find_beyond(const IncludedFiles& includes, std::string_view from,
                                     const std::vector<std::string_view>& but);

/// Headers of others, and who may know them.
struct Library {
  std::vector<std::string_view> headers;  ///< a name stands for all that begin with it
  std::vector<std::string_view> users;    ///< files that may see them; a path stands for all that begin with it
};

/// A line for each file that sees a header of a library whose user it is not, and for each header of no library.
/// `includes` has the headers of others, too.
std::vector<std::string> find_strangers(const IncludedFiles& includes, const std::vector<Library>& libraries);

/// A line for each file that no room has, and for each folder that two rooms have or that is not there. Public headers
/// are everyone's. What stands alone is not asked for: the injected library, the text of the shim.
std::vector<std::string> find_homeless(const std::filesystem::path& root, const std::vector<Room>& rooms,
                                       const IncludedFiles& files);

/// What ARCHITECTURE.md says that rooms may not know. A name stands for all that begin with it.
struct Unknown {
  std::string_view room;
  std::vector<std::string_view> never;
  std::vector<std::string_view> but;  ///< of those, what it may know all the same
};

/// A line for each link to what a room may not know.
std::vector<std::string> find_forbidden(const std::vector<Room>& rooms, const std::vector<Unknown>& unknowns);

}  // namespace tuner::test
