#include "tuner/cli/workplace.hpp"

#include <fmt/format.h>

#include "tuner/cli/no_gpu.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

Workplace::Workplace(int ordinal, const std::vector<std::filesystem::path>& include_folders,
                     const std::atomic<bool>& stop)
    : ordinal_(ordinal),
      stop_(stop),
      compile_({.include_folders = include_folders}),
      device_(std::in_place, engine::DeviceLaneOptions{.ordinal = ordinal, .stop = &stop}) {}

const DeviceInfo& Workplace::device() {
  try {
    return device_->info();
  } catch (const Error& error) {
    if (error.code() == Errc::no_driver) refuse_number_without_gpu(ordinal_);
    throw;
  }
}

bool Workplace::take_turn(const Task& task) {
  engine::TurnWait wait;
  wait.gives_up = [this] { return stop_.load(); };
  wait.waits = [this](const std::string& busy) {
    line_.warning(fmt::format("{}: waiting for it to end. Ctrl-C stops waiting.", busy));
  };
  wait.warning = [this](const std::string& sentence) { line_.warning(sentence); };
  return engine::take_gpu(task.device(), wait, turn_);
}

engine::SessionParts Workplace::parts() {
  return {.compile = compile_, .device = *device_, .store = store_, .observer = line_, .stop = stop_};
}

}  // namespace tuner::cli
