#pragma once

#include <cstdint>

namespace tuner::power {

/// What a program did to the files of a folder, as disk_recorder.cpp notes it down. Files and folders go by their inode
/// numbers; a number that is created again is another file.
struct Record {
  enum Kind : std::uint64_t {
    create_file,    ///< folder, object, name
    create_folder,  ///< folder, object, name
    write,          ///< object, offset, data
    truncate,       ///< object, offset: the new length
    sync,           ///< object
    unlink,         ///< folder, name
    rename,         ///< folder, object: the new folder; name, data: the new name
    mark,           ///< data: what the program wrote to its standard output
  };
  Kind kind;
  std::uint64_t folder;
  std::uint64_t object;
  std::uint64_t offset;
  std::uint64_t name_size;  ///< bytes of name and data, which follow
  std::uint64_t data_size;
};

}  // namespace tuner::power
