#include "tuner/engine/recording/recording_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <zlib.h>

#include "tests/core/support.hpp"
#include "tests/core/task/npy_file.hpp"

namespace tuner::engine {
namespace {

namespace fs = std::filesystem;

struct Folder : test::TemporaryFolder {
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path()), fs::directory_iterator()));
  }
};

constexpr const char* kRecording = "#space 1\n#kernel k\n#gpu G\n#param X 1,2\nX,status,time_ms\n1,ok,5\n2,ok,6\n";

void refuses(const fs::path& file, Replace replace, const std::string& sentence) {
  CAPTURE(file.string());
  CHECK_THROWS_WITH_AS(RecordingFile(file, replace), doctest::Contains(sentence.c_str()), Error);
}

void pack(const fs::path& file, const std::string& head, const std::string& repeated, std::size_t times) {
  const gzFile out = gzopen(file.c_str(), "wb6");
  gzwrite(out, head.data(), static_cast<unsigned>(head.size()));
  for (std::size_t i = 0; i < times; ++i) gzwrite(out, repeated.data(), static_cast<unsigned>(repeated.size()));
  gzclose(out);
}

}  // namespace

TEST_CASE("a recording takes the place of an older one, and only if it is told to") {
  const Folder folder;
  const fs::path old = folder.write("old.csv", kRecording);
  refuses(old, Replace::nothing, "--force");
  const Recording recording = read_recording(old);
  write_recording(recording, folder.path() / "old.csv.gz");
  refuses(folder.path() / "old.csv.gz", Replace::nothing, "--force");
  folder.write("old.csv", std::string(kRecording) + "\n");
  RecordingFile(old, Replace::recordings).write(recording);
  CHECK(test::read_bytes(old) == recording_text(recording));
  CHECK(folder.files() == 2);
}

TEST_CASE("a recording does not replace files of others, links, pipes or folders, whatever it is told") {
  const Folder folder;
  const fs::path mine = folder.write("mine.txt", "a year of work");
  const fs::path recording = folder.write("old.csv", kRecording);
  folder.write("empty", "");
  fs::create_symlink(recording, folder.path() / "link.csv");
  fs::create_symlink(folder.path() / "nothing", folder.path() / "dangling.csv");
  fs::create_directory(folder.path() / "folder.csv");
  REQUIRE(mkfifo((folder.path() / "pipe.csv").c_str(), 0600) == 0);
  for (const Replace replace : {Replace::nothing, Replace::recordings}) {
    refuses(mine, replace, "not a recording");
    refuses(folder.path() / "empty", replace, "not a recording");
    refuses(folder.path() / "link.csv", replace, "symbolic link");
    refuses(folder.path() / "dangling.csv", replace, "symbolic link");
    refuses(folder.path() / "folder.csv", replace, "folder");
    refuses(folder.path() / "folder.csv/", replace, "folder");
    refuses(folder.path() / "pipe.csv", replace, "pipe");
    refuses("/dev/null", replace, "device");
    refuses(folder.path() / "no such folder/x.csv", replace, "folder");
  }
  CHECK(test::read_bytes(mine) == "a year of work");
  CHECK(test::read_bytes(recording) == kRecording);
  CHECK(folder.files() == 7);
}

TEST_CASE("what a replay accepts as a recording may be replaced as one, and nothing else") {
  const Folder folder;
  for (const char* const blanks : {"\n", " \t", "\r\n \n", "\xEF\xBB\xBF", "\xEF\xBB\xBF\n  "}) {
    const fs::path old = folder.write("old.csv", std::string(blanks) + kRecording);
    const Recording recording = read_recording(old);
    refuses(old, Replace::nothing, "--force");
    RecordingFile(old, Replace::recordings).write(recording);
    CHECK(test::read_bytes(old) == recording_text(recording));
  }
  for (const std::string text : {"\n\n", "\n#spaces of mine\n", "x #space 1\n", "#space\n"}) {
    const fs::path mine = folder.write("mine.csv", text);
    CHECK_THROWS_AS(read_recording(mine), Error);
    refuses(mine, Replace::recordings, "not a recording");
    CHECK(test::read_bytes(mine) == text);
  }
}

