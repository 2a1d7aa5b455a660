#include "tuner/capture/stored/capture_folder.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <random>

#include "cache/file/hash.hpp"
#include "tests/capture/stored/sample.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/length.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/capture/stored/unstored.hpp"

using namespace tuner;
using namespace tuner::capture;
using namespace tuner::test;

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> blobs_in(const fs::path& folder) {
  std::vector<fs::path> blobs;
  for (const auto& entry : fs::directory_iterator(folder / "data")) blobs.push_back(entry.path());
  std::sort(blobs.begin(), blobs.end());
  return blobs;
}

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Files can have no more bytes, as on a disk that is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t most) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{most, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

/// Bytes that do not shrink.
std::string noise(std::size_t size) {
  std::mt19937_64 random(11);
  std::string bytes;
  while (bytes.size() < size) append(bytes, random());
  bytes.resize(size);
  return bytes;
}

/// A launch with one allocation that holds this.
void write_contents(const fs::path& folder, const std::string& contents) {
  FolderWriter writer(folder, {});
  Snapshot snapshot = *read_records(Sample::records());
  snapshot.allocations = {{kFirst, contents.size(), 0}};
  snapshot.variables.clear();
  const auto bytes = std::as_bytes(std::span(contents));
  writer.add(snapshot, bytes, bytes, {});
  writer.finish();
}

/// What reading everything of a folder says; empty if that is right.
std::string trouble_of(const fs::path& folder) {
  try {
    for (const StoredLaunch& launch : read_capture(folder).launches) {
      for (const auto* memories : {&launch.allocations, &launch.variables}) {
        for (const StoredMemory& memory : *memories) {
          load_blob(folder, memory.before);
          load_blob(folder, memory.after);
        }
      }
      load_blob(folder, launch.module);
    }
  } catch (const Error& error) {
    const bool is_expected = error.code() == Errc::store_damaged || error.code() == Errc::store_newer ||
                             error.code() == Errc::file_not_found;
    CHECK(is_expected);
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a launch is read from its folder as it was") {
  const TemporaryFolder folder;
  write_sample(folder / "c");
  const Capture capture = read_capture(folder / "c");
  CHECK(capture.program.command == std::vector<std::string>{"./scale", "10 0"});
  CHECK(capture.program.executable_hash == std::string(32, '5'));
  CHECK(capture.created_unix_ms > 1600000000000);
  REQUIRE(capture.launches.size() == 1);
  const StoredLaunch& launch = capture.launches[0];
  const Snapshot sample = *read_records(Sample::records());
  CHECK(launch.kernel == sample.kernel);
  CHECK(std::memcmp(&launch.launch, &sample.launch, sizeof launch.launch) == 0);
  CHECK(std::memcmp(&launch.device, &sample.device, sizeof launch.device) == 0);
  REQUIRE(launch.parameters.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(launch.parameters[i].offset == sample.parameters[i].offset);
    CHECK(launch.parameters[i].bytes == sample.parameters[i].bytes);
  }
  CHECK(launch.attributes.at(0).value == 65536);
  CHECK(launch.limits.at(0).value == 1024);
  CHECK(launch.launch_attributes.at(0).value == 2);
  CHECK(launch.frames.at(0).file == "/home/me/scale");
  CHECK(launch.frames.at(0).offset == 0x1234);
  CHECK(launch.gpu == "NVIDIA H200");
  CHECK(launch.weight.launches == 40);
  CHECK(launch.weight.mean_ns == doctest::Approx(12500));
  REQUIRE(launch.allocations.size() == 2);
  CHECK(launch.allocations[1].address == kSecond);
  CHECK(launch.allocations[0].before == launch.allocations[0].after);
  CHECK(text_of(load_blob(folder / "c", launch.allocations[1].before)) == std::string(512, 'b'));
  CHECK(text_of(load_blob(folder / "c", launch.allocations[1].after)) == 'x' + std::string(511, 'b'));
  CHECK(launch.variables.at(0).name == "weights");
  CHECK(text_of(load_blob(folder / "c", launch.module)) == "no cubin");
  REQUIRE(launch.unstored.size() == 1);
  CHECK(launch.unstored[0].kind == "managed memory (cudaMallocManaged)");
  CHECK(launch.unstored[0].address == 0x6161616161610000);
  CHECK(launch.unstored[0].size == 0x10000);
  CHECK(launch.unstored[0].words == 128);
}

TEST_CASE("captures of before it was noticed what is not stored are read") {
  const TemporaryFolder folder;
  write_sample(folder / "c");
  auto manifest = nlohmann::json::parse(read_bytes(folder / "c/manifest.json"));
  CHECK(manifest["launches"][0].erase("unstored") == 1);
  write_bytes(folder / "c/manifest.json", manifest.dump());
  CHECK(read_capture(folder / "c").launches.at(0).unstored.empty());
}

TEST_CASE("only words that lie in memory that is not stored count, whichever it is") {
  Snapshot snapshot;
  snapshot.unstored = {{0x1000, 0x100, 0, "one"}, {0x2000, 0x100, 0, "two"}, {0x2080, 0x100, 0, "two"}};
  std::string contents;
  for (const std::uint64_t word : {0x0ul, 0xffful, 0x1000ul, 0x10fful, 0x1100ul, 0x2000ul, 0x217ful, 0x2180ul, ~0ul})
    append(contents, word);
  contents += "rest";
  snapshot.allocations = {{kFirst, contents.size(), 0, ""}};
  const std::vector<UnstoredMemory> found = unstored_memory(snapshot, std::as_bytes(std::span(contents)));
  REQUIRE(found.size() == 3);
  CHECK(found[0].words == 2);
  CHECK(found[1].words == 1);
  CHECK(found[2].words == 1);
  CHECK(unstored_text(found) == "4 words of its allocations may be pointers to one and two, which is not stored");
  CHECK(unstored_text({}).empty());
}

TEST_CASE("equal contents are stored once, however many launches have them") {
  const TemporaryFolder folder;
  write_sample(folder / "c", 4);
  CHECK(read_capture(folder / "c").launches.size() == 4);
  CHECK(blobs_in(folder / "c").size() == 5);  // two allocations, one of them twice; a variable; a module
}

TEST_CASE("only the owner can read a folder, whatever the umask") {
  const TemporaryFolder folder;
  const mode_t before = umask(0);
  fs::create_directory(folder / "c");
  write_sample(folder / "c");
  umask(before);
  CHECK(mode_of(folder / "c") == 0700);
  CHECK(mode_of(folder / "c/data") == 0700);
  CHECK(mode_of(folder / "c/manifest.json") == 0600);
  for (const fs::path& blob : blobs_in(folder / "c")) CHECK(mode_of(blob) == 0600);
}

TEST_CASE("contents of any length come back, and are packed where that makes them shorter") {
  const TemporaryFolder folder;
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{2}, kChunkBytes - 1, kChunkBytes, kChunkBytes + 1, 5 * kChunkBytes / 2}) {
    for (const bool is_noise : {false, true}) {
      const std::string contents = is_noise ? noise(size) : std::string(size, 'z');
      const fs::path place = folder / (std::to_string(size) + (is_noise ? "n" : "z"));
      write_contents(place, contents);
      const Blob blob = read_capture(place).launches[0].allocations[0].before;
      CHECK(blob.hash == cache::content_hash(contents).text);
      CHECK((text_of(load_blob(place, blob)) == contents));
      const std::uintmax_t stored = fs::file_size(place / "data" / blob.file_name());
      CHECK(stored <= size + 8 * (size / kChunkBytes + 1));
      if (!is_noise && size > 1000) CHECK(stored < size / 100);
    }
  }
}

