#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/api.hpp"
#include "tuner/description.hpp"
#include "tuner/effort.hpp"
#include "tuner/instance.hpp"
#include "tuner/problem.hpp"
#include "tuner/timing.hpp"

namespace tuner {

/// What a request may do beyond looking up. `TUNER_MODE=off|cache|background|tune` replaces what the program says.
enum class Mode : std::uint8_t {
  off,         ///< the baseline, always; decisions are not looked at
  cache,       ///< what is stored, else the baseline. Never tunes
  background,  ///< the same at once, and tunes what is missing beside the program, which swaps to the winner
  tune,        ///< tunes what is missing while the request waits, up to `tune_limit`
};

/// Something that a program may want to log. Nothing that is said here stops a request.
struct Notice {
  enum class Kind : std::uint8_t {
    database,  ///< a database, or a row of it, cannot be used; the next rung was taken
    engine,    ///< the process that compiles and tunes could not start, or was lost
    tuning,    ///< tuning began, was declined, ended or was swapped in
    request,   ///< nothing can be launched for a request, or an option or TUNER_MODE is out of range; or less of an
               ///< array in constant memory is described than it has
    launch,    ///< a launch that failed: arguments that do not fit, the driver's refusal, a fallback's error
  };
  Kind kind = Kind::database;
  std::string sentence;  ///< one line
};

struct RuntimeOptions {
  Mode mode = Mode::cache;
  /// Production: whatever `mode` and TUNER_MODE say, nothing is tuned.
  bool never_tune = false;
  /// Production: what is no exact hit is the caller's fallback or unrunnable; never near, other or baseline.
  bool exact_only = false;
  /// Which GPU: unset, that of the context that is current at each request; else the primary context of the GPU with
  /// this number, which a request makes current, as cudaSetDevice would.
  std::optional<int> device = {};
  Timing timing = Timing::cold;
  /// Folder or file of the user's database, as TUNER_DB; empty: the default place.
  std::filesystem::path database = {};
  /// Read-only databases to look into after the user's, in this order: folders or files. Besides these,
  /// TUNER_SYSTEM_DB names some, with colons between, and a site may have some for all its users: /etc/tuner, and
  /// share/tuner/system.db where this library is installed, if they are there when the Runtime is made.
  std::vector<std::filesystem::path> system_databases = {};
  /// How long a request waits for other processes to release a database file. Higher: fewer requests miss what is
  /// stored while others write; lower: requests return sooner. What was missed for that is looked for again, a second
  /// later at the earliest.
  std::chrono::milliseconds database_patience{50};
  /// Lists what is missing: each problem for which no decision is stored, with the kernel's source, and how often it is
  /// launched, in a file beside the user's database, for `tuner wanted` and `tuner tune --wanted` (docs/library.md).
  /// Written by a thread of its own; a launch of such a problem takes a nanosecond more. TUNER_WANTED=0|1 replaces what
  /// the program says. A program with the rights of another user writes nothing.
  bool wanted = false;
  /// How long a request waits for a baseline, or a winner without a stored binary, to be compiled.
  std::chrono::milliseconds compile_limit{30000};
  /// Mode::tune: how long a request waits, but for some seconds in which tuning concludes and, where it could not, the
  /// next rung is compiled. Tuning ends with what it has by then. That is stored, as of effort `quick`, if at least
  /// twenty configurations besides the baseline were timed; whoever tunes next goes on from it.
  std::chrono::milliseconds tune_limit{60000};
  /// Mode::background: the part of the GPU's time that tuning may take, 0.001 to 1 (brought into that range).
  /// Higher: done sooner.
  double background_share = 0.05;
  /// Mode::background: processes that compile beside the program, at low priority; at least 1.
  int background_compile_workers = 2;
  /// Mode::background: a winner takes over if the lower end of its speed-up's interval is at least this; at
  /// least 1.
  double swap_threshold = 1.05;
  /// How thoroughly a missing kernel is tuned, and one of which a decision of less effort is all that is stored.
  /// Mode::background tunes it once more, with `normal`, when a `quick` search is done, or was by an earlier program.
  Effort effort = Effort::quick;
  /// How many configurations to try when tuning, in place of `effort`; 0: as `effort` says.
  std::uint64_t tune_evaluations = 0;
  /// Instances that may exist at once, over all kernels, problems and contexts; further requests get the fallback or
  /// are unrunnable. Each holds some kilobytes, and its module device memory, until the Runtime ends.
  std::size_t max_instances = 4096;
  /// Told what happens, from the thread that meets it: of several threads at once, and of the Runtime's own. Must not
  /// throw or call the Runtime.
  std::function<void(const Notice&)> observer = {};
};

/// The caller's own way to run the kernel where there is no other: gets the stream and the addresses of the arguments,
/// returns 0 or an error code of its own. What the call site passes is not checked for it.
using Fallback = std::function<int(Stream stream, std::span<void* const> arguments)>;

struct KernelOptions {
  Fallback fallback = {};
};

/// Whether the bytes of Runtime::frozen have the compiled binaries with them.
enum class FrozenBinaries : std::uint8_t {
  left_out,  ///< who reads the bytes takes binaries from its own databases, or compiles
  included,  ///< who reads the bytes needs neither: some ten kilobytes a decision more
};

/// What is known of one request besides its problem.
struct RequestOptions {
  /// The stream that will be launched on: where it is being captured into a graph, nothing is compiled. Captures of the
  /// legacy stream are noticed without it.
  Stream stream = nullptr;
};

namespace detail {
class KernelState;
class RuntimeState;
}  // namespace detail

/// One tunable kernel of a Runtime. A handle that is cheap to copy; valid as long as the Runtime.
class TUNER_API Kernel {
 public:
  /// The kernel for a problem: values in declared order; defaults may be left out at the end. The first request for a
  /// problem reads the databases, loads the binary, and, where none is stored, waits for the engine to compile it
  /// (`compile_limit`); later ones are a lock-free look-up of some tens of nanoseconds. Never throws and never tunes
  /// except in Mode::tune; what goes wrong is the next rung, see Instance::provenance. Safe from several threads.
  const Instance& request(std::initializer_list<ProblemValue> problem, RequestOptions options = {}) const noexcept {
    return request(std::span<const ProblemValue>(problem.begin(), problem.size()), options);
  }
  const Instance& request(std::span<const ProblemValue> problem, RequestOptions options = {}) const noexcept;
  /// For a kernel whose problem has defaults for everything, or nothing.
  const Instance& request() const noexcept { return request(std::span<const ProblemValue>{}); }
  /// By name, in any order: `request({{"rows", 528}, {"row_length", 65536}})`. Some tens of nanoseconds more.
  const Instance& request(std::initializer_list<NamedValue> problem, RequestOptions options = {}) const noexcept;

