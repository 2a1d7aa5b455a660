#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/core/task/task.hpp"
#include "tuner/engine_protocol/engine_client.hpp"
#include "tuner/runtime.hpp"
#include "tuner/runtime/contexts.hpp"
#include "tuner/runtime/frozen_answers.hpp"
#include "tuner/runtime/kernel_state.hpp"
#include "tuner/runtime/ladder.hpp"
#include "tuner/runtime/layered_stores.hpp"
#include "tuner/runtime/modules.hpp"
#include "tuner/runtime/scratch_memory.hpp"
#include "tuner/runtime/wanted_list.hpp"

namespace tuner::detail {

/// What stands behind a Runtime: it answers requests, once each, and takes over what the engine finds.
class RuntimeState {
 public:
  /// `frozen`: what is served in place of what databases say (Runtime::from_frozen); null: nothing.
  explicit RuntimeState(RuntimeOptions options, std::unique_ptr<const FrozenAnswers> frozen = nullptr);
  ~RuntimeState();

  Mode mode() const noexcept { return mode_; }
  KernelState& add(const Description& description, KernelOptions options);

  const Instance& request(KernelState& kernel, std::span<const ProblemValue> values,
                          const RequestOptions& options) noexcept;
  const Instance& request(KernelState& kernel, std::span<const NamedValue> values,
                          const RequestOptions& options) noexcept;
  bool wait_for_tuning(std::chrono::milliseconds limit);
  std::vector<std::byte> frozen(FrozenBinaries binaries);

 private:
  /// What a request asks for.
  struct Wanted {
    KernelState& kernel;
    std::span<const ProblemValue> values;
    ContextPlace place;
    KernelState::Key key;
    bool capturing = false;                            ///< a graph is being captured: nothing may wait
    std::chrono::steady_clock::time_point begin = {};  ///< of making the instance
  };
  /// One thread makes an instance, all others wait for it: until this ends.
  class Claim {
   public:
    Claim(RuntimeState& runtime, const Wanted& wanted) : runtime_(runtime), wanted_(wanted) {}
    ~Claim();
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;

   private:
    RuntimeState& runtime_;
    const Wanted& wanted_;
  };
  /// One instance that is being made.
  struct PendingInstance {
    KernelState& kernel;
    ContextPlace place;
    std::shared_ptr<const Task> task;
    InstanceState& instance;
    bool capturing = false;
    bool again = false;              ///< it has a plan already, which was not to stay
    bool is_noted = false;           ///< as a miss
    bool may_improve = false;        ///< a later request might get a better rung
    std::int64_t since_unix_ms = 0;  ///< when the databases were looked into
    LookupState lookup = {};
    bool remembers = false;  ///< the next start should find what is served
  };
  /// An instance that waits for the engine's answer.
  struct Waiting {
    InstanceState* instance = nullptr;
    ContextPlace place;
    std::shared_ptr<const Task> task;
    bool request_waits = false;  ///< Mode::tune: nothing is in use yet, so whatever wins is taken
  };
  /// Kernel, device and problem.
  using TuningKey = std::string;

  void report(Notice::Kind kind, std::string_view sentence) noexcept;
  const Instance& report_failed_request(const KernelState& kernel) noexcept;

  const Instance& answer(KernelState& kernel, std::span<const ProblemValue> values, const RequestOptions& options);
  Wanted resolve(KernelState& kernel, std::span<const ProblemValue> values, const RequestOptions& options);
  const Instance* find_or_claim(const Wanted& wanted);
  const Instance& make(const Wanted& wanted);
  InstanceState* known_instance(const Wanted& wanted);
  const Instance* make_served(const Wanted& wanted, const LayeredStores::FoundServed& found, bool is_final);
  const Instance& keep(const Wanted& wanted, std::unique_ptr<InstanceState> fresh, bool is_final);
  const Instance& refuse_always(KernelState& kernel, std::span<const ProblemValue> values, const std::string& why);
  const Instance& refusal(KernelState& kernel, const std::string& why);
  std::unique_ptr<InstanceState> new_instance(KernelState& kernel, std::vector<BoundArgument> arguments);
  LaunchPlan last_resort(const KernelState& kernel, const std::string& why) const;
  void remember(KernelState& kernel, std::uint64_t context, std::span<const ProblemValue> values,
                const Instance& instance);

  // Making instances: making.cpp.
  void fill(PendingInstance& pending);
  bool wants_more(const Provenance& provenance) const;
  bool serve(PendingInstance& pending, Ladder& ladder);
  LaunchPlan load(const ContextPlace& place, const LaunchFacts& facts, const Provenance& provenance,
                  const cache::Cubin& binary);
  void remember_served(const PendingInstance& pending, const Offer& offer, const cache::Cubin& binary) noexcept;
  void publish(PendingInstance& pending, LaunchPlan plan);
  WantedList::Count* note_miss(PendingInstance& pending, const Ladder& ladder, const Provenance& served);
  std::optional<cache::Cubin> find_or_compile(PendingInstance& pending, const Offer& offer, Ladder& ladder,
                                              int& failures);
  CompileAnswer compile(const Task& task, const std::string& configuration, const std::string& key);
  std::shared_ptr<const Task> task_for(const KernelState& kernel, const std::string& problem, int device);
  EngineClient& engine();
  JobSubject subject(const Task& task) const;

  // What others are to serve: freezing.cpp.
  /// One instance at one moment.
  struct InUse {
    const KernelState& kernel;
    std::string problem;  ///< canonical
    int device = 0;
    const LaunchPlan& plan;
  };
  std::vector<InUse> in_use();
  FrozenAnswer freeze(const InUse& used, FrozenBinaries binaries);
  std::optional<cache::Cubin> find_binary_of(const InUse& used, const Task& task, const std::string& key);

  // Tuning: tuning.cpp.
  /// Whatever the problem: why nothing may run on this GPU beside the program, as the end of a sentence.
  static std::optional<std::string> tuning_is_forbidden(int device);
  std::optional<std::string> why_not_tune(const PendingInstance& pending) const;
  bool tune_and_wait(PendingInstance& pending);
  void start_tuning(const PendingInstance& pending, bool request_waits);
  TuneJob background_job(const Waiting& waiting, Effort effort) const;
  void send(const TuningKey& key, TuneJob job);
  bool goes_on(const TuneAnswer& answer) const;
  void finish_tuning(const TuningKey& key, const TuneAnswer& answer) noexcept;
  void serve_answer(const Waiting& waiting, const TuneAnswer& answer);
  void take_over(const Waiting& waiting, const TuneAnswer& answer);
  TuningKey tuning_key(const KernelState& kernel, const Task& task) const;

  const RuntimeOptions options_;
  const std::unique_ptr<const FrozenAnswers> frozen_;  ///< null: decisions come from the databases
  Mode mode_;
  Timing timing_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<KernelState> kernels_;
  std::size_t instances_ = 0;
  std::map<TuningKey, std::vector<Waiting>> tuning_;
  std::map<std::string, CompileAnswer> compiled_;  ///< by binary_key

  Contexts contexts_;
  ScratchMemory scratch_;  ///< ends after the modules, whose kernels use it
  Modules modules_;
  LayeredStores stores_;
  std::unique_ptr<WantedList> wanted_;  ///< null: nobody wants to know
  std::once_flag engine_started_;
  std::unique_ptr<EngineClient>
      engine_;  ///< when it is needed; the last: its thread ends before anything that it calls
};

}  // namespace tuner::detail