TEST_CASE("a folder that holds something is refused, and stays as it was") {
  const TemporaryFolder folder;
  folder.write("c/mine", "text");
  const std::string sentence = error_of(Errc::bad_usage, [&] { FolderWriter(folder / "c", {}); });
  CHECK(contains(sentence, "is not empty"));
  CHECK(contains(sentence, "-o"));
  CHECK(read_bytes(folder / "c/mine") == "text");
  CHECK(!fs::exists(folder / "c/data"));
  CHECK(contains(error_of(Errc::bad_usage, [&] { FolderWriter(folder / "c/mine", {}); }), "Not a directory"));
  CHECK(contains(error_of(Errc::bad_usage, [&] { FolderWriter(folder / "no/c", {}); }), "No such file"));
}

TEST_CASE("a folder that is not finished leaves nothing") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "mine");
  for (const std::string name : {"c", "mine"}) {
    const Sample sample;
    FolderWriter writer(folder / name, {});
    const auto bytes = std::as_bytes(std::span(sample.before));
    writer.add(*read_records(Sample::records()), bytes, bytes, {});
    CHECK(contains(error_of(Errc::store_damaged, [&] { read_capture(folder / name); }), "incomplete"));
  }
  CHECK(!fs::exists(folder / "c"));
  CHECK(fs::is_empty(folder / "mine"));
}

