#include "tuner/engine/device/spread/spread_lane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/engine/lanes/ticket.hpp"
#include "tuner/engine/measure/statistics.hpp"

namespace tuner::engine {

namespace {

using Clock = std::chrono::steady_clock;

/// One that runs and the next.
constexpr std::size_t kRoom = 2;

DeviceReply worker_lost(std::string message) {
  return {.outcome = Outcome::worker_lost, .message = std::move(message)};
}

}  // namespace

SpreadLane::SpreadLane(const std::vector<Gpu>& gpus, Say say) : say_(std::move(say)), yardstick_(gpus.size()) {
  for (const Gpu& gpu : gpus) {
    seats_.push_back({.lane = gpu.lane, .name = fmt::format("GPU {}", gpu.ordinal), .uuid = gpu.uuid});
  }
}

std::vector<std::size_t> SpreadLane::in_service() const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    if (seats_[i].in_service) all.push_back(i);
  }
  return all;
}

std::vector<std::size_t> SpreadLane::usable() const {
  std::vector<std::size_t> all = in_service();
  std::erase_if(all, [&](std::size_t number) { return seats_[number].rests; });
  return all;
}

std::size_t SpreadLane::count(const Seat& seat, Kind kind) {
  return static_cast<std::size_t>(
      std::count_if(seat.given.begin(), seat.given.end(), [&](const Given& given) { return given.kind == kind; }));
}

// ---- What is asked for ----

void SpreadLane::submit(TicketId ticket, DeviceRequest request) {
  if (std::holds_alternative<ScreenCandidate>(request)) {
    waiting_.push_back({ticket, std::move(request)});
    give_candidates();
  } else if (std::holds_alternative<PrepareProblem>(request) || std::holds_alternative<RunReference>(request)) {
    prepare(ticket, std::move(request));
  } else {
    if (const auto* finalists = std::get_if<LoadFinalists>(&request)) {
      finalists_ = *finalists;
      raced_ = true;
      if (seats_[racing_].rests) {
        race_elsewhere();
        say_(fmt::format("Finalists race on {}.", seats_[racing_].name));
      }
    }
    give_alone(ticket, std::move(request));
  }
}

SpreadLane::Given& SpreadLane::give(Seat& seat, Kind kind, Asked asked, DeviceRequest there) {
  const TicketId at = new_ticket();
  Given& given = seat.given.emplace_back(Given{kind, at, std::move(asked)});
  seat.lane->submit(at, std::move(there));
  return given;
}

void SpreadLane::give_alone(TicketId ticket, DeviceRequest request) {
  Seat& seat = seats_[racing_];
  catch_up(seat, 0);
  if (std::holds_alternative<LoadFinalists>(request)) seat.loaded.reset();
  give(seat, Kind::alone, {ticket, request}, request);
}

/// Told to all at once before the race. Later only the GPU that races needs it, until there is something to screen.
void SpreadLane::prepare(TicketId ticket, DeviceRequest request) {
  if (std::holds_alternative<PrepareProblem>(request)) {
    preparation_.clear();
    finalists_.reset();
    yardstick_ = Yardstick(seats_.size());
    commons_ = {};
    for (Seat& seat : seats_) {
      seat.told = 0;
      seat.loaded.reset();
      // Nobody waits for readings, and they would be of another problem.
      std::erase_if(seat.given, [](const Given& given) { return given.asked.ticket == 0; });
    }
  } else {
    commons_.set_reference(std::get<RunReference>(request).candidate);
  }
  preparation_.push_back(std::move(request));
  preparing_ = ticket;
  for (Seat& seat : seats_) seat.prepared.reset();
  const std::vector<std::size_t> told = raced_ ? std::vector{racing_} : in_service();
  unprepared_ = told.size();
  for (const std::size_t number : told) catch_up(seats_[number], ticket);
}

/// `ticket`: for which its answer is waited; 0: for none.
void SpreadLane::catch_up(Seat& seat, TicketId ticket) {
  while (seat.told < preparation_.size()) {
    const DeviceRequest& request = preparation_[seat.told++];
    const bool newest = seat.told == preparation_.size();
    give(seat, Kind::preparing, {newest ? ticket : 0}, request);
  }
}