TEST_CASE("a recording that appeared during a session stays, though an older one might have been replaced") {
  const Folder folder;
  const fs::path name = folder.path() / "new.csv";
  const Recording recording = read_recording(folder.write("from.csv", kRecording));
  RecordingFile file(name, Replace::recordings);
  const std::string other = std::string(kRecording) + "# of another session\n";
  folder.write("new.csv", other);
  CHECK_THROWS_WITH_AS(file.write(recording), doctest::Contains("What was recorded is in"), Error);
  CHECK(test::read_bytes(name) == other);
}

TEST_CASE("a session that fails leaves an older recording as it is, and nothing half written beside it") {
  const Folder folder;
  const fs::path old = folder.write("old.csv", kRecording);
  {
    const RecordingFile file(old, Replace::recordings);
    CHECK(folder.files() == 2);
  }
  CHECK(test::read_bytes(old) == kRecording);
  CHECK(folder.files() == 1);
}

TEST_CASE("what took the recording's name meanwhile stays, and what was recorded is kept beside it") {
  const Folder folder;
  const Recording recording = read_recording(folder.write("from.csv", kRecording));
  const fs::path victim = folder.write("victim", "a year of work");
  for (const Replace replace : {Replace::nothing, Replace::recordings}) {
    const fs::path name = folder.path() / "new.csv";
    std::string told;
    {
      RecordingFile file(name, replace);
      fs::create_symlink(victim, name);
      told = test::error_of([&] { file.write(recording); });
    }
    const std::size_t at = told.find("What was recorded is in ");
    REQUIRE(at != std::string::npos);
    const std::string kept = told.substr(at + 24, told.size() - at - 25);
    CHECK(test::read_bytes(kept) == recording_text(recording));
    CHECK(test::read_bytes(victim) == "a year of work");
    CHECK(fs::is_symlink(name));
    fs::remove(name);
    { const RecordingFile next(name, replace); }
    CHECK(fs::exists(kept));
    fs::remove(kept);
  }
}

TEST_CASE("a small file that unpacks to gigabytes is refused early") {
  const Folder folder;
  const fs::path file = folder.path() / "bomb.csv.gz";
  pack(file, kRecording, std::string(std::size_t{1} << 20U, '\n'), 48);
  CHECK_THROWS_WITH_AS(read_recording(file), doctest::Contains("unpacks to more than"), Error);
  pack(file, "#space 1\n#kernel ", std::string(std::size_t{1} << 20U, 'k'), 6);
  CHECK_THROWS_WITH_AS(read_recording(file), doctest::Contains("a line of more than"), Error);
}

TEST_CASE("more rows than the parameters make are refused at the first of them") {
  const Folder folder;
  CHECK_THROWS_WITH_AS(read_recording(folder.write("rows.csv", std::string(kRecording) + "1,ok,5\n1,no number,5\n")),
                       doctest::Contains("rows.csv:8: there are more rows than the 2 configurations"), Error);
}

TEST_CASE("a parameter that is declared behind the rows is refused") {
  const Folder folder;
  CHECK_THROWS_WITH_AS(read_recording(folder.write("late.csv", std::string(kRecording) + "#param LATE 1,2\n")),
                       doctest::Contains("declared after the line that names the columns"), Error);
}

TEST_CASE("a device of a recording has no text of several lines") {
  const Folder folder;
  std::string text = kRecording;
  text.insert(text.find("#param"), "#device {\"name\": \"G\\nint main() {}\"}\n");
  CHECK_THROWS_WITH_AS(read_recording(folder.write("device.csv", text)), doctest::Contains("control character"), Error);
}

TEST_CASE("a recording in UTF-16 is named as such, and a line of a megabyte is not repeated") {
  const Folder folder;
  CHECK_THROWS_WITH_AS(read_recording(folder.write("wide.csv", std::string("\xff\xfe#\0s\0", 6))),
                       doctest::Contains("UTF-16"), Error);
  const std::string before(kRecording, std::string_view(kRecording).rfind("2,ok"));
  const fs::path file = folder.write("long.csv", before + std::string(1'000'000, '9') + ",ok,5\n");
  const std::string message = test::error_of([&] { read_recording(file); });
  REQUIRE(message != "no error");
  CHECK(message.size() < 600 + folder.path().string().size());
}

}  // namespace tuner::engine
