#include "tests/structure/rooms.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/structure/foreign_names.hpp"
#include "tests/support/files.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tuner::test;

namespace {

const std::vector<std::string> kProduct{"search", "cache", "tuner"};

/// The table of ARCHITECTURE.md, as far as links show it.
const std::vector<Unknown> kTable{
    {"tuner_search_", {"tuner_"}, {"tuner_search_", "tuner_ground"}},
    {"tuner_cache_records", {"tuner_cache_sqlite", "tuner_cache_store"}, {}},
    {"tuner_cache_", {"tuner_"}, {"tuner_cache_", "tuner_ground", "tuner_sqlite", "tuner_xxhash"}},
    {"tuner_ground", {"tuner_"}, {}},
    {"tuner_core_",
     {"tuner_"},
     {"tuner_core_", "tuner_cache_file", "tuner_cache_records", "tuner_ground", "tuner_headers", "tuner_search_"}},
    {"tuner_process", {"tuner_"}, {"tuner_cache_file", "tuner_ground"}},
    {"tuner_driver", {"tuner_"}, {"tuner_core_device", "tuner_cuda_headers", "tuner_ground"}},
    {"tuner_engine_protocol", {"tuner_engine_"}, {}},
    {"tuner_engine_lanes", {"tuner_"}, {}},
    {"tuner_engine_measure", {"tuner_"}, {}},
    {"tuner_engine_compile", {"tuner_driver", "tuner_core_task", "tuner_engine_device"}, {}},
    {"tuner_engine_counters", {"tuner_engine_", "tuner_core_task"}, {}},
    {"tuner_engine_device_lane",
     {"tuner_driver", "tuner_cuda_headers", "tuner_search_expression", "tuner_engine_compile"},
     {}},
    {"tuner_engine_device_spread",
     {"tuner_driver", "tuner_engine_"},
     {"tuner_engine_device_lane", "tuner_engine_lanes", "tuner_engine_measure"}},
    {"tuner_engine_device_", {"tuner_engine_candidates", "tuner_engine_searching", "tuner_engine_session"}, {}},
    {"tuner_engine_device_memory", {"tuner_engine_", "tuner_core_"}, {"tuner_core_device"}},
    {"tuner_engine_device_replay", {"tuner_engine_replay", "tuner_engine_device_worker"}, {}},
    {"tuner_engine_replay",
     {"tuner_driver", "tuner_cuda_headers", "tuner_engine_device_worker", "tuner_engine_searching",
      "tuner_engine_session"},
     {}},
    {"tuner_engine_", {"tuner_cli", "tuner_runtime", "tuner_sqlite"}, {}},
    {"tuner_engine_candidates", {"tuner_search_strategy", "tuner_engine_searching", "tuner_engine_session"}, {}},
    {"tuner_engine_effort", {"tuner_driver", "tuner_engine_"}, {}},
    {"tuner_engine_searching", {"tuner_engine_session"}, {}},
    {"tuner_engine_comparison", {"tuner_engine_searching", "tuner_engine_session", "tuner_cache_store"}, {}},
    {"tuner_engine_sizes", {"tuner_engine_searching", "tuner_engine_session"}, {}},
    {"tuner_engine_workplace", {"tuner_engine_searching", "tuner_engine_session"}, {}},
    {"tuner_engine_roofline",
     {"tuner_core_kernel_file", "tuner_core_t1", "tuner_cache_store", "tuner_engine_recording"},
     {}},
    {"tuner_engine_recording", {"tuner_cli", "tuner_driver", "tuner_engine_searching", "tuner_engine_session"}, {}},
    {"tuner_engine_turns", {"tuner_cli", "tuner_driver", "tuner_engine_"}, {}},
    {"tuner_engine_service", {"tuner_cli", "tuner_driver", "tuner_engine_device_worker"}, {}},
    {"tuner_engine_session", {"tuner_driver", "tuner_engine_device_worker"}, {}},
    {"tuner-engine", {"tuner_cli", "tuner_runtime", "tuner_sqlite"}, {}},
    {"tuner-worker", {"tuner_cli", "tuner_runtime", "tuner_sqlite", "tuner_engine_session"}, {}},
    {"tuner_capture", {"tuner_engine", "tuner_driver", "tuner_cuda_headers", "tuner_cli"}, {}},
    {"tuner_sources_recorded",
     {"tuner_engine", "tuner_driver", "tuner_cuda_headers", "tuner_capture", "tuner_cli"},
     {}},
    {"tuner_sources_device_compile",
     {"tuner_engine", "tuner_driver", "tuner_cuda_headers", "tuner_capture", "tuner_cli"},
     {}},
    {"tuner_sources_from_capture",
     {"tuner_engine_", "tuner_driver", "tuner_cuda_headers", "tuner_cli"},
     {"tuner_engine_replay"}},
    {"tuner_explain", {"tuner_engine", "tuner_cache_store", "tuner_sqlite", "tuner_cli"}, {}},
    {"tuner_runtime", {"tuner_engine", "tuner_cli"}, {"tuner_engine_protocol"}},
    {"tuner_host", {"tuner_driver", "tuner_cuda_headers", "tuner_engine", "tuner_cli"}, {}},
    {"tuner_page", {"tuner_engine", "tuner_cli"}, {}},
    {"tuner_fleet_", {"tuner_engine", "tuner_cli"}, {}},
    {"tuner_fleet_job", {"tuner_libpq"}, {}},
    {"tuner_cli",
     {"tuner_cache_sqlite", "tuner_sqlite", "tuner_driver", "tuner_cuda_headers", "tuner_engine_counters",
      "tuner_cupti_headers", "tuner_engine_device_worker"},
     {}},
};

/// What ARCHITECTURE.md says of libraries. They come with folders that the compiler knows, so no link shows them.
const std::vector<Library> kLibraries{
    {{"sqlite3"},
     {"cache/sqlite/", "cache/schema/", "cache/store/", "cache/exchange/", "cache/recovery/", "cache/upkeep/"}},
    {{"xxhash"}, {"cache/file/"}},
    {{"cuda"},
     {"tuner/driver/", "tuner/runtime/", "tuner/engine/counters/", "tuner/engine/device/memory/",
      "tuner/engine/device/replay/", "tuner/engine/device/worker/", "tuner/capture/inject/"}},
    {{"cupti"}, {"tuner/engine/counters/", "tuner/capture/inject/"}},
    {{"nvrtc"}, {"tuner/engine/compile/"}},
    {{"libpq"}, {"tuner/fleet/queue/"}},
    {{"boost/program_options"}, {"tuner/cli/terminal/"}},
    {{"zlib"}, {"tuner/engine/recording/", "tuner/capture/stored/"}},
    {{"nlohmann/"},
     {"tuner/core/", "tuner/engine/recording/", "tuner/engine/replay/", "tuner/capture/stored/",
      "tuner/sources/recorded/", "tuner/explain/", "tuner/page/", "tuner/fleet/job/", "tuner/cli/"}},
    {{"fmt/"},
     {"search/", "cache/", "tuner/core/", "tuner/driver/", "tuner/process/", "tuner/engine/", "tuner/engine_protocol/",
      "tuner/runtime/", "tuner/host/", "tuner/capture/", "tuner/sources/", "tuner/explain/", "tuner/page/",
      "tuner/fleet/", "tuner/cli/"}},
};

/// Names of headers of the language and of the system. A name stands for itself, a folder for all that it holds.
bool is_of_the_system(const std::string& header) {
  static const std::set<std::string_view> kHeaders{
      "cxxabi.h",  "dirent.h", "dlfcn.h",  "elf.h",   "fcntl.h", "limits.h", "link.h", "malloc.h", "poll.h",
      "pthread.h", "sched.h",  "signal.h", "spawn.h", "stdio.h", "stdlib.h", "time.h", "unistd.h", "unwind.h"};
  return header.find_first_of("./") == std::string::npos || header.starts_with("sys/") ||
         header.starts_with("linux/") || kHeaders.contains(header);
}

/// Benchmarks are compiled as rooms and programs, too.
std::vector<Room> product_rooms() {
  std::vector<Room> rooms = read_rooms(TUNER_ROOMS);
  std::erase_if(rooms, [](const Room& room) { return room.name.starts_with("bench_"); });
  return rooms;
}

/// With the headers of libraries.
IncludedFiles product_includes() {
  IncludedFiles includes;
  for (auto& [file, use] : read_uses(TUNER_SOURCE_DIR, kProduct)) {
    std::set<std::string>& included = includes[file];
    included = std::move(use.files);
    for (const std::string& header : use.headers) {
      if (!is_of_the_system(header)) included.insert(header);
    }
  }
  return includes;
}

// All rooms see the top folder, so an include links as long as a third room brings the symbols.
TEST_CASE("each room links every room whose headers it includes") {
  const std::vector<Room> rooms = product_rooms();
  const IncludedFiles includes = product_includes();
  CHECK(rooms.size() > 50);
  CHECK(includes.size() > 900);
  for (const std::string& line : find_homeless(TUNER_SOURCE_DIR, rooms, includes)) FAIL_CHECK(line);
  for (const std::string& line : find_unlinked(rooms, includes)) FAIL_CHECK(line);
}

/// What they may not know of a room that they link, or do not link.
struct Unseen {
  std::string_view from;
  std::vector<std::string_view> to;
};
const std::vector<std::string_view> kRace{"tuner/engine/measure/race", "tuner/engine/measure/halving",
                                          "tuner/engine/measure/tournament"};
const std::vector<Unseen> kUnseen{
    {"tuner/engine/", {"cache/sqlite/"}},
    {"tuner/fleet/", {"cache/sqlite/"}},
    {"tuner/cli/", {"cache/sqlite/"}},
    {"tuner/engine/device/lane/", {"tuner/engine/compile/", "tuner/driver/"}},
    {"tuner/engine/device/spread/", {"tuner/engine/compile/", "tuner/engine/candidates/", "tuner/driver/"}},
    {"tuner/engine/candidates/", {"search/strategy/"}},
    {"tuner/engine/candidates/", kRace},
    {"tuner/engine/searching/", kRace},
};

/// The targets of the rows of ARCHITECTURE.md's table that say what a room may not know.
std::vector<std::string> rooms_of_table() {
  std::vector<std::string> rooms;
  std::istringstream page(read_bytes(std::filesystem::path(TUNER_SOURCE_DIR) / "ARCHITECTURE.md"));
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `") || line.ends_with("| |")) continue;
    std::filesystem::path folder;
    std::istringstream cell(line.substr(0, line.find('|', 1)));
    for (std::string word; std::getline(cell, word, '`');) {
      if (!word.ends_with('/')) continue;
      word.pop_back();
      folder = folder.empty() ? std::filesystem::path(word) : folder.parent_path() / word;
      std::string room = folder.generic_string();
      std::replace(room.begin(), room.end(), '/', '_');
      rooms.push_back(room.starts_with("tuner") ? room : "tuner_" + room);
    }
  }
  return rooms;
}

