#include "tuner/engine/workplace/seats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/workplace/find_devices.hpp"

namespace tuner::engine {

namespace {

/// In a thread of its own, or at once where there can be none.
std::jthread beside(const std::function<void()>& action) {
  try {
    return std::jthread(action);
  } catch (const std::system_error&) {
    action();
    return {};
  }
}

}  // namespace

Seats::Seats(CompilePoolOptions compile, const std::vector<std::vector<int>>& ordinals, const std::atomic<bool>& stop)
    : stop_(stop),
      compile_(std::in_place, std::move(compile)),
      compilers_(*compile_),
      binaries_(compilers_),
      seats_(ordinals.size()) {
  if (seats_.size() > 1) {
    hub_.emplace(binaries_, seats_.size());
    gate_.emplace(seats_.size());
  }
  for (std::size_t seat = 0; seat < seats_.size(); ++seat) {
    std::vector<Gpu>& gpus = seats_[seat].gpus = std::vector<Gpu>(ordinals[seat].size());
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      gpus[i].options = {.ordinal = ordinals[seat][i], .stop = &stop};
      gpus[i].device.emplace(gpus[i].options);
    }
  }
}

/// A decision is for a kind of GPU: of two kinds it would be a matter of chance for which a problem is tuned.
bool Seats::find(std::size_t number, const WithoutGpu& without_gpu) {
  const DeviceInfo& first = device(0);
  for (Gpu& gpu : seats_[number].gpus) {
    try {
      gpu.info = gpu.device->info();
    } catch (const Error& error) {
      if (stop_) return false;
      if (error.code() != Errc::no_driver) throw;
      refuse_number_without_gpu(gpu.options.ordinal);
      // The first seat's GPUs are looked for while nothing has begun.
      if (number == 0) without_gpu(error);
      throw;
    }
    if (gpu.info.identity() == first.identity()) continue;
    throw Error(Errc::bad_usage,
                fmt::format("--devices names GPUs of different kinds: {} is {}, and {} is {}. Decisions are for one "
                            "kind: tune once for each, with the numbers of that kind.",
                            first.ordinal, first.identity(), gpu.info.ordinal, gpu.info.identity()));
  }
  seats_[number].found = true;
  return true;
}

void Seats::arrive(std::size_t seat) {
  // Also where it was told to stop: those that wait at the gate then end by themselves.
  if (!seats_[seat].found) find(seat, {});
  gate_->arrive();
}

void Seats::await_all() const {
  while (gate_ && !stop_ && !gate_->is_open()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

void Seats::open_stores(const std::filesystem::path& chosen) {
  stores_ = open_for_session(chosen);
  if (seats_.size() == 1) return;
  locked_store_.emplace(*stores_.store);
  if (!stores_.binaries) return;
  for (std::size_t seat = 1; seat < seats_.size(); ++seat) seats_[seat].binaries = open_binaries_again(chosen);
}

std::optional<ChosenCompiler> Seats::choose_compiler(const Task& task, const RecordedSource& recorded) {
  return compilers_.choose(compile_request(task, task.baseline().value_or(task.space().at(0))), recorded, stop_);
}

std::optional<Turn> Seats::take_turn(std::size_t number, const Task& task, Timing timing, TurnWait wait) {
  wait.overdue = &seats_[number].overdue;
  wait.gives_up = [this] { return stop_.load(); };
  wait.waits = [this, number, says = std::move(wait.waits)](const std::string& busy) {
    end(number);
    if (says) says(busy);
  };
  std::vector<DeviceInfo> gpus;
  for (const Gpu& gpu : seats_[number].gpus) gpus.push_back(gpu.info);
  std::ranges::sort(gpus, {}, &DeviceInfo::uuid);
  Turn turn;
  if (!take_lease(task, timing, stores_.path, wait, turn)) return std::nullopt;
  for (const DeviceInfo& gpu : gpus) {
    if (!take_gpu(gpu, wait, turn)) return std::nullopt;
  }
  return turn;
}

Seats::Parts Seats::parts(std::size_t number, Observer& observer) {
  Seat& seat = seats_[number];
  std::vector<SpreadLane::Gpu> gpus;
  for (Gpu& gpu : seat.gpus) {
    if (!gpu.device) gpu.device.emplace(gpu.options);
    gpus.push_back({&*gpu.device, gpu.info.ordinal, gpu.info.uuid});
  }
  DeviceLane* lane = gpus.front().lane;
  if (gpus.size() > 1)
    lane = &seat.spread.emplace(gpus, [&](const std::string& sentence) { observer.warning(sentence); });
  if (gate_) lane = &seat.gated.emplace(*lane, *gate_);
  CompileLane& compile = hub_ ? hub_->seat(number) : binaries_;
  cache::BinaryStore* const binaries = number == 0 ? stores_.binaries.get() : seat.binaries.get();
  const auto over = [&](DeviceLane& device) {
    return SessionParts{compile, device, store(), binaries, observer, stop_};
  };
  return {over(*lane), over(gpus.size() > 1 ? *gpus.front().lane : *lane)};
}

void Seats::end(std::size_t number) {
  Seat& seat = seats_[number];
  seat.gated.reset();
  seat.spread.reset();
  for (Gpu& gpu : seat.gpus) gpu.device.reset();
}

void Seats::end() {
  hub_.reset();
  std::vector<std::jthread> ending;
  ending.push_back(beside([this] { compile_.reset(); }));
  for (Seat& seat : seats_) {
    seat.gated.reset();
    seat.spread.reset();
    for (Gpu& gpu : seat.gpus) ending.push_back(beside([&gpu] { gpu.device.reset(); }));
  }
}

std::jthread Seats::end_meanwhile() {
  return beside([this] { end(); });
}

}  // namespace tuner::engine
