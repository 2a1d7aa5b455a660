#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/api.hpp"
#include "tuner/buffer.hpp"
#include "tuner/detail/call_signature.hpp"
#include "tuner/effort.hpp"
#include "tuner/tuned_values.hpp"

namespace tuner {

/// How an instance came to be, best first but for the last. Every request ends on one of them.
enum class Rung : std::uint8_t {
  exact,         ///< the winner stored for this problem on this GPU model
  near_size,     ///< the winner of a problem whose sizes are within a factor of four, all else equal
  other_device,  ///< the winner of this problem, or else of a near size, on another GPU of the same architecture
  baseline,      ///< the description's defaults
  fallback,      ///< the caller's own function
  unrunnable,    ///< nothing can be launched; `why` says what is missing
  /// What a rule says that was learned from the sizes that were tuned. It comes behind what is so near that it was the
  /// better adviser on sizes that were left out, and before other near sizes; its number is not its rank.
  predicted,
};
/// "exact", "near size", "other device", "baseline", "fallback", "unrunnable", "predicted".
TUNER_API std::string_view to_string(Rung rung) noexcept;

/// Where an instance comes from and what is known of it. A copy: later swaps do not change it.
struct Provenance {
  Rung rung = Rung::unrunnable;
  std::string why;            ///< one sentence: why this rung, and why none above it
  std::string configuration;  ///< canonical text, "BLOCKDIMX=128,…"; empty for fallback and unrunnable
  std::string problem;        ///< for which it was tuned, canonical text; another than asked for on near_size
  std::string device;         ///< on which it was tuned; empty where nothing was
  /// How much slower than the best it is expected to be, 0.02 is two per cent; of what is `predicted`.
  std::optional<double> expected_loss;
  /// The winner's time, measured on `device` for `problem`; nothing where nothing was measured.
  std::optional<std::chrono::duration<double, std::nano>> expected_time;
  std::optional<double> speedup, speedup_low, speedup_high;  ///< over the baseline, with its interval
  double confidence = 0;                                     ///< level of that interval, 0.9973 for example
  /// Configurations that the race could not show to be slower, this one included.
  std::vector<std::string> ties;
  /// How thoroughly the space was searched: a `quick` decision is served as `exact`; more effort may replace it.
  /// Nothing: unknown, or nothing was tuned.
  std::optional<Effort> effort;
  std::filesystem::path database;  ///< that holds the decision; empty for what was frozen (Runtime::from_frozen)
  std::int64_t decision_id = 0;    ///< the row of its table `decision`; 0 if there is none
  bool stale = false;              ///< the driver has changed since it was measured
  bool contended = false;          ///< measured while other work was on the GPU; an offline run confirms it
  bool noisy = false;              ///< the GPU was disturbed while it was measured
  bool tuning = false;             ///< is being tuned in the background
};

/// What became of a launch. Converts to true if it was queued.
struct LaunchStatus {
  /// 0: queued. Above: the driver's CUresult (what a kernel does wrong later is reported by later calls to the driver).
  /// -1: the driver was not asked, because the arguments do not fit or there is nothing to launch.
  int code = 0;
  std::string_view message;  ///< a sentence where it was not queued; lives as long as the Runtime
  explicit operator bool() const noexcept { return code == 0; }
};

namespace detail {
struct LaunchPlan;
class InstanceState;
}  // namespace detail

/// A kernel that is ready to launch for one problem on one GPU. Lives as long as the Runtime it comes from; may be used
/// from several threads. A configuration that was tuned in the background takes the place of the old one between two
/// launches; the old one stays loaded, because graphs may hold it.
class TUNER_API Instance {
 public:
  /// Queues one launch on `stream`, which belongs to the context that the instance was requested in; it must be
  /// current. Arguments in signature order: device pointers for buffers (typed as described, `void*`, or a
  /// CUdeviceptr), or a tuner::Buffer, which has its size with it; values for scalars, of exactly the described type;
  /// and for a value(...) the object, of the size that the compiled kernel takes. Costs what cuLaunchKernel costs, and
  /// some nanoseconds. Count, kinds and sizes are checked when another call site launches than the time before; scalars
  /// that the description binds to the problem, and the bytes of every tuner::Buffer, are compared at every launch,
  /// with what that launch runs. Does not throw; a launch that succeeds does not allocate or lock, but for
  /// tuner::scratch. May be captured in a graph, which then holds the configuration of that moment.
  ///
  /// For a scratch it takes tuner::scratch, and the library provides the memory, at the price of a lock and three short
  /// calls of the driver; see there how long it is kept. Where no memory is to be had the launch fails with the
  /// driver's code; the next one may succeed. A scratch whose length depends on tuned parameters is accepted like that
  /// or as a tuner::Buffer, and not as a bare pointer: what is enough for one configuration is not for the next. A
  /// fallback gets a null pointer for tuner::scratch.
  ///
  /// A buffer that is described with `pad N` is passed as a tuner::Buffer too, whose bytes must be enough for the data
  /// and N bytes behind it. N bytes before its address must be readable as well, which nothing can check.
  ///
  /// For an array in constant memory it takes a device pointer, among the arguments where it is described: as many
  /// bytes as are described are copied to the array on `stream` before the kernel, at every launch (in a graph, by a
  /// node of its own). What the array has beyond them keeps its initial values.
  ///
  /// Caveats: a binary has one such array in a context, whoever launches it. Launches on several streams at once that
  /// pass different contents overwrite each other's, and compute with what they find; order them with events. A null
  /// pointer is refused with the driver's code for an invalid value.
  template <class... Arguments>
  LaunchStatus launch(Stream stream, const Arguments&... arguments) const noexcept {
    void* pointers[sizeof...(Arguments) + 1] = {detail::address_of(arguments)..., nullptr};
    if constexpr (detail::kPassesMemory<Arguments...>) {
      return launch_with_memory(stream, pointers, detail::kCallSignature<Arguments...>);
    } else {
      return launch_checked(stream, pointers, detail::kCallSignature<Arguments...>);
    }
  }