TEST_CASE("each row of ARCHITECTURE.md's table is enforced") {
  const std::vector<std::string> rooms = rooms_of_table();
  CHECK(rooms.size() > 35);
  for (const std::string& room : rooms) {
    if (room == "tuner_include_tuner") continue;  // no target: what libraries it sees is all
    const bool has_row = std::ranges::any_of(kTable, [&](const Unknown& unknown) {
      return unknown.room != "tuner_engine_" && (room + "_").starts_with(unknown.room);
    });
    CHECK_MESSAGE(has_row, room);
  }
}

TEST_CASE("no room links what it may not know") {
  for (const std::string& line : find_forbidden(product_rooms(), kTable)) FAIL_CHECK(line);
}

TEST_CASE("no room sees what it may not know through headers of others") {
  const IncludedFiles includes = product_includes();
  for (const Unseen& unseen : kUnseen) {
    for (const std::string& line : find_seen(includes, unseen.from, unseen.to)) FAIL_CHECK(line);
  }
}

/// What is compiled or installed without the rooms, and what it may know of ours.
const std::vector<Unseen> kAlone{
    {"tuner/include/", {}},
    {"tuner/capture/inject/",
     {"tuner/capture/message.hpp", "tuner/capture/snapshot_format.hpp", "tuner/core/binary/cubin.hpp"}},
    {"tuner/host/shim/", {}},
};

