#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tuner/core/task/task.hpp"
#include "tuner/runtime/background_tuner.hpp"
#include "tuner/runtime/contexts.hpp"
#include "tuner/runtime/frozen_answers.hpp"
#include "tuner/runtime/instance_state.hpp"
#include "tuner/runtime/kernel_state.hpp"
#include "tuner/runtime/ladder.hpp"
#include "tuner/runtime/layered_stores.hpp"
#include "tuner/runtime/plan_loader.hpp"
#include "tuner/runtime/program_engine.hpp"
#include "tuner/runtime/runtime_settings.hpp"
#include "tuner/runtime/wanted_list.hpp"

namespace tuner::detail {

/// Makes instances: from the row of a source, problem and device, or by the ladder. Has tuned what is missing, and
/// lists it. Safe to use from several threads.
class InstanceMaker {
 public:
  /// What a maker works with; all of it outlives the maker.
  struct Parts {
    const RuntimeSettings& settings;
    const FrozenAnswers* frozen = nullptr;  ///< what is served in place of what databases say; null: nothing
    Contexts& contexts;
    LayeredStores& stores;
    PlanLoader& loader;
    ProgramEngine& engine;
    BackgroundTuner& tuner;
  };
  explicit InstanceMaker(const Parts& parts);

  /// What an instance is made for.
  struct Request {
    KernelState& kernel;
    ContextPlace place;
    ProblemValues problem;   ///< complete
    std::string text;        ///< the problem's, canonical
    bool capturing = false;  ///< a graph is being captured: nothing may wait
  };
  struct Made {
    std::unique_ptr<InstanceState> instance;  ///< null where there was one, which has another plan now
    bool is_final = false;                    ///< a later request would not get a better one
    std::string refusal;                      ///< why there will never be one; empty otherwise
  };
  /// `before`: the instance that is there, which gets another plan; null: none.
  Made make(const Request& request, InstanceState* before);

  /// An instance that launches nothing, or the caller's fallback.
  std::unique_ptr<InstanceState> make_refusal(const KernelState& kernel, const std::string& why) const;

 private:
  /// One instance that is being made.
  struct Pending {
    const Request& request;
    std::shared_ptr<const Task> task;
    InstanceState& instance;
    bool again = false;              ///< it has a plan already, which was not to stay
    bool is_noted = false;           ///< as a miss
    bool may_improve = false;        ///< a later request might get a better rung
    std::int64_t since_unix_ms = 0;  ///< when the databases were looked into
    LookupState lookup = {};
    bool remembers = false;  ///< the next start should find what is served
  };

  std::unique_ptr<InstanceState> new_instance(const KernelState& kernel, std::vector<BoundArgument> arguments) const;
  std::optional<Made> make_served(const Request& request, InstanceState* before,
                                  const LayeredStores::FoundServed& found, bool is_final);
  bool wants_more(const Provenance& provenance) const;
  void fill(Pending& pending);
  bool serve(Pending& pending, Ladder& ladder);
  std::optional<cache::Cubin> find_or_compile(Pending& pending, const Offer& offer, Ladder& ladder, int& failures);
  void remember_served(const Pending& pending, const Offer& offer, const cache::Cubin& binary) noexcept;
  WantedList::Count* note_miss(Pending& pending, const Ladder& ladder, const Provenance& served);

  const RuntimeSettings& settings_;
  const RuntimeOptions& options_ = settings_.options;
  const FrozenAnswers* const frozen_;
  Contexts& contexts_;
  LayeredStores& stores_;
  PlanLoader& loader_;
  ProgramEngine& engine_;
  BackgroundTuner& tuner_;
  std::unique_ptr<WantedList> wanted_;  ///< null: nobody wants to know
};

}  // namespace tuner::detail
