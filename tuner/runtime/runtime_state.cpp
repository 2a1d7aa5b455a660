#include "tuner/runtime/runtime_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "cache/hash.hpp"
#include "tuner/core/cubin.hpp"
#include "tuner/core/identity.hpp"
#include "tuner/core/problem.hpp"
#include "tuner/core/text.hpp"
#include "tuner/runtime/description_content.hpp"
#include "tuner/runtime/signature.hpp"

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

std::vector<std::filesystem::path> system_databases(const RuntimeOptions& options) {
  std::vector<std::filesystem::path> all = options.system_databases;
  const std::string named = environment("TUNER_SYSTEM_DB");
  for (std::size_t begin = 0; begin < named.size();) {
    const std::size_t end = std::min(named.find(':', begin), named.size());
    if (end > begin) all.emplace_back(named.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

/// What a request that failed in itself is remembered by.
std::string text_of(std::span<const ProblemValue> values) {
  std::string text;
  for (const ProblemValue& value : values) text += (text.empty() ? "" : ", ") + search_value(value).text();
  return text;
}

/// An instance for when there is no memory to make one. Leaked, so that it outlives every static object.
const Instance& instance_of_last_resort() noexcept {
  static InstanceState* const state = [] {
    auto* made = new InstanceState("", {}, [](Notice::Kind, const std::string&) {});
    LaunchPlan plan;
    plan.provenance.why = "The request failed for lack of memory.";
    made->publish(std::move(plan));
    return made;
  }();
  return state->instance();
}

}  // namespace

RuntimeState::RuntimeState(RuntimeOptions options)
    : options_(std::move(options)),
      mode_(options_.mode),
      timing_(options_.timing == Timing::warm ? "warm" : "cold"),
      contexts_(options_.device),
      shelves_({options_.database, system_databases(options_), options_.database_patience},
               [this](const std::string& sentence) { report(Notice::Kind::database, sentence); }) {
  instance_of_last_resort();  // while there is memory
  if (const std::string wanted = environment("TUNER_MODE"); !wanted.empty()) {
    const auto found =
        std::find_if(kModes.begin(), kModes.end(), [&](const auto& mode) { return mode.first == wanted; });
    if (found != kModes.end()) {
      mode_ = found->second;
    } else {
      report(Notice::Kind::engine,
             fmt::format("TUNER_MODE is \"{}\", which is none of off, cache, background and tune; it is ignored.",
                         wanted));
    }
  }
  if (options_.never_tune && (mode_ == Mode::background || mode_ == Mode::tune)) mode_ = Mode::cache;
}

RuntimeState::~RuntimeState() = default;

void RuntimeState::report(Notice::Kind kind, const std::string& sentence) noexcept try {
  if (options_.observer) options_.observer({kind, sentence});
} catch (...) {
  // An observer must not throw; what it throws must not end a program.
}

EngineClient& RuntimeState::engine() {
  std::call_once(engine_started_, [this] { engine_ = std::make_unique<EngineClient>(); });
  return *engine_;
}

KernelState& RuntimeState::add(const Description& description, KernelOptions options) {
  const std::lock_guard lock(mutex_);
  return kernels_.emplace_back(*this, kernel_of(description), std::move(options));
}

const Instance& RuntimeState::request(KernelState& kernel, std::span<const ProblemValue> values,
                                      const RequestOptions& options) noexcept try {
  if (const Instance* known = kernel.requested.find(contexts_.current_id(), values)) return *known;
  return answer(kernel, values, options);
} catch (const std::exception& error) {
  report(Notice::Kind::engine, fmt::format("A request for `{}` failed: {}", kernel.description.kernel, error.what()));
  return instance_of_last_resort();
} catch (...) {
  return instance_of_last_resort();
}

const Instance& RuntimeState::request(KernelState& kernel, std::span<const NamedValue> values,
                                      const RequestOptions& options) noexcept try {
  std::vector<ProblemValue> ordered;
  std::size_t used = 0;
  for (const ProblemProperty& property : kernel.description.problem) {
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
  if (used == values.size() && ordered.size() == kernel.description.problem.size()) {
    return request(kernel, ordered, options);
  }
  // Something is missing, unknown or given twice: the sentence for that.
  ProblemValues named;
  for (const NamedValue& value : values) named.emplace(value.name, search_value(value.value));
  try {
    complete_problem(kernel.description, named);
  } catch (const Error& error) {
    return refusal(kernel, error.what());
  }
  return refusal(kernel, fmt::format("The request names a problem property of `{}` twice.", kernel.description.kernel));
} catch (...) {
  return instance_of_last_resort();
}

/// What this Runtime has, what another thread is making, or what is made now.
const Instance& RuntimeState::answer(KernelState& kernel, std::span<const ProblemValue> values,
                                     const RequestOptions& options) {
  ContextPlace place;
  std::shared_ptr<const Task> task;
  std::string unusable;
  KernelState::Key key;
  try {
    const ProblemValues problem = complete_problem(kernel.description, named_values(kernel.description, values));
    key.second = problem_text(problem);
    place = contexts_.current();
    key.first = place.id;
  } catch (const Error& error) {
    unusable = error.what();
    if (key.second.empty()) key = {contexts_.current_id(), "not a problem: " + text_of(values)};
  }

  const bool capturing = contexts_.is_capturing(options.stream);
  std::unique_lock lock(mutex_);
  for (;;) {
    if (const auto found = kernel.instances.find(key); found != kernel.instances.end()) {
      const Instance& instance = found->second->instance();
      if (kernel.requested.find(key.first, values) == nullptr) kernel.requested.insert(key.first, values, instance);
      return instance;
    }
    if (const auto found = kernel.made_in_captures.find(key); capturing && found != kernel.made_in_captures.end()) {
      return found->second->instance();
    }
    if (!kernel.being_made.contains(key)) break;
    changed_.wait(lock);
  }
  if (instances_ >= options_.max_instances) {
    lock.unlock();
    return refusal(kernel,
                   fmt::format("There are {} instances already, as many as RuntimeOptions::max_instances allows.",
                               options_.max_instances));
  }
  kernel.being_made.insert(key);
  lock.unlock();

  std::unique_ptr<InstanceState> instance;
  bool keep = true;
  try {
    if (unusable.empty()) {
      try {
        task = std::make_shared<const Task>(kernel.shared_description, parse_problem(key.second),
                                            contexts_.info(place.device), std::vector<std::string>{},
                                            std::vector<std::filesystem::path>{}, search::Listing::when_needed);
      } catch (const Error& error) {
        unusable = error.what();
      }
    }
    instance = new_instance(kernel, task ? task->arguments() : std::vector<BoundArgument>{});
    if (task) {
      Making making{kernel, place, task, *instance, capturing};
      make(making);
      keep = making.keep;
    } else {
      publish_last_resort(kernel, *instance, unusable);
    }
  } catch (...) {
    lock.lock();
    kernel.being_made.erase(key);
    changed_.notify_all();
    if (instance && instance->tuning()) static_cast<void>(instance.release());  // the engine's answer will come to it
    throw;
  }

  lock.lock();
  kernel.being_made.erase(key);
  changed_.notify_all();
  ++instances_;
  if (!keep) {
    return kernel.made_in_captures.emplace(key, std::move(instance)).first->second->instance();
  }
  const Instance& made = kernel.instances.emplace(key, std::move(instance)).first->second->instance();
  kernel.requested.insert(key.first, values, made);
  return made;
}

const Instance& RuntimeState::refusal(KernelState& kernel, const std::string& why) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<InstanceState>& state = kernel.refusals[why];
  if (!state) {
    state = new_instance(kernel, {});
    publish_last_resort(kernel, *state, why);
  }
  return state->instance();
}

std::unique_ptr<InstanceState> RuntimeState::new_instance(KernelState& kernel, std::vector<BoundArgument> arguments) {
  return std::make_unique<InstanceState>(
      kernel.description.kernel, std::move(arguments),
      [this](Notice::Kind kind, const std::string& sentence) { report(kind, sentence); });
}

void RuntimeState::publish_last_resort(KernelState& kernel, InstanceState& instance, const std::string& why) {
  LaunchPlan plan;
  plan.provenance.why = why;
  if (kernel.options.fallback) {
    plan.fallback = &kernel.options.fallback;
    plan.provenance.rung = Rung::fallback;
  }
  instance.publish_first(std::move(plan));
}

void RuntimeState::make(Making& making) {
  const bool tunes = mode_ == Mode::background || mode_ == Mode::tune;
  std::optional<std::string> declined;
  if (tunes && !making.capturing) declined = why_not_tune(making);
  const bool may_tune = tunes && !making.capturing && !declined;

  LadderOptions options{mode_ != Mode::off, options_.exact_only, timing_};
  if (mode_ == Mode::tune && may_tune) {
    Ladder only_exact(*making.task, {true, true, timing_}, shelves_);
    if (serve(making, only_exact)) return;
    if (tune_and_wait(making)) return;
  }
  Ladder ladder(*making.task, options, shelves_);
  if (!serve(making, ladder)) publish_last_resort(making.kernel, making.instance, ladder.reasons());
  const Provenance& provenance = making.instance.plan().provenance;
  if (provenance.rung == Rung::exact && !provenance.stale) return;
  if (declined) {
    const std::string sentence = fmt::format("`{}` is not tuned for {}: {}", making.kernel.description.kernel,
                                             problem_text(making.task->problem()), *declined);
    report(Notice::Kind::tuning, sentence);
    LaunchPlan told = making.instance.plan();
    told.provenance.why += " It is not tuned: " + *declined;
    making.instance.publish(std::move(told));
  } else if (may_tune && mode_ == Mode::background) {
    start_tuning(making, false);
  }
}

/// Publishes the first offer that can be loaded; false if there is none.
bool RuntimeState::serve(Making& making, Ladder& ladder) {
  std::string cannot_compile;
  while (const auto offer = ladder.next()) {
    const auto binary = find_or_compile(making, *offer, ladder, cannot_compile);
    if (!binary) continue;
    try {
      making.instance.publish_first(load(making.place, *making.task, *offer, *binary));
      return true;
    } catch (const Error& error) {
      ladder.reject(fmt::format("The binary of {} is not used: {}", offer->provenance.configuration, error.what()));
    }
  }
  return false;
}

std::optional<cache::Binary> RuntimeState::find_or_compile(Making& making, const Offer& offer, Ladder& ladder,
                                                           std::string& cannot_compile) {
  if (auto binary = shelves_.binary(binary_key(*making.task, offer.configuration))) return binary;
  const std::string& configuration = offer.provenance.configuration;
  if (making.capturing) {
    making.keep = false;
    ladder.reject(
        fmt::format("No binary of {} is stored, and nothing is compiled while a graph is captured.", configuration));
    return std::nullopt;
  }
  if (cannot_compile.empty()) {
    const CompileAnswer answer = engine().compile({subject(making.kernel, *making.task), configuration},
                                                  std::chrono::steady_clock::now() + options_.compile_limit);
    if (answer.outcome == Outcome::ok) {
      cache::Binary binary;
      binary.hash = answer.binary_hash.empty() ? cache::content_hash(answer.cubin) : answer.binary_hash;
      binary.kernel = answer.lowered_name;
      binary.bytes = answer.cubin;
      return binary;
    }
    if (answer.outcome == Outcome::compile_error) {
      ladder.reject(fmt::format("{} does not compile: {}", configuration, answer.message));
      return std::nullopt;
    }
    cannot_compile = answer.message;
    report(Notice::Kind::engine, answer.message);
  }
  ladder.reject(fmt::format("No binary of {} is stored, and it cannot be compiled: {}", configuration, cannot_compile));
  return std::nullopt;
}

JobSubject RuntimeState::subject(const KernelState& kernel, const Task& task) const {
  const KernelDescription& description = kernel.description;
  return {description.source, description.file, description.kernel, description.given_headers,
          task.problem(),     task.device(),    options_.database};
}

LaunchPlan RuntimeState::load(const ContextPlace& place, const Task& task, const Offer& offer,
                              const cache::Binary& binary) {
  const std::string& kernel = task.description().kernel;
  const std::vector<BoundArgument> arguments = task.arguments();
  if (const auto facts = facts_from_cubin(binary.bytes, binary.kernel)) {
    if (const auto why = why_not_described(kernel, arguments, facts->parameters))
      throw Error(Errc::bad_description, *why);
  }
  LaunchPlan plan;
  plan.geometry = offer.geometry;
  plan.function = modules_.load(place, binary.bytes, binary.hash, binary.kernel, offer.geometry, task.device());
  plan.launch = cuda::driver().launch;
  plan.bound = bound_scalars(task.description(), arguments);
  plan.provenance = offer.provenance;
  return plan;
}

}  // namespace tuner::detail