TEST_CASE("public headers, the injected library and the shim include nothing of the rooms") {
  const IncludedFiles includes = product_includes();
  for (const Unseen& alone : kAlone) {
    for (const std::string& line : find_beyond(includes, alone.from, alone.to)) FAIL_CHECK(line);
  }
}

TEST_CASE("no file sees a library that it may not know, not even through headers of ours") {
  IncludedFiles includes = product_includes();
  // Kernels are compiled with these.
  std::erase_if(includes, [](const auto& file) { return file.first.starts_with("tuner/host/shim/"); });
  for (const std::string& line : find_strangers(includes, kLibraries)) FAIL_CHECK(line);
}

TEST_CASE("an include of a room that is not linked is found, and one of a room's own or of a public header is none") {
  const std::vector<Room> rooms{{"a", {"a", "a/deep"}, {"b"}}, {"b", {"b"}, {}}};
  CHECK(find_unlinked(rooms, {{"a/one.cpp", {"a/deep/two.hpp", "b/three.hpp", "public/four.hpp"}}}).empty());
  CHECK(find_unlinked(rooms, {{"b/three.hpp", {"a/deep/two.hpp"}}}) ==
        std::vector<std::string>{"b/three.hpp includes a/deep/two.hpp, and b does not link a"});
}

TEST_CASE(
    "a program's file is no part of the room in whose folder it lies: it is checked against what the program links") {
  const std::vector<Room> rooms{{"a", {"a"}, {"b"}}, {"b", {"b"}, {}}, {"program", {"a/main.cpp"}, {"a"}}};
  CHECK(find_unlinked(rooms, {{"a/main.cpp", {"a/one.hpp", "b/two.hpp"}}}) ==
        std::vector<std::string>{"a/main.cpp includes b/two.hpp, and program does not link b"});
  CHECK(find_homeless(TUNER_SOURCE_DIR, {}, {{"tuner/engine/engine_main.cpp", {}}}) ==
        std::vector<std::string>{"tuner/engine/engine_main.cpp is in no room"});
}

