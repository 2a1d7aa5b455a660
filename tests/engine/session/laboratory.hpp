#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cache/store/memory_store.hpp"
#include "tests/engine/session/fake_lanes.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/engine/candidates/candidates.hpp"
#include "tuner/engine/candidates/device_session.hpp"
#include "tuner/engine/candidates/trial_journal.hpp"
#include "tuner/engine/session/session.hpp"

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

/// The configurations that are the fastest and the next, and the one to begin with.
inline const std::string kFastest = "BLOCK=256,UNROLL=2", kNext = "BLOCK=256,UNROLL=1", kBaseline = "BLOCK=64,UNROLL=1";

/// The kernel's text with `text` in place of `what`.
inline std::string kernel_with(const std::string& what, const std::string& text) {
  return std::string(kKernel).replace(std::string(kKernel).find(what), what.size(), text);
}
/// With another directive, in front of those of the launch and the arguments.
inline std::string kernel_with_line(const std::string& directive) {
  return kernel_with("#pragma tuner grid", "#pragma tuner " + directive + "\n#pragma tuner grid");
}

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

/// `ordinary`, but for what `change` does to it.
inline BehaviourOf changed(std::function<void(const std::string& configuration, Behaviour&)> change) {
  return [change = std::move(change)](const std::string& configuration) {
    Behaviour behaviour = ordinary(configuration);
    change(configuration, behaviour);
    return behaviour;
  };
}
/// `ordinary`, but for one configuration.
inline BehaviourOf except(const std::string& configuration, std::function<void(Behaviour&)> change) {
  return changed([configuration, change = std::move(change)](const std::string& asked, Behaviour& behaviour) {
    if (asked == configuration) change(behaviour);
  });
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

  TuneReport tune(const SessionOptions& options = {}) { return tune(task, options); }
  /// Another task, over the same lanes and rows.
  TuneReport tune(const Task& other, const SessionOptions& options = {}) {
    return run_session(other, options, {compile, device, store, nullptr, observer, stop});
  }
  /// With so many compile workers that are done in an order of their own.
  TuneReport tune_unordered(const SessionOptions& options, std::size_t workers, std::uint64_t timing) {
    UnorderedCompileLane unordered(compile, workers, timing);
    return run_session(task, options, {unordered, device, store, nullptr, observer, stop});
  }
  /// Stops the session when so many were screened, the baseline included.
  void stop_after(std::size_t screened) {
    device.on_submit = [this, screened] { stop = stop || device.screened.size() == screened; };
  }
  /// A further session, of which alone is known afterwards what it submitted.
  TuneReport tune_again(const SessionOptions& options = {}) {
    stop = false;
    device.on_submit = {};
    device.screened.clear();
    compile.submitted.clear();
    return tune(options);
  }
  std::optional<cache::Decision> decided() const { return store.find_decision(task.key("cold")); }
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

/// As a session does: compiled to a binary of its own, then screened.
inline void measure(Candidates& candidates, EntryId entry, std::vector<double> samples_ns) {
  candidates.request(entry);
  CompileReply binary;
  binary.facts.binary_hash.text = std::to_string(entry.index);
  candidates.compiled(entry, binary);
  candidates.ran(entry, {.result = ScreenResult{{.samples_ns = std::move(samples_ns)}}});
}

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

inline std::size_t count(const std::vector<std::string>& all, const std::string& one) {
  return static_cast<std::size_t>(std::count(all.begin(), all.end(), one));
}

/// These counters have these values, and all of them add up.
inline void check_counters(const TuneReport& report, const std::map<std::string, std::int64_t>& expected) {
  const auto& counters = report.decision.counters;
  for (const auto& [name, number] : expected) {
    CAPTURE(name);
    CHECK(counters.at(name) == number);
  }
  CHECK(counters.at("screened") + counters.at("reused") == counters.at("asked"));
  CHECK(counters.at("timed") + counters.at("deduplicated") + counters.at("failed") == counters.at("asked"));
}

}  // namespace tuner::engine
