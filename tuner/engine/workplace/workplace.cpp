#include "tuner/engine/workplace/workplace.hpp"

#include <fmt/format.h>

#include "tuner/engine/workplace/find_devices.hpp"

namespace tuner::engine {

Workplace::Workplace(int ordinal, const std::vector<std::filesystem::path>& include_folders, Observer& observer,
                     const std::atomic<bool>& stop)
    : ordinal_(ordinal),
      observer_(observer),
      stop_(stop),
      compile_({.include_folders = include_folders}),
      device_(std::in_place, DeviceLaneOptions{.ordinal = ordinal, .stop = &stop}) {}

const DeviceInfo& Workplace::device() {
  return wait_for_gpu(*device_, ordinal_);
}

bool Workplace::take_turn(const Task& task) {
  TurnWait wait;
  wait.gives_up = [this] { return stop_.load(); };
  wait.waits = [this](const std::string& busy) {
    observer_.warning(fmt::format("{}: waiting for it to end. Ctrl-C stops waiting.", busy));
  };
  wait.warning = [this](const std::string& sentence) { observer_.warning(sentence); };
  return take_gpu(task.device(), wait, turn_);
}

SessionParts Workplace::parts() {
  return {.compile = compile_, .device = *device_, .store = store_, .observer = observer_, .stop = stop_};
}

}  // namespace tuner::engine