TEST_CASE("an include of ours in angle brackets is one of ours, and a library's in quotes is the library's") {
  const TemporaryFolder folder;
  folder.write("a/one.cpp", "#include <b/two.hpp>\n#include <vector>\n#include <beside.hpp>\n#include \"sqlite3.h\"\n");
  folder.write("a/beside.hpp", "");
  folder.write("b/two.hpp", "");
  const FileUse use = read_uses(folder.path(), {"a"}).at("a/one.cpp");
  CHECK(use.files == std::set<std::string>{"b/two.hpp"});
  CHECK(use.headers == std::set<std::string>{"beside.hpp", "sqlite3.h", "vector"});
}

TEST_CASE("what a file sees is found, however far it is") {
  const IncludedFiles includes{
      {"a/one.cpp", {"b/two.hpp"}}, {"b/two.hpp", {"b/three.hpp"}}, {"b/three.hpp", {"b/two.hpp", "c/four.hpp"}}};
  CHECK(find_seen(includes, "a/", {"c/"}) == std::vector<std::string>{"a/one.cpp sees c/four.hpp through b/three.hpp"});
  CHECK(find_seen(includes, "c/", {"a/"}).empty());
}

TEST_CASE("what stands alone may include its own and what is named, and nothing else of ours") {
  const IncludedFiles includes{{"a/one.hpp", {"a/two.hpp", "b/three.hpp", "c/four.hpp", "vector"}},
                               {"a/two.hpp", {}},
                               {"b/three.hpp", {}},
                               {"c/four.hpp", {}}};
  CHECK(find_beyond(includes, "a/", {"b/three.hpp"}) == std::vector<std::string>{"a/one.hpp includes c/four.hpp"});
}

TEST_CASE("a library is seen by its users alone, and one without users by nobody") {
  const std::vector<Library> libraries{{{"cuda"}, {"b/"}}};
  const IncludedFiles includes{
      {"a/one.cpp", {"b/two.hpp"}}, {"b/two.hpp", {"cuda.h"}}, {"b/three.cpp", {"cuda_runtime.h", "cudnn.h"}}};
  CHECK(find_strangers(includes, libraries) ==
        std::vector<std::string>{"a/one.cpp sees cuda.h through b/two.hpp",
                                 "b/three.cpp includes cudnn.h of a library that has no users"});
}

TEST_CASE("a file in no room, a folder of two rooms and a folder that is not there are found") {
  const std::vector<Room> rooms{{"a", {"search/space", "nowhere"}, {}}, {"b", {"search/space"}, {}}};
  CHECK(find_homeless(TUNER_SOURCE_DIR, rooms, {{"search/rule/rule.cpp", {}}, {"tuner/include/tuner/error.hpp", {}}}) ==
        std::vector<std::string>{"nowhere of a does not exist", "search/space is of a and of b",
                                 "search/rule/rule.cpp is in no room"});
}

TEST_CASE("a link to what a room may not know is found") {
  const std::vector<Room> rooms{{"top_a", {"top"}, {"low_a", "low_b"}}, {"low_a", {"low"}, {"low_b"}}};
  CHECK(find_forbidden(rooms, {{"top", {"low_"}, {"low_a"}}}) == std::vector<std::string>{"top_a links low_b"});
  CHECK(find_forbidden(rooms, {{"low", {"top"}, {}}}).empty());
}

}  // namespace
