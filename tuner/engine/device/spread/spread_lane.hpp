#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/engine/device/lane/device.hpp"
#include "tuner/engine/device/spread/common_configurations.hpp"
#include "tuner/engine/measure/yardstick.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

/// Several GPUs of one kind as one device: what prepares goes to all of them, a candidate that is screened to whichever
/// is free, and everything else to one alone, on which finalists race.
///
/// Between every few candidates each GPU also times a configuration near the best, the same on all. What it screened is
/// answered when that time agrees with the one before, and scaled by how the GPU compares; what it screened between two
/// times that do not agree is screened again. Such a GPU gets no candidates until it has agreed with itself for a
/// while, longer each time, and one that falls far behind none until it has caught up; but somebody always gets them.
///
/// A GPU whose lane throws goes: what it was given is given to others, and a candidate that loses two GPUs is answered
/// `worker_lost`. When the last goes, `poll` throws what its lane did.
class SpreadLane final : public DeviceLane {
 public:
  /// Hears a sentence about a GPU.
  using Say = std::function<void(const std::string& sentence)>;

  struct Gpu {
    DeviceLane* lane = nullptr;  ///< outlives this
    int ordinal = 0;
    std::string uuid;
  };

  /// At least one. Finalists race on the first, unless it rests or is lost.
  SpreadLane(const std::vector<Gpu>& gpus, Say say);

  const DeviceInfo& info() override { return seats_.front().lane->info(); }
  std::vector<std::string> support_sources() const override { return seats_.front().lane->support_sources(); }
  std::size_t gpus() const override { return seats_.size(); }
  double disagreement() const override { return yardstick_.disagreement(usable()); }

  void submit(TicketId ticket, DeviceRequest request) override;
  std::vector<Completion> poll() override;
  void cancel(TicketId ticket) override;
  std::size_t room() const override;
  std::vector<int> wait_fds() const override;
  std::chrono::steady_clock::time_point next_deadline() const override;

 private:
  /// A request, and what became of it if it is a candidate to screen.
  struct Asked {
    TicketId ticket = 0;  ///< the caller's; 0: there is none
    DeviceRequest request = {};
    int repeated = 0;  ///< because a GPU did not agree with itself
    int lost = 0;      ///< GPUs, with it
  };
  struct Screened {
    Asked asked;
    DeviceReply reply;
  };
  enum class Kind { screening, preparing, alone, loading, reading };
  /// What a GPU was given and has not answered.
  struct Given {
    Kind kind;
    TicketId at;  ///< its ticket on that GPU's lane
    Asked asked;
    std::size_t common = 0;  ///< of a reading: of what
    bool last = false;       ///< of several readings
  };
  struct Seat {
    DeviceLane* lane = nullptr;
    std::string name;  ///< "GPU 1"
    std::string uuid;
    bool in_service = true;
    bool behind = false;                  ///< by much
    int penance = 0;                      ///< how often it must agree with itself after it did not; doubles each time
    int to_agree = 0;                     ///< how often still
    std::size_t agreed = 0;               ///< with itself, in a row
    bool rests = false;                   ///< for one of these reasons: it gets no candidates
    std::size_t told = 0;                 ///< of `preparation_`
    std::size_t screened = 0;             ///< candidates that it was given
    std::vector<Given> given;             ///< in the order given
    std::vector<Screened> held;           ///< since its last reading
    std::optional<DeviceReply> prepared;  ///< its answer to what all are told now
    std::optional<std::size_t> loaded;    ///< the common configuration that is resident
    bool agrees = true;                   ///< with itself, in the readings under way
    bool read_fails = false;              ///< one of them fails
    bool throttled = false;               ///< in some reading
    bool told_of = false;                 ///< to the user
  };
  std::vector<std::size_t> usable() const;  ///< those that get candidates
  std::vector<std::size_t> in_service() const;
  static std::size_t count(const Seat& seat, Kind kind);
  std::size_t room_of(const Seat& seat) const;
  bool reads(const Seat& seat) const { return count(seat, Kind::reading) + count(seat, Kind::loading) > 0; }
  bool runs_dry(const Seat& seat) const;
  static std::size_t between_readings(const Seat& seat);  ///< candidates

  Given& give(Seat& seat, Kind kind, Asked asked, DeviceRequest there);
  void give_alone(TicketId ticket, DeviceRequest request);
  void prepare(TicketId ticket, DeviceRequest request);
  void catch_up(Seat& seat, TicketId ticket);
  void give_candidates();
  void read_where_due(bool when_dry);
  void read(std::size_t number);

  void take(std::size_t number, Completion completion);
  void take_prepared(std::size_t number, const Given& given, DeviceReply reply);
  void end_preparing();
  void note_reference(std::size_t number, const DeviceReply& reply);
  void end_reading(std::size_t number, bool agree);
  void take_reading(std::size_t number, const Given& given, const DeviceReply& reply);
  void judge(std::size_t number);
  void compare();
  void say_once(Seat& seat, const std::string& sentence);
  void answer(std::size_t number, Screened screened);

  void lose(std::size_t number, const std::string& why);
  void race_elsewhere();

  std::vector<Seat> seats_;
  std::size_t racing_ = 0;  ///< the seat of what is for one GPU alone
  const Say say_;
  Yardstick yardstick_;
  CommonConfigurations commons_;
  std::deque<Asked> waiting_;
  std::vector<Completion> answered_;
  std::optional<Error> lost_all_;

  std::vector<DeviceRequest> preparation_;  ///< the problem and the reference, as far as told
  std::optional<LoadFinalists> finalists_;  ///< that race
  bool raced_ = false;                      ///< GPUs that nobody needs any more are not prepared
  std::optional<TicketId> preparing_;       ///< of what all are told now
  std::size_t unprepared_ = 0;              ///< that have not answered it
};

}  // namespace tuner::engine
