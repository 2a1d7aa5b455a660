#include "cache/file/location.hpp"

#include <sys/stat.h>

#include <cerrno>

#include "cache/file/fail.hpp"
#include "tuner/error.hpp"
#include "tuner/ground/file_variable.hpp"

namespace tuner::cache {
namespace {

namespace fs = std::filesystem;

fs::path environment_path(const char* name) {
  const char* const value = file_variable(name);
  return value == nullptr ? fs::path{} : fs::path{value};
}

Location in_folder(const fs::path& folder) {
  return {folder / "decisions.db", folder / "binaries.db"};
}

Location as_chosen(const fs::path& given) {
  std::error_code ignored;
  // A slash at the end says that a name is a folder's, but makes no folder of a file.
  const bool file = !given.has_filename() && fs::is_regular_file(given.parent_path(), ignored);
  const fs::path chosen = file ? given.parent_path() : given;
  if (chosen.extension() != ".db") {
    const fs::file_status status = fs::status(chosen, ignored);
    if (fs::exists(status) && !fs::is_directory(status)) {
      fail(Errc::store_unavailable,
           "{} is not a folder, and the name of a file of decisions must end in .db: choose another place with "
           "--db or TUNER_DB.",
           chosen.string());
    }
    return in_folder(chosen);
  }
  Location location{chosen, chosen.parent_path() / "binaries.db"};
  const std::string name = location.decisions.filename();
  if (location.decisions == location.binaries || name == "served.db" || name.ends_with("-served.db")) {
    fail(Errc::bad_usage,
         "{} is where compiled code is stored, so decisions cannot be stored there: name the folder, or a file "
         "with another name.",
         chosen.string());
  }
  if (name == "wanted.db" || name.ends_with("-wanted.db")) {
    fail(Errc::bad_usage,
         "{} is where programs list what they missed, so decisions cannot be stored there: name the folder, or a file "
         "with another name.",
         chosen.string());
  }
  return location;
}

/// FILE.db beside decisions.db, NAME-FILE.db beside NAME.db.
fs::path beside(const fs::path& decisions, const std::string& file) {
  const std::string name = decisions.stem();
  return decisions.parent_path() / (name == "decisions" ? file : name + "-" + file);
}

/// `variable`, or `fallback` below the home folder. The XDG base directory specification says that a relative path in
/// one of its variables is to be ignored.
fs::path base_folder(const char* variable, const char* fallback) {
  if (fs::path folder = environment_path(variable); folder.is_absolute()) return folder;
  if (fs::path home = environment_path("HOME"); home.is_absolute()) return home / fallback;
  if (has_rights_of_another()) {
    throw Error(Errc::store_unavailable,
                "There is no place for the database: this program runs with privileges other than its user's, so it "
                "ignores TUNER_DB, XDG folders and HOME. The program must name the database itself.");
  }
  fail(Errc::store_unavailable,
       "There is no place for the database: neither TUNER_DB nor {} nor HOME names a folder. Set TUNER_DB to a folder "
       "that you can write.",
       variable);
}

}  // namespace

Location locate(const fs::path& chosen) {
  if (!chosen.empty()) return as_chosen(chosen);
  if (const fs::path folder = environment_path("TUNER_DB"); !folder.empty()) return as_chosen(folder);
  return {base_folder("XDG_DATA_HOME", ".local/share") / "tuner" / "decisions.db",
          base_folder("XDG_CACHE_HOME", ".cache") / "tuner" / "binaries.db"};
}

bool is_not_there_yet(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return errno == ENOENT;
  return S_ISREG(status.st_mode) && status.st_size == 0;
}

fs::path served_beside(const fs::path& decisions) {
  return beside(decisions, "served.db");
}

fs::path wanted_beside(const fs::path& decisions) {
  return beside(decisions, "wanted.db");
}

fs::path replay_database(const Location& location) {
  return location.decisions.parent_path() / "replay.db";
}

}  // namespace tuner::cache