TEST_CASE("a full disk is one sentence, and leaves nothing, wherever it is full") {
  const TemporaryFolder folder;
  const std::string contents = noise(kChunkBytes + 10000);
  write_contents(folder / "whole", contents);
  for (const rlim_t most : {0ul, 1ul, 7ul, 8ul, 9ul, 500ul, 1000ul, 4096ul, 4194304ul, 4194312ul, 4204000ul}) {
    CAPTURE(most);
    std::string sentence;
    {
      const FullDisk disk(most);
      sentence = error_of([&] { write_contents(folder / "c", contents); });
    }
    CHECK(contains(sentence, "The capture cannot be stored in "));
    CHECK(contains(sentence, "Free space there"));
    CHECK(!fs::exists(folder / "c"));
  }
  // The manifest is longer than all of the contents.
  const FullDisk disk(1500);
  CHECK(contains(error_of(Errc::store_unavailable, [&] { write_sample(folder / "c"); }), "Free space there"));
  CHECK(!fs::exists(folder / "c"));
}

TEST_CASE("what is no capture is one sentence") {
  const TemporaryFolder folder;
  CHECK(contains(error_of(Errc::file_not_found, [&] { read_capture(folder.path()); }), "cannot be read"));
  CHECK(!is_capture_folder(folder.path()));
  fs::create_directory(folder / "data");
  CHECK(is_capture_folder(folder.path()));
  CHECK(contains(error_of(Errc::store_damaged, [&] { read_capture(folder.path()); }), "incomplete"));
  mkfifo((folder / "manifest.json").c_str(), 0600);
  CHECK(contains(error_of(Errc::file_not_found, [&] { read_capture(folder.path()); }), "cannot be read"));
  fs::remove(folder / "manifest.json");
  for (const char* const text : {"", "[]", "{", "null", "{\"format\": \"1\"}", "{\"format\": 0}", "{\"format\": -1}"}) {
    folder.write("manifest.json", text);
    CHECK(contains(error_of(Errc::store_damaged, [&] { read_capture(folder.path()); }), "damaged"));
  }
  folder.write("manifest.json", "{\"format\": 2, \"unknown\": []}");
  CHECK(contains(error_of(Errc::store_newer, [&] { read_capture(folder.path()); }), "format 2"));
  folder.write("manifest.json", std::string(100000, '['));
  CHECK(contains(error_of(Errc::store_damaged, [&] { read_capture(folder.path()); }), "damaged"));
  fs::resize_file(folder / "manifest.json", std::uintmax_t{1} << 40);
  CHECK(contains(error_of(Errc::store_damaged, [&] { read_capture(folder.path()); }), "too long"));
}