std::size_t SpreadLane::room_of(const Seat& seat) const {
  if (!seat.in_service || seat.rests) return 0;
  return std::min(kRoom - std::min(kRoom, count(seat, Kind::screening)), seat.lane->room());
}

void SpreadLane::give_candidates() {
  while (!waiting_.empty()) {
    const auto freest = std::min_element(seats_.begin(), seats_.end(), [this](const Seat& a, const Seat& b) {
      return std::pair(room_of(b), a.screened) < std::pair(room_of(a), b.screened);
    });
    if (room_of(*freest) == 0) return;
    Asked next = std::move(waiting_.front());
    waiting_.pop_front();
    catch_up(*freest, 0);
    auto there = std::get<ScreenCandidate>(next.request);
    if (there.best_ns) *there.best_ns *= yardstick_.slowness(static_cast<std::size_t>(freest - seats_.begin()));
    ++freest->screened;
    give(*freest, Kind::screening, std::move(next), std::move(there));
  }
}

// ---- What is answered ----

std::vector<SpreadLane::Completion> SpreadLane::poll() {
  if (lost_all_ && answered_.empty()) throw Error(*lost_all_);
  read_where_due(true);
  for (const std::size_t number : in_service()) {
    if (!seats_[number].in_service) continue;  // it was lost meanwhile
    try {
      for (Completion& completion : seats_[number].lane->poll()) take(number, std::move(completion));
    } catch (const Error& error) {
      if (in_service().size() > 1) {
        lose(number, error.what());
      } else {
        lost_all_ = error;
      }
    }
  }
  give_candidates();
  read_where_due(false);
  if (lost_all_ && answered_.empty()) throw Error(*lost_all_);
  return std::exchange(answered_, {});
}

void SpreadLane::take(std::size_t number, Completion completion) {
  Seat& seat = seats_[number];
  const auto found = std::find_if(seat.given.begin(), seat.given.end(),
                                  [&](const Given& given) { return given.at == completion.ticket; });
  if (found == seat.given.end()) return;
  Given given = std::move(*found);
  seat.given.erase(found);
  DeviceReply& reply = completion.reply;
  reply.gpu = seat.uuid;
  switch (given.kind) {
    case Kind::screening:
      if (reply.ok() && commons_.are_timed()) {
        seat.held.push_back({std::move(given.asked), std::move(reply)});
      } else {
        answered_.push_back({given.asked.ticket, std::move(reply)});
      }
      break;
    case Kind::preparing:
      take_prepared(number, given, std::move(reply));
      break;
    case Kind::alone:
      answered_.push_back({given.asked.ticket, std::move(reply)});
      break;
    case Kind::loading:
      break;
    case Kind::reading:
      take_reading(number, given, reply);
      break;
  }
}

void SpreadLane::take_prepared(std::size_t number, const Given& given, DeviceReply reply) {
  Seat& seat = seats_[number];
  if (given.asked.ticket != 0 && given.asked.ticket == preparing_) {
    seat.prepared = std::move(reply);
    if (--unprepared_ == 0) end_preparing();
  } else if (!reply.ok() && in_service().size() > 1) {
    lose(number, fmt::format("{} cannot be prepared: {}", seat.name, reply.message));
  } else {
    note_reference(number, reply);
  }
}

void SpreadLane::note_reference(std::size_t number, const DeviceReply& reply) {
  const std::vector<double>& samples_ns = reply.result_of<RunReference>().run.samples_ns;
  if (samples_ns.empty()) return;
  if (!yardstick_.knows(0)) commons_.set_reference_time(median(samples_ns));
  yardstick_.add(number, 0, median(samples_ns));
}

