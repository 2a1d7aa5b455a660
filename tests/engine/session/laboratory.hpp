#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "cache/store/memory_store.hpp"
#include "tests/engine/session/fake_lanes.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/engine/session/device_session.hpp"
#include "tuner/engine/session/session.hpp"
#include "tuner/engine/session/trial_journal.hpp"

namespace tuner::engine {

inline constexpr const char* kKernel = R"(
#pragma tuner kernel(saxpy)
#pragma tuner problem(n: size)
#pragma tuner param(BLOCK, 32, 64, 128, 256; default 64)
#pragma tuner param(UNROLL, 1, 2, 4; default 1)
#pragma tuner constraint(BLOCK * UNROLL <= 512)
#pragma tuner grid(ceil_div(n, BLOCK * UNROLL)) block(BLOCK)
#pragma tuner in(x, float, n) inout(y, float, n)
#pragma tuner scalar(n, int32)
#pragma tuner work(bytes = 12 * n)
__global__ void saxpy(const float* x, float* y, int n) {}
)";

inline Task make_task(const std::vector<std::string>& where = {}, const std::string& text = kKernel, int n = 1000) {
  return Task(parse_descriptions(text, "saxpy.cu").front(), {{"n", n}}, known_device("H200"), where);
}

/// With n = 1 every grid is one block, so UNROLL makes no difference to the launch.
inline Task one_block_task() {
  return make_task({}, kKernel, 1);
}

/// BLOCK=256,UNROLL=2 is the fastest; times fall with the work of a thread block.
inline Behaviour ordinary(const std::string& configuration) {
  static const Task task = make_task();
  const search::Configuration parsed = task.space().parse(configuration.empty() ? "BLOCK=64" : configuration);
  const double block = task.space().value(parsed, 0).as_real();
  const double unroll = task.space().value(parsed, 1).as_real();
  Behaviour behaviour;
  behaviour.time_ns = 1e5 * (1 + 64 / block + 0.2 * std::abs(unroll - 2));
  return behaviour;
}

/// The compiler makes the same of every UNROLL.
inline Behaviour unroll_ignored(const std::string& configuration) {
  Behaviour behaviour = ordinary(configuration);
  behaviour.binary = configuration.substr(0, configuration.find(','));
  return behaviour;
}

class RecordingObserver final : public Observer {
 public:
  void trial(const cache::Trial& trial) override { trials.push_back(trial); }
  void warning(const std::string& sentence) override { warnings.push_back(sentence); }
  std::vector<cache::Trial> trials;
  std::vector<std::string> warnings;
};

/// One session with everything fake, and what is left of it.
struct Laboratory {
  explicit Laboratory(BehaviourOf behaviour = ordinary, const std::vector<std::string>& where = {})
      : Laboratory(make_task(where), std::move(behaviour)) {}
  /// `room`: how many requests the compile lane takes and answers at once, the last one first.
  Laboratory(Task its_task, BehaviourOf behaviour, std::size_t room = 4)
      : task(std::move(its_task)), compile(behaviour, room), device(known_device("H200"), behaviour) {}

  TuneReport tune(const SessionOptions& options = {}) {
    return run_session(task, options, {compile, device, store, nullptr, observer, stop});
  }
  std::vector<cache::Trial> rows() const { return store.find_trials(task.key("cold")); }
  const cache::Trial& row(const std::string& configuration) const {
    const auto found = std::find_if(observer.trials.begin(), observer.trials.end(),
                                    [&](const cache::Trial& trial) { return trial.configuration == configuration; });
    REQUIRE_MESSAGE(found != observer.trials.end(), "no trial of ", configuration);
    return *found;
  }

  Task task;
  FakeCompileLane compile;
  FakeDeviceLane device;
  cache::MemoryStore store;
  RecordingObserver observer;
  std::atomic<bool> stop = false;
};

/// A device session over a lane that answers by a function, for what is tested without a whole session.
struct DeviceBench {
  explicit DeviceBench(const Task& task, std::function<DeviceReply(const DeviceRequest&)> answer)
      : lane(std::move(answer)), journal(store, observer, options), device(task, options, lane, observer, journal) {}

  SessionOptions options;
  cache::MemoryStore store;
  RecordingObserver observer;
  AnsweringDeviceLane lane;
  TrialJournal journal;
  DeviceSession device;
};

/// `ordinary`, but for one configuration.
inline BehaviourOf except(const std::string& configuration, const std::function<void(Behaviour&)>& change) {
  return [=](const std::string& asked) {
    Behaviour behaviour = ordinary(asked);
    if (asked == configuration) change(behaviour);
    return behaviour;
  };
}

}  // namespace tuner::engine