  /// The same for arguments whose number or types are known at run time only: the address of each. Nothing but their
  /// count is checked. A null in the place of a scratch, instead of an address, is tuner::scratch; a scratch whose
  /// length depends on tuned parameters is accepted in no other way, and a buffer with a padding in none.
  LaunchStatus launch_untyped(Stream stream, std::span<void* const> arguments) const noexcept;

  Rung rung() const noexcept;
  /// Whether launching can work: every rung but `unrunnable`.
  bool runnable() const noexcept { return rung() != Rung::unrunnable; }
  Provenance provenance() const;

  /// What is launched now. For callers who launch themselves; a later swap changes all of it at once (`snapshot` has it
  /// together with the lengths that go with it). Constant memory is filled, and scratch provided, by `launch` alone.
  struct Shape {
    std::array<std::uint32_t, 3> grid{}, block{};
    std::uint32_t shared_bytes = 0;  ///< dynamic
    void* function = nullptr;        ///< the CUfunction; null for fallback and unrunnable
  };
  Shape shape() const noexcept;

  /// A buffer among the arguments: how long it must be for the configuration it belongs to.
  struct ArgumentLength {
    std::string name;
    std::uint64_t elements = 0;  ///< of the described type: `float4` counts once
    std::uint64_t bytes = 0;
    std::uint64_t padding = 0;  ///< bytes that must be readable before these, and behind them
  };
  /// All there is to know of what was launched at one moment. A copy: a later swap does not change it, and nothing in
  /// it belongs to another configuration than the rest.
  struct TUNER_API Snapshot {
    Provenance provenance;
    Shape shape;
    TunedValues values;                     ///< empty for fallback and unrunnable
    std::vector<ArgumentLength> arguments;  ///< buffers, in signature order; empty for fallback and unrunnable

    /// Throws Error{bad_usage}, see TunedValues::get.
    template <class T>
    T value(std::string_view name) const {
      return values.get<T>(name);
    }
    /// The buffer of this name. Throws Error{bad_usage} with the names there are if there is none.
    const ArgumentLength& argument(std::string_view name) const;
  };
  Snapshot snapshot() const;

  /// The value of one parameter in what is launched now, see TunedValues::get: `value<int>("PDIST")`,
  /// `value<std::string_view>("STORE")`. What belongs together is asked of one snapshot. Throws Error{bad_usage} if
  /// there is no such parameter, it is of another type, or no configuration is in force. A string_view lives as long as
  /// the Runtime.
  template <class T>
  T value(std::string_view name) const {
    return values().get<T>(name);
  }

  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

 private:
  friend class detail::InstanceState;
  Instance() = default;
  ~Instance() = default;

  LaunchStatus launch_checked(Stream stream, void** arguments, const detail::CallSignature& signature) const noexcept;
  LaunchStatus launch_with_memory(Stream stream, void** arguments,
                                  const detail::CallSignature& signature) const noexcept;
  LaunchStatus why_unfit(const detail::LaunchPlan& plan, void** arguments,
                         const detail::CallSignature& signature) const noexcept;
  const TunedValues& values() const noexcept;

  std::atomic<const detail::LaunchPlan*> plan_{nullptr};
  mutable std::atomic<const detail::CallSignature*> checked_{nullptr};  ///< the call site that fits `plan_`
  detail::InstanceState* state_ = nullptr;
};

}  // namespace tuner