 private:
  friend class Runtime;
  explicit Kernel(detail::KernelState* state) noexcept : state_(state) {}
  detail::KernelState* state_;
};

/// Finds, loads and launches tuned kernels. One a program is enough; several do not disturb each other. Construction
/// touches neither files nor the driver: the databases are opened by `kernel`, the driver by the first request.
/// Destruction ends the engine, for which it waits up to a second; no launch may be under way by then that this program
/// still needs, since modules are unloaded. Where tuner::scratch was used it waits for the work of the context, which
/// must not be capturing a graph then, and frees that memory. Contexts must live as long as the Runtime. After fork() a
/// child makes its own.
class TUNER_API Runtime {
 public:
  explicit Runtime(RuntimeOptions options = {});
  ~Runtime();
  Runtime(Runtime&&) noexcept;
  Runtime& operator=(Runtime&&) noexcept;

  /// Takes the description; once a kernel is enough. Looks into the databases whether its text was served from before,
  /// and parses it if it was not: throws Error{bad_description} for the mistakes of a text.
  Kernel kernel(const Description& description, KernelOptions options = {});

  /// The decisions in use as bytes, to be sent to other processes or written to a file: for each problem that was
  /// requested, what is launched now, baselines too, but no fallback. `from_frozen` reads them. What takes over later
  /// in this Runtime is not in them: who needs one answer everywhere also serves itself from its bytes.
  ///
  /// Parses the sources that were not parsed yet, some milliseconds; with FrozenBinaries::included it also reads the
  /// databases, and compiles what is not stored (`compile_limit` for each); what cannot be had is left out, and the
  /// observer told. Safe from several threads, and beside requests and launches. Throws Error{bad_description} for a
  /// source that became unreadable, else nothing but std::bad_alloc.
  std::vector<std::byte> frozen(FrozenBinaries binaries = FrozenBinaries::left_out) const;

  /// A Runtime that serves exactly these decisions, with the rungs on which they were served: it reads no others, tunes
  /// nothing, and swaps nothing; its mode is `cache`, whatever `options` and TUNER_MODE say. Every configuration is
  /// checked against the description and the GPU here. What cannot be used, and every other request, is the baseline
  /// (with `exact_only`, as there). On another kind of GPU of the same compute capability what was frozen is served as
  /// Rung::other_device, on any other as the baseline. Binaries come from the bytes, else from the databases in
  /// `options`, else from the engine. What could not be compiled in time is tried again by later requests.
  ///
  /// Touches neither files nor the driver. Throws Error{store_damaged} for bytes that are damaged, or are none of
  /// frozen(), and Error{store_newer} for those of another version of the library.
  ///
  /// Caveats: the check finds damage, not forgery. Binaries are code that runs with the program's rights: take bytes
  /// that have some only from who may run code here.
  static Runtime from_frozen(std::span<const std::byte> bytes, RuntimeOptions options = {});

  /// The mode in force, TUNER_MODE and `never_tune` considered.
  Mode mode() const noexcept;

  /// Waits until nothing is being tuned for this Runtime any more, and what was found is in use; false if that is not
  /// so by the end of `limit`.
  bool wait_for_tuning(std::chrono::milliseconds limit);

 private:
  explicit Runtime(std::unique_ptr<detail::RuntimeState> state) noexcept;
  std::unique_ptr<detail::RuntimeState> state_;
};

}  // namespace tuner
