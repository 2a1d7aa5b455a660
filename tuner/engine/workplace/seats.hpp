#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "cache/store/locked_store.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/session_parts.hpp"
#include "tuner/engine/compile/compile_hub.hpp"
#include "tuner/engine/compile/nvcc_lane.hpp"
#include "tuner/engine/compile/pool.hpp"
#include "tuner/engine/compile/shared_binaries.hpp"
#include "tuner/engine/device/lane/gated_lane.hpp"
#include "tuner/engine/device/lane/lane.hpp"
#include "tuner/engine/device/spread/spread_lane.hpp"
#include "tuner/engine/turns/turn.hpp"
#include "tuner/engine/workplace/session_stores.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

/// The workers and the database of sessions on GPUs of one kind. A seat, counted from 0, has one GPU or several as one,
/// and one session at a time runs on it. The sessions of different seats may run at the same time, each in a thread of
/// its own: compile workers and database are for all of them, and nothing is measured before the GPUs of all seats are
/// found.
class Seats {
 public:
  /// Starts the workers. `ordinals`: of each seat's GPUs; one of each at least. `stop` outlives this. Throws
  /// Error{no_toolkit, no_worker}.
  Seats(CompilePoolOptions compile, const std::vector<std::vector<int>>& ordinals, const std::atomic<bool>& stop);
  ~Seats() { end(); }
  Seats(const Seats&) = delete;
  Seats& operator=(const Seats&) = delete;

  std::size_t size() const { return seats_.size(); }
  std::size_t gpus() const { return seats_.size() * seats_.front().gpus.size(); }

  /// Hears, of the first seat's GPUs, that there is none, and may throw something better than that.
  using WithoutGpu = std::function<void(const Error& why)>;
  /// Waits until the drivers of the seat's GPUs have started; the first seat's before all others. False if it was told
  /// to stop. Throws Error{no_driver} where one is not there, and Error{bad_usage} for one of another kind.
  bool find(std::size_t seat, const WithoutGpu& without_gpu);
  /// The same in the thread of a seat, of several: drivers start one after the other, a third of a second each, and
  /// meanwhile the sessions of those that were faster compile what all need.
  void arrive(std::size_t seat);
  /// Ends the sessions of those that have arrived, because a seat cannot.
  void refuse() { gate_->refuse(); }
  /// Waits until all have arrived, or it is told to stop.
  void await_all() const;

  bool is_found(std::size_t seat) const { return seats_[seat].found; }
  const DeviceInfo& device(std::size_t seat) const { return seats_[seat].gpus.front().info; }  ///< the first

  /// Before the first session: which compiler makes the candidates of all of them, for `task` and what differs from it
  /// in its problem alone. As NvccLane::choose().
  std::optional<ChosenCompiler> choose_compiler(const Task& task, const RecordedSource& recorded);

  /// Opens the database as open_for_session does.
  void open_stores(const std::filesystem::path& chosen);
  /// Of any thread but for what is in it: that is of one, while no session runs.
  const SessionStores& stores() const { return stores_; }
  /// Of any thread, once they are open.
  cache::Store& store() { return locked_store_ ? static_cast<cache::Store&>(*locked_store_) : *stores_.store; }

  /// Waits until no other process tunes the task in this database or measures on one of the seat's GPUs, or the limit
  /// is over; nothing if it was told to stop. Who waits holds nothing of its GPUs: whoever is measuring would take it
  /// for a disturbance, and rightly.
  std::optional<Turn> take_turn(std::size_t seat, const Task& task, Timing timing, TurnWait wait);

  struct Parts {
    SessionParts all;        ///< with all GPUs of the seat as one
    SessionParts first_gpu;  ///< for what is asked of one alone
  };
  /// For one session: of workers that have ended, new ones. `observer` outlives it.
  Parts parts(std::size_t seat, Observer& observer);

  /// Ends the workers of the seat's GPUs, in its thread.
  void end(std::size_t seat);
  /// Ends all workers, at the same time: a driver takes a tenth of a second or two to tidy up.
  void end();
  /// The same in a thread, which the caller awaits; at once where there can be none.
  [[nodiscard]] std::jthread end_meanwhile();

 private:
  struct Gpu {
    DeviceLaneOptions options;
    std::optional<DeviceProcessLane> device;
    DeviceInfo info;
  };
  struct Seat {
    std::vector<Gpu> gpus;
    bool found = false;                ///< their drivers have started
    std::optional<SpreadLane> spread;  ///< over several
    std::optional<GatedLane> gated;
    Overdue overdue;
    std::unique_ptr<cache::BinaryStore> binaries;  ///< of all seats but the first, which has that of the stores
  };

  const std::atomic<bool>& stop_;
  SessionStores stores_;
  std::optional<cache::LockedStore> locked_store_;  ///< for several seats
  // Compile workers start while the device workers create their contexts.
  std::optional<CompilePool> compile_;
  NvccLane compilers_;
  SharedBinaries binaries_;
  std::optional<CompileHub> hub_;  ///< for several seats
  std::optional<Gate> gate_;       ///< of several seats: open when all have arrived
  std::vector<Seat> seats_;
};

}  // namespace tuner::engine
