#include "tuner/runtime/runtime_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "tuner/core/base/printable.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/process/system_databases.hpp"
#include "tuner/runtime/description_content.hpp"

namespace tuner::detail {
namespace {

constexpr std::array<std::pair<std::string_view, Mode>, 4> kModes{{
    {"off", Mode::off},
    {"cache", Mode::cache},
    {"background", Mode::background},
    {"tune", Mode::tune},
}};

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::vector<std::filesystem::path> databases_after_users(const RuntimeOptions& options) {
  std::vector<std::filesystem::path> all = options.system_databases;
  for (std::filesystem::path& database : system_databases()) all.push_back(std::move(database));
  return all;
}

/// The longest pause before a request looks again for what it could not have.
constexpr std::chrono::milliseconds kLongestPause = std::chrono::minutes(5);

/// What makes no sense becomes the nearest that does.
RuntimeOptions in_range(RuntimeOptions options) {
  options.background_share = std::clamp(options.background_share, 0.001, 1.0);
  options.background_compile_workers = std::max(options.background_compile_workers, 1);
  options.swap_threshold = std::max(options.swap_threshold, 1.0);
  return options;
}

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

RuntimeState::RuntimeState(RuntimeOptions options, std::unique_ptr<const FrozenAnswers> frozen)
    : options_(in_range(std::move(options))),
      frozen_(std::move(frozen)),
      mode_(frozen_ ? Mode::cache : options_.mode),
      timing_(options_.timing),
      contexts_(options_.device),
      stores_({options_.database, databases_after_users(options_), options_.database_patience},
              [this](const std::string& sentence) { report(Notice::Kind::database, sentence); }) {
  instance_of_last_resort();  // while there is memory
  if (const std::string wanted = environment("TUNER_MODE"); !wanted.empty() && !frozen_) {
    const auto found =
        std::find_if(kModes.begin(), kModes.end(), [&](const auto& mode) { return mode.first == wanted; });
    if (found != kModes.end()) {
      mode_ = found->second;
    } else {
      report(Notice::Kind::request,
             fmt::format("TUNER_MODE is \"{}\", which is not off, cache, background or tune; it is ignored.", wanted));
    }
  }
  bool lists_misses = options_.wanted;
  if (const std::string wanted = environment("TUNER_WANTED"); wanted == "0" || wanted == "1") {
    lists_misses = wanted == "1";
  } else if (!wanted.empty()) {
    report(Notice::Kind::request, fmt::format("TUNER_WANTED is \"{}\", which is not 0 or 1; it is ignored.", wanted));
  }
  if (lists_misses && mode_ != Mode::off) {
    wanted_ = std::make_unique<WantedList>(
        options_.database, [this](const std::string& sentence) { report(Notice::Kind::database, sentence); });
  }
  if (options_.never_tune && (mode_ == Mode::background || mode_ == Mode::tune)) mode_ = Mode::cache;
}

RuntimeState::~RuntimeState() = default;

void RuntimeState::report(Notice::Kind kind, std::string_view sentence) noexcept try {
  if (options_.observer) options_.observer({kind, one_line(sentence)});
} catch (...) {
  // An observer must not throw; what it throws must not end a program.
}

/// Called where something was caught.
const Instance& RuntimeState::report_failed_request(const KernelState& kernel) noexcept {
  try {
    throw;
  } catch (const std::exception& error) {
    try {
      report(Notice::Kind::engine, fmt::format("A request for `{}` failed: {}", kernel.outline->kernel, error.what()));
    } catch (...) {
      report(Notice::Kind::engine, error.what());
    }
  } catch (...) {
    report(Notice::Kind::engine, "A request failed.");
  }
  return instance_of_last_resort();
}

KernelState& RuntimeState::add(const Description& description, KernelOptions options) {
  const auto& content = description.content();
  std::optional<KnownSource> known;
  if (mode_ != Mode::off && !frozen_) known = stores_.known_source(content->possible_sources, content->kernel);
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
  std::optional<Wanted> wanted;
  try {
    wanted.emplace(resolve(kernel, values, options));
  } catch (const Error& error) {
    return refuse_always(kernel, values, error.what());
  }
  if (const Instance* known = find_or_claim(*wanted)) return *known;
  wanted->begin = std::chrono::steady_clock::now();
  const Claim claim(*this, *wanted);
  return make(*wanted);
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
RuntimeState::Wanted RuntimeState::resolve(KernelState& kernel, std::span<const ProblemValue> values,
                                           const RequestOptions& options) {
  const ProblemValues problem = complete(kernel, values);
  const ContextPlace place = contexts_.current();
  return {kernel, values, place, {place.id, problem_text(problem)}, contexts_.is_capturing(options.stream)};
}

/// The instance that is there, perhaps after a wait for the thread that makes it, or a refusal. Null: there is none, or
/// it is time to look for a better one, and the caller has claimed it: it makes the instance and releases the claim.
const Instance* RuntimeState::find_or_claim(const Wanted& wanted) {
  KernelState& kernel = wanted.kernel;
  std::unique_lock lock(mutex_);
  for (;;) {
    if (const auto found = kernel.instances.find(wanted.key); found != kernel.instances.end()) {
      const KernelState::Made& made = found->second;
      const Instance& instance = made.instance->instance();
      const bool stays = !made.look_again;
      if (stays) remember(kernel, wanted.key.first, wanted.values, instance);
      if (stays || wanted.capturing || std::chrono::steady_clock::now() < *made.look_again) return &instance;
    }
    if (!kernel.being_made.contains(wanted.key)) break;
    if (wanted.capturing) {
      lock.unlock();
      return &refusal(
          kernel, "Another thread is preparing this instance, and a request cannot wait while a graph is captured.");
    }
    changed_.wait(lock);
  }
  if (!kernel.instances.contains(wanted.key) && instances_ >= options_.max_instances) {
    lock.unlock();
    return &refusal(kernel,
                    fmt::format("There are already {} instances, as many as RuntimeOptions::max_instances allows.",
                                options_.max_instances));
  }
  kernel.being_made.insert(wanted.key);
  return nullptr;
}

RuntimeState::Claim::~Claim() {
  const std::lock_guard lock(runtime_.mutex_);
  wanted_.kernel.being_made.erase(wanted_.key);
  runtime_.changed_.notify_all();
}

InstanceState* RuntimeState::known_instance(const Wanted& wanted) {
  const std::lock_guard lock(mutex_);
  const auto known = wanted.kernel.instances.find(wanted.key);
  return known != wanted.kernel.instances.end() ? known->second.instance.get() : nullptr;
}

/// `fresh`: null for an instance that is kept already. `is_final`: a later request would not get a better one.
const Instance& RuntimeState::keep(const Wanted& wanted, std::unique_ptr<InstanceState> fresh, bool is_final) {
  const std::lock_guard lock(mutex_);
  KernelState::Made& made = wanted.kernel.instances[wanted.key];
  if (fresh) {
    ++instances_;
    made.instance = std::move(fresh);
    made.device = wanted.place.device;
  }
  const Instance& instance = made.instance->instance();
  made.look_again.reset();
  if (is_final) {
    remember(wanted.kernel, wanted.key.first, wanted.values, instance);
    return instance;
  }
  // What took long is not tried again soon; what a capture kept from happening, at once.
  const auto now = std::chrono::steady_clock::now();
  made.look_again = now;
  if (wanted.capturing) return instance;
  *made.look_again += std::max<std::chrono::steady_clock::duration>(made.pause, 4 * (now - wanted.begin));
  made.pause = std::min(2 * made.pause, kLongestPause);
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
  if (kernel.requested.size() >= 4 * options_.max_instances) return;
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
  if (is_new) {
    state = new_instance(kernel, {});
    state->publish(last_resort(kernel, sentence));
  }
  const Instance& refused = state->instance();
  lock.unlock();
  if (is_new) report(Notice::Kind::request, sentence);
  return refused;
}

std::unique_ptr<InstanceState> RuntimeState::new_instance(KernelState& kernel, std::vector<BoundArgument> arguments) {
  return std::make_unique<InstanceState>(
      kernel.outline->kernel, std::move(arguments),
      [this](Notice::Kind kind, const std::string& sentence) { report(kind, sentence); });
}

LaunchPlan RuntimeState::last_resort(const KernelState& kernel, const std::string& why) const {
  LaunchPlan plan;
  plan.provenance.why = why;
  if (kernel.options.fallback) {
    plan.fallback = &kernel.options.fallback;
    plan.provenance.rung = Rung::fallback;
  }
  return plan;
}

}  // namespace tuner::detail
