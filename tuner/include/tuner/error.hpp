#pragma once

#include <stdexcept>
#include <string>

#include "tuner/api.hpp"

namespace tuner {

/// What kind of thing could not be done. The message says the rest.
enum class Errc {
  bad_usage,          ///< the request itself: unknown option, unknown parameter, value of the wrong kind
  bad_description,    ///< a kernel file's directives, a T1 file or an expression in them
  bad_problem,        ///< a problem value is missing, not a number, or outside what the kernel accepts
  empty_space,        ///< no configuration satisfies the constraints
  file_not_found,     ///< a file that was named does not exist or cannot be read
  bad_recording,      ///< a recorded space that cannot be parsed or does not fit the kernel
  store_unavailable,  ///< the database cannot be opened or written: permissions, disk, lock
  store_damaged,      ///< the database fails its checks, or frozen decisions do
  store_newer,        ///< the database was written by a newer version of this program, frozen decisions by another one
  no_toolkit,         ///< NVRTC or its headers were not found
  no_driver,          ///< libcuda.so.1 was not found or finds no device
  no_worker,          ///< the worker program was not found, or is of another build
  device_lost,        ///< the device, or every worker started for it, failed repeatedly
  busy,               ///< another process has what is needed, and waiting for it was not wanted
  baseline_failed,    ///< the configuration that everything is compared with does not run
  internal,           ///< a broken invariant: a bug in this library
  not_stored,         ///< the database has nothing of what was asked for
  shortage,           ///< the system, or a limit, leaves too little memory, or too few threads, processes or open files
};

/// Thrown when what was asked cannot be done. `what()` is a full sentence that names the thing, the value and a next
/// step. Results of candidates (a kernel that does not compile, a wrong answer) are never thrown: they are rows of the
/// database.
class TUNER_API Error : public std::runtime_error {
 public:
  Error(Errc code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  Errc code() const noexcept { return code_; }

 private:
  Errc code_;
};

}  // namespace tuner
