#include "tuner/runtime/runtime_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/core/task/problem.hpp"
#include "tuner/process/system_databases.hpp"
#include "tuner/runtime/description_content.hpp"
#include "tuner/runtime/problem_values.hpp"

namespace tuner::detail {
namespace {

std::vector<std::filesystem::path> databases_after_users(const RuntimeOptions& options) {
  std::vector<std::filesystem::path> all = options.system_databases;
  for (std::filesystem::path& database : system_databases()) all.push_back(std::move(database));
  return all;
}

/// The longest pause before a request looks again for what it could not have.
constexpr std::chrono::milliseconds kLongestPause = std::chrono::minutes(5);

/// An instance for when there is no memory to make one. Leaked, so that it outlives every static object.
const Instance& instance_of_last_resort() noexcept {
  static InstanceState* const state = [] {
    auto* made = new InstanceState("", {}, [](Notice::Kind, const std::string&) {});
    LaunchPlan plan;
    plan.provenance.why = "The request failed inside the library, for lack of memory for example.";
    made->publish(std::move(plan));
    return made;
  }();
  return state->instance();
}

}  // namespace

/// One thread makes an instance, all others wait for it.
class RuntimeState::Claim {
 public:
  Claim(RuntimeState& runtime, const GivenRequest& given) : runtime_(runtime), given_(given) {}
  ~Claim() {
    const std::lock_guard lock(runtime_.mutex_);
    given_.request.kernel.being_made.erase(given_.key());
    runtime_.changed_.notify_all();
  }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

