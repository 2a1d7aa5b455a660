// How GPUs compare: readings of the common configuration, and what was screened between two of them.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/engine/device/spread/spread_lane.hpp"
#include "tuner/engine/measure/statistics.hpp"

namespace tuner::engine {

namespace {

/// Candidates between two readings. More: less time goes into readings; fewer: less is screened again where they do not
/// agree, and answers come sooner.
constexpr std::size_t kBetween = 6;
/// `kBetween` more after every `kTrusted` agreements of a GPU with itself in a row, up to `kMostBetween`.
constexpr std::size_t kTrusted = 8, kMostBetween = 24;
/// A GPU may disagree with itself so often over one candidate; then its time is taken for what it is.
constexpr int kRepeats = 2;
/// How often it must then agree with itself, the first time.
constexpr int kLeastPenance = 2;
/// Of how much slower a GPU is the user hears, and from how much on it gets no candidates.
constexpr double kWorthSaying = 1.03, kBehind = 1.1;

std::string clock_of(bool throttled) {
  return throttled ? " (its clock changes, or is throttled)" : "";
}

}  // namespace

/// It has nothing to do, and what it has screened is not answered.
bool SpreadLane::runs_dry(const Seat& seat) const {
  return !seat.held.empty() && count(seat, Kind::screening) == 0 && !reads(seat);
}

std::size_t SpreadLane::between_readings(const Seat& seat) {
  if (seat.penance > 0) return 1;
  return std::min(kBetween * (1 + seat.agreed / kTrusted), kMostBetween);
}

/// `when_dry`: the caller has had the time to ask for more.
void SpreadLane::read_where_due(bool when_dry) {
  for (const std::size_t number : in_service()) {
    Seat& seat = seats_[number];
    if (reads(seat)) continue;
    if (seat.held.size() >= between_readings(seat) || (when_dry && runs_dry(seat))) read(number);
  }
}

void SpreadLane::read(std::size_t number) {
  Seat& seat = seats_[number];
  catch_up(seat, 0);
  const std::vector<std::size_t> commons = commons_.to_read(number, seat.penance == 0);
  seat.agrees = true;
  seat.read_fails = false;
  for (std::size_t i = 0; i < commons.size(); ++i) {
    if (seat.loaded != commons[i]) {
      give(seat, Kind::loading, {}, LoadFinalists{.candidates = {commons_[commons[i]]}, .beside_screening = true});
    }
    seat.loaded = commons[i];
    RunBlock block;
    block.order.assign(commons_.samples(), 0);
    Given& reading = give(seat, Kind::reading, {}, std::move(block));
    reading.common = commons[i];
    reading.last = i + 1 == commons.size();
  }
}

void SpreadLane::take_reading(std::size_t number, const Given& given, const DeviceReply& reply) {
  Seat& seat = seats_[number];
  const BlockResult& block = reply.result_of<RunBlock>();
  if (reply.ok() && !block.samples_ns.empty()) {
    seat.agrees = yardstick_.add(number, given.common, median(block.samples_ns)) && seat.agrees;
    seat.throttled = seat.throttled || block.disturbed;
  } else {
    seat.read_fails = true;
    seat.loaded.reset();
    commons_.fail(given.common);
  }
  if (!given.last) return;
  end_reading(number, seat.agrees && !seat.read_fails);
  judge(number);
}

void SpreadLane::end_reading(std::size_t number, bool agree) {
  if (const auto worthless = commons_.end_reading(number, agree)) yardstick_.forget(*worthless);
}

/// What the GPU screened before its reading is answered, or screened again.
void SpreadLane::judge(std::size_t number) {
  Seat& seat = seats_[number];
  seat.agreed = seat.agrees && !seat.read_fails ? seat.agreed + 1 : 0;
  if (!seat.agrees) {
    seat.to_agree = seat.penance = std::max(2 * seat.penance, kLeastPenance);
    say_once(seat, fmt::format("{} does not take as long for a configuration as it did before{}: what it measured in "
                               "between is measured again, and it measures less. Something else may be running there.",
                               seat.name, clock_of(seat.throttled)));
  } else if (seat.to_agree > 0) {
    --seat.to_agree;
  }
  compare();
  for (Screened& one : std::exchange(seat.held, {})) {
    if ((seat.agrees && !seat.read_fails && !seat.rests) || one.asked.repeated == kRepeats) {
      answer(number, std::move(one));
    } else {
      ++one.asked.repeated;
      waiting_.push_front(std::move(one.asked));
    }
  }
  // Those that rest may be better now. Nothing takes the place of finalists.
  if (seat.rests || finalists_) return;
  for (const std::size_t other : in_service()) {
    if (seats_[other].rests && seats_[other].given.empty()) read(other);
  }
}

/// Which GPUs rest. The fastest is not behind.
void SpreadLane::compare() {
  const std::vector<std::size_t> all = in_service();
  const double fastest = yardstick_.fastest(all);
  for (const std::size_t number : all) {
    Seat& seat = seats_[number];
    const double behind = yardstick_.latest(number) / fastest;
    seat.behind = behind > kBehind;
    // Single readings of short kernels scatter by as much.
    const bool is_slow = yardstick_.readings(number) > 2 && yardstick_.slowness(number) > kWorthSaying * fastest;
    if (!seat.behind && !is_slow) continue;
    say_once(seat,
             fmt::format("{} takes {:.0f} % longer for the same configuration than the fastest of the GPUs{}: {}.",
                         seat.name, 100 * (behind - 1), clock_of(seat.throttled),
                         seat.behind ? "it measures nothing while that is so" : "its times are scaled"));
  }
  const auto rests = [this](std::size_t number) { return seats_[number].behind || seats_[number].to_agree > 0; };
  const bool all_rest = std::all_of(all.begin(), all.end(), rests);
  for (const std::size_t number : all) seats_[number].rests = all_rest ? seats_[number].behind : rests(number);
}

void SpreadLane::say_once(Seat& seat, const std::string& sentence) {
  if (!std::exchange(seat.told_of, true)) say_(sentence);
}

void SpreadLane::answer(std::size_t number, Screened screened) {
  const double slowness = yardstick_.slowness(number);
  TimedRun& run = std::get<ScreenResult>(screened.reply.result).run;
  for (double& sample_ns : run.samples_ns) sample_ns /= slowness;
  if (!run.censored && !run.samples_ns.empty()) {
    commons_.offer(std::get<ScreenCandidate>(screened.asked.request).candidate,
                   *std::min_element(run.samples_ns.begin(), run.samples_ns.end()));
  }
  answered_.push_back({screened.asked.ticket, std::move(screened.reply)});
}

}  // namespace tuner::engine