/// All have answered. The one that races answers the caller; where it cannot be prepared, another races.
void SpreadLane::end_preparing() {
  const TicketId ticket = *std::exchange(preparing_, std::nullopt);
  const std::vector<std::size_t> all = in_service();
  const auto is_ready = [this](std::size_t number) { return seats_[number].prepared && seats_[number].prepared->ok(); };
  const auto ready = std::find_if(all.begin(), all.end(), is_ready);
  if (!is_ready(racing_) && ready != all.end()) racing_ = *ready;
  answered_.push_back({ticket, *seats_[racing_].prepared});
  if (!is_ready(racing_)) return;
  note_reference(racing_, *seats_[racing_].prepared);
  for (const std::size_t number : all) {
    if (number == racing_ || !seats_[number].prepared) continue;
    const DeviceReply& reply = *seats_[number].prepared;
    if (!reply.ok()) {
      lose(number, fmt::format("{} cannot be prepared: {}", seats_[number].name, reply.message));
      continue;
    }
    note_reference(number, reply);
    const std::vector<std::string>& others = reply.result_of<PrepareProblem>().other_processes;
    if (others.empty()) continue;
    say_(fmt::format("Other processes have {} open: {}. What they disturb is measured again.", seats_[number].name,
                     fmt::join(others, ", ")));
  }
  compare();
}

// ---- What is lost ----

void SpreadLane::lose(std::size_t number, const std::string& why) {
  Seat& seat = seats_[number];
  seat.in_service = false;
  end_reading(number, false);
  const std::vector<Given> given = std::exchange(seat.given, {});
  for (Screened& one : std::exchange(seat.held, {})) waiting_.push_back(std::move(one.asked));
  const bool raced = number == racing_;
  if (raced) racing_ = in_service().front();
  compare();
  if (raced) race_elsewhere();
  say_(fmt::format("{} The session goes on without {}{}.", why, seat.name,
                   raced ? fmt::format(", and finalists race on {}", seats_[racing_].name) : ""));
  for (const Given& one : given) {
    Asked asked = one.asked;
    if (one.kind == Kind::screening) {
      if (one.at == given.front().at) ++asked.lost;  // it may have been at work
      if (asked.lost > 1) {
        answered_.push_back({asked.ticket, worker_lost("It was at work on two GPUs when they were lost.")});
      } else {
        waiting_.push_front(std::move(asked));
      }
    } else if (one.kind == Kind::alone) {
      if (!std::holds_alternative<LoadFinalists>(asked.request) && finalists_) {
        give(seats_[racing_], Kind::loading, {}, *finalists_);
      }
      give_alone(asked.ticket, std::move(asked.request));
    } else if (one.kind == Kind::preparing && asked.ticket != 0 && asked.ticket == preparing_) {
      // After the race began only the one that races is told, and now another is.
      if (!(raced && raced_) && --unprepared_ == 0) end_preparing();
    }
  }
}

/// Chooses a GPU that does not rest for what is for one alone.
void SpreadLane::race_elsewhere() {
  const std::vector<std::size_t> all = usable();
  if (!all.empty()) racing_ = all.front();
  catch_up(seats_[racing_], preparing_ && raced_ ? *preparing_ : 0);
}

void SpreadLane::cancel(TicketId ticket) {
  const auto found =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Asked& asked) { return asked.ticket == ticket; });
  if (found != waiting_.end()) {
    waiting_.erase(found);
    answered_.push_back({ticket, worker_lost("It was cancelled before it reached the device.")});
  }
  for (const Seat& seat : seats_) {
    for (const Given& given : seat.given) {
      if (given.asked.ticket == ticket) seat.lane->cancel(given.at);
    }
  }
}

std::size_t SpreadLane::room() const {
  std::size_t room = 0;
  for (const Seat& seat : seats_) room += room_of(seat);
  return room - std::min(room, waiting_.size());
}

std::vector<int> SpreadLane::wait_fds() const {
  std::vector<int> all;
  for (const std::size_t number : in_service()) {
    const std::vector<int> fds = seats_[number].lane->wait_fds();
    all.insert(all.end(), fds.begin(), fds.end());
  }
  return all;
}

Clock::time_point SpreadLane::next_deadline() const {
  Clock::time_point next = Clock::time_point::max();
  for (const std::size_t number : in_service()) {
    if (runs_dry(seats_[number])) return Clock::time_point::min();
    next = std::min(next, seats_[number].lane->next_deadline());
  }
  return answered_.empty() && !lost_all_ ? next : Clock::time_point::min();
}

}  // namespace tuner::engine