 private:
  RuntimeState& runtime_;
  const GivenRequest& given_;
};

RuntimeState::RuntimeState(RuntimeOptions options, std::unique_ptr<const FrozenAnswers> frozen)
    : frozen_(std::move(frozen)),
      settings_(std::move(options), frozen_ != nullptr),
      contexts_(settings_.options.device),
      stores_(
          {settings_.options.database, databases_after_users(settings_.options), settings_.options.database_patience},
          [this](const std::string& sentence) { settings_.report(Notice::Kind::database, sentence); }),
      loader_(settings_, contexts_),
      tuner_(settings_, loader_, engine_),
      maker_({settings_, frozen_.get(), contexts_, stores_, loader_, engine_, tuner_}),
      engine_(settings_) {
  instance_of_last_resort();  // while there is memory
}

/// Called where something was caught.
const Instance& RuntimeState::report_failed_request(const KernelState& kernel) noexcept {
  try {
    throw;
  } catch (const std::exception& error) {
    try {
      settings_.report(Notice::Kind::engine,
                       fmt::format("A request for `{}` failed: {}", kernel.outline->kernel, error.what()));
    } catch (...) {
      settings_.report(Notice::Kind::engine, error.what());
    }
  } catch (...) {
    settings_.report(Notice::Kind::engine, "A request failed.");
  }
  return instance_of_last_resort();
}

KernelState& RuntimeState::add(const Description& description, KernelOptions options) {
  const auto& content = description.content();
  std::optional<KnownSource> known;
  if (mode() != Mode::off && !frozen_) known = stores_.known_source(content->possible_sources, content->kernel);
  if (!known) known = {content->source(), {content, &content->parsed()}};
  const std::lock_guard lock(mutex_);
  return kernels_.emplace_back(*this, content, known->source, known->outline, std::move(options));
}

const Instance& RuntimeState::request(KernelState& kernel, std::span<const ProblemValue> values,
                                      const RequestOptions& options) noexcept try {
  if (const Instance* known = kernel.requested.find(contexts_.current_id(), values)) return *known;
  return answer(kernel, values, options);
} catch (...) {
  return report_failed_request(kernel);
}

const Instance& RuntimeState::request(KernelState& kernel, std::span<const NamedValue> values,
                                      const RequestOptions& options) noexcept try {
  std::vector<ProblemValue> ordered;
  std::size_t used = 0;
  for (const ProblemProperty& property : kernel.outline->problem) {
    const auto named = std::find_if(values.begin(), values.end(),
                                    [&](const NamedValue& value) { return value.name == property.name; });
    if (named != values.end()) {
      ordered.push_back(named->value);
      ++used;
    } else if (const auto& value = property.default_value) {
      ordered.push_back(value->is_integer() ? ProblemValue(value->as_integer())
                        : value->is_name()  ? ProblemValue(std::string_view(value->as_name()))
                                            : ProblemValue(value->as_real()));
    } else {
      break;
    }
  }
  if (used == values.size() && ordered.size() == kernel.outline->problem.size()) {
    return request(kernel, ordered, options);
  }
  // Something is missing, unknown or given twice: the sentence for that.
  ProblemValues named;
  for (const NamedValue& value : values) named.emplace(value.name, search_value(value.value));
  try {
    complete_problem(*kernel.description(), named, "");
  } catch (const Error& error) {
    return refusal(kernel, error.what());
  }
  return refusal(kernel, fmt::format("The request names a problem property of `{}` twice.", kernel.outline->kernel));
} catch (...) {
  return report_failed_request(kernel);
}

/// What this Runtime has, what another thread is pending, or what is made now.
const Instance& RuntimeState::answer(KernelState& kernel, std::span<const ProblemValue> values,
                                     const RequestOptions& options) {
  std::optional<GivenRequest> given;
  try {
    given.emplace(resolve(kernel, values, options));
  } catch (const Error& error) {
    return refuse_always(kernel, values, error.what());
  }
  if (const Instance* known = find_or_claim(*given)) return *known;
  const Claim claim(*this, *given);
  return make(*given);
}

namespace {

/// Throws Error if no problem has these values: with a sentence for which the outline may not be enough.
ProblemValues complete(const KernelState& kernel, std::span<const ProblemValue> values) {
  try {
    return complete_problem(*kernel.outline, named_values(*kernel.outline, values), "");
  } catch (const Error&) {
    const auto description = kernel.description();
    return complete_problem(*description, named_values(*description, values), "");
  }
}

}  // namespace

/// Throws Error if no problem has these values, or there is no context.
RuntimeState::GivenRequest RuntimeState::resolve(KernelState& kernel, std::span<const ProblemValue> values,
                                                 const RequestOptions& options) {
  ProblemValues problem = complete(kernel, values);
  std::string text = problem_text(problem);
  const ContextPlace place = contexts_.current();
  return {values, {kernel, place, std::move(problem), std::move(text), contexts_.is_capturing(options.stream)}};
}

/// The instance that is there, perhaps after a wait for the thread that makes it, or a refusal. Null: there is none, or
/// it is time to look for a better one, and the caller has claimed it: it makes the instance and releases the claim.
const Instance* RuntimeState::find_or_claim(const GivenRequest& given) {
  KernelState& kernel = given.request.kernel;
  const KernelState::Key key = given.key();
  std::unique_lock lock(mutex_);
  for (;;) {
    if (const auto found = kernel.instances.find(key); found != kernel.instances.end()) {
      const KernelState::Made& made = found->second;
      const Instance& instance = made.instance->instance();
      const bool stays = !made.look_again;
      if (stays) remember(kernel, key.first, given.values, instance);
      if (stays || given.request.capturing || std::chrono::steady_clock::now() < *made.look_again) return &instance;
    }
    if (!kernel.being_made.contains(key)) break;
    if (given.request.capturing) {
      lock.unlock();
      return &refusal(
          kernel, "Another thread is preparing this instance, and a request cannot wait while a graph is captured.");
    }
    changed_.wait(lock);
  }
  if (!kernel.instances.contains(key) && instances_ >= settings_.options.max_instances) {
    lock.unlock();
    return &refusal(kernel,
                    fmt::format("There are already {} instances, as many as RuntimeOptions::max_instances allows.",
                                settings_.options.max_instances));
  }
  kernel.being_made.insert(key);
  return nullptr;
}

/// Makes the claimed instance, or gives the one that is there another plan.
const Instance& RuntimeState::make(const GivenRequest& given) {
  const auto begin = std::chrono::steady_clock::now();
  KernelState& kernel = given.request.kernel;
  InstanceState* before = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto known = kernel.instances.find(given.key());
    if (known != kernel.instances.end()) before = known->second.instance.get();
  }
  InstanceMaker::Made made = maker_.make(given.request, before);
  if (!made.refusal.empty()) return refuse_always(kernel, given.values, made.refusal);
  return keep(given, std::move(made), begin);
}