TEST_CASE("names of blobs lead nowhere else, and sizes promise no memory") {
  const TemporaryFolder folder;
  write_sample(folder / "c");
  const auto manifest = nlohmann::json::parse(read_bytes(folder / "c/manifest.json"));
  auto changed = manifest;
  changed["launches"][0]["module"]["hash"] = "../../../../../../../etc/passwd0";
  write_bytes(folder / "c/manifest.json", changed.dump());
  CHECK(contains(trouble_of(folder / "c"), "launches[0].module.hash"));
  changed = manifest;
  changed["launches"][0]["module"]["size"] = std::uint64_t{1} << 62;
  write_bytes(folder / "c/manifest.json", changed.dump());
  const Blob module = read_capture(folder / "c").launches[0].module;
  CHECK(contains(trouble_of(folder / "c"), module.file_name()));
  fs::rename(folder / "c/data" / (module.hash + ".8"), folder / "c/data" / module.file_name());
  CHECK(contains(trouble_of(folder / "c"), "is damaged"));
}

TEST_CASE("a value of the wrong kind anywhere in a manifest is one sentence that names it") {
  const TemporaryFolder folder;
  write_sample(folder / "c");
  const auto manifest = nlohmann::json::parse(read_bytes(folder / "c/manifest.json")).flatten();
  // Written for readers, and made anew from what else is there.
  const auto is_not_read = [](const std::string& key) {
    return key.ends_with("/kernel") || key.ends_with("/readable") || key.ends_with("/name") ||
           contains(key, "/parameters/");
  };
  for (const auto& item : manifest.items()) {
    CAPTURE(item.key());
    for (const nlohmann::json& value : {nlohmann::json(nlohmann::json::value_t::null), nlohmann::json(-1.5),
                                        nlohmann::json(true), nlohmann::json("?")}) {
      auto changed = manifest;
      changed[item.key()] = value;
      write_bytes(folder / "c/manifest.json", changed.unflatten().dump());
      const std::string trouble = trouble_of(folder / "c");
      if (!is_not_read(item.key()) && value.is_number()) CHECK(trouble != "");
    }
  }
}

TEST_CASE("a folder with damaged bytes is read or refused") {
  const TemporaryFolder folder;
  write_sample(folder / "c", 2);
  std::vector<fs::path> files = blobs_in(folder / "c");
  files.push_back(folder / "c/manifest.json");
  std::mt19937 random(7);
  std::size_t refused = 0;
  const std::size_t tries = length(600, 30000);
  for (std::size_t i = 0; i < tries; ++i) {
    const fs::path& file = files[i % 2 == 0 ? files.size() - 1 : random() % files.size()];
    const std::string whole = read_bytes(file);
    std::string damaged = whole;
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
      const std::size_t at = random() % damaged.size();
      if (random() % 4 == 0) damaged.erase(at, random() % 40);
      if (damaged.empty()) damaged = "?";
      damaged[at % damaged.size()] =
          static_cast<char>(random() % 2 == 0 ? "0123456789{}[],\"-"[random() % 17] : random());
    }
    write_bytes(file, damaged);
    if (!trouble_of(folder / "c").empty()) ++refused;
    write_bytes(file, whole);
  }
  CHECK(refused > tries / 4);
  CHECK(trouble_of(folder / "c").empty());
}

TEST_CASE("a program is found as a shell finds it, and hashed") {
  const ProgramFacts found = facts_of_program({"sh", "-c", "exit"});
  CHECK(found.executable.starts_with("/"));
  CHECK(found.executable_hash == cache::content_hash(read_bytes(found.executable)).text);
  CHECK(found.folder == fs::current_path().string());
  CHECK(facts_of_program({"./no such program"}).executable_hash.empty());
  CHECK(facts_of_program({"no such program"}).executable.empty());
}
