#include "tuner/cli/terminal/exit_code.hpp"

#include <array>

namespace tuner::cli {

namespace {

constexpr std::array<ExitCodeText, 13> kTexts{{
    {ExitCode::done, "done"},
    {ExitCode::no_result,
     "no usable result: every candidate failed, the requested result is not stored, `check` reported findings, or "
     "writing to standard output failed"},
    {ExitCode::bad_input, "invalid command line, kernel file, problem or recording, or an empty search space"},
    {ExitCode::no_device, "no NVIDIA driver or no GPU"},
    {ExitCode::no_toolkit, "the CUDA toolkit, the worker program or, for `check --host`, a C++ compiler was not found"},
    {ExitCode::store, "the database cannot be used, or is damaged"},
    {ExitCode::device_failed, "the GPU was lost, or what everything is compared with failed to run"},
    {ExitCode::busy,
     "another process is tuning the same kernel and problem, or is tuning on the same GPU, and `--if-busy leave` was "
     "given"},
    {ExitCode::slower, "`compare` found the second slower than the first"},
    {ExitCode::undecided, "`compare` could not decide within its time, or without a GPU"},
    {ExitCode::internal, "internal error (a bug in this program); please report it"},
    {ExitCode::shortage,
     "the system, or a limit (`ulimit -a`), leaves too little memory, or too few threads, processes or open files"},
    {ExitCode::interrupted, "interrupted; what `tune` measured is kept"},
}};

}  // namespace

ExitCode exit_code_for(Errc code) {
  switch (code) {
    case Errc::bad_usage:
    case Errc::bad_description:
    case Errc::bad_problem:
    case Errc::empty_space:
    case Errc::file_not_found:
    case Errc::bad_recording:
      return ExitCode::bad_input;
    case Errc::store_unavailable:
    case Errc::store_damaged:
    case Errc::store_newer:
      return ExitCode::store;
    case Errc::no_toolkit:
    case Errc::no_worker:
      return ExitCode::no_toolkit;
    case Errc::no_driver:
      return ExitCode::no_device;
    case Errc::device_lost:
    case Errc::baseline_failed:
      return ExitCode::device_failed;
    case Errc::busy:
      return ExitCode::busy;
    case Errc::not_stored:
      return ExitCode::no_result;
    case Errc::shortage:
      return ExitCode::shortage;
    case Errc::internal:
      break;
  }
  return ExitCode::internal;
}

std::span<const ExitCodeText> exit_code_texts() {
  return kTexts;
}

}  // namespace tuner::cli