const Instance& RuntimeState::keep(const GivenRequest& given, InstanceMaker::Made made,
                                   std::chrono::steady_clock::time_point begin) {
  const InstanceMaker::Request& request = given.request;
  const std::lock_guard lock(mutex_);
  KernelState::Made& kept = request.kernel.instances[given.key()];
  if (made.instance) {
    ++instances_;
    kept.instance = std::move(made.instance);
    kept.problem = request.problem;
    kept.device = request.place.device;
  }
  const Instance& instance = kept.instance->instance();
  kept.look_again.reset();
  if (made.is_final) {
    remember(request.kernel, request.place.id, given.values, instance);
    return instance;
  }
  // What took long is not tried again soon; what a capture kept from happening, at once.
  const auto now = std::chrono::steady_clock::now();
  kept.look_again = now;
  if (request.capturing) return instance;
  *kept.look_again += std::max<std::chrono::steady_clock::duration>(kept.pause, 4 * (now - begin));
  kept.pause = std::min(2 * kept.pause, kLongestPause);
  return instance;
}

/// For values that will never be answered otherwise.
const Instance& RuntimeState::refuse_always(KernelState& kernel, std::span<const ProblemValue> values,
                                            const std::string& why) {
  const Instance& refused = refusal(kernel, why);
  const std::lock_guard lock(mutex_);
  remember(kernel, contexts_.current_id(), values, refused);
  return refused;
}

/// From now on the same request is a look-up. Values that cannot be answered are not remembered without end.
void RuntimeState::remember(KernelState& kernel, std::uint64_t context, std::span<const ProblemValue> values,
                            const Instance& instance) {
  if (kernel.requested.size() >= 4 * settings_.options.max_instances) return;
  if (kernel.requested.find(context, values) == nullptr) kernel.requested.insert(context, values, instance);
}

/// One instance a sentence; beyond some, one for all others.
const Instance& RuntimeState::refusal(KernelState& kernel, const std::string& why) {
  constexpr std::size_t kMost = 64;
  constexpr const char* kOther =
      "The request cannot be answered; its reason was not kept, because too many requests failed.";
  std::unique_lock lock(mutex_);
  const bool full = kernel.refusals.size() >= kMost && !kernel.refusals.contains(why);
  const std::string sentence = full ? kOther : why;
  std::unique_ptr<InstanceState>& state = kernel.refusals[sentence];
  const bool is_new = !state;
  if (is_new) state = maker_.make_refusal(kernel, sentence);
  const Instance& refused = state->instance();
  lock.unlock();
  if (is_new) settings_.report(Notice::Kind::request, sentence);
  return refused;
}

std::vector<std::byte> RuntimeState::frozen(FrozenBinaries binaries) {
  Freezing freezing(settings_, frozen_.get(), stores_, engine_);
  FrozenAnswers answers;
  for (const Freezing::InUse& used : in_use()) {
    answers.add(freezing.freeze(used, contexts_.info(used.device), binaries));
  }
  return answers.bytes();
}

/// Every instance that launches a kernel. Plans and kernels live as long as the Runtime.
std::vector<Freezing::InUse> RuntimeState::in_use() {
  std::vector<Freezing::InUse> all;
  const std::lock_guard lock(mutex_);
  for (const KernelState& kernel : kernels_) {
    for (const auto& [key, made] : kernel.instances) {
      if (!made.instance->has_plan()) continue;
      const LaunchPlan& plan = made.instance->plan();
      if (plan.has_kernel()) all.push_back({kernel, made.problem, made.device, plan});
    }
  }
  return all;
}

}  // namespace tuner::detail
