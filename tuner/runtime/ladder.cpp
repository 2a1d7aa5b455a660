#include "tuner/runtime/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/core/base/text.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/sizes/sizes.hpp"
#include "tuner/core/task/decision_text.hpp"
#include "tuner/core/task/problem.hpp"

namespace tuner {
namespace {

void require_launchable(const Geometry& geometry, const DeviceInfo& device) {
  const std::uint64_t threads = std::uint64_t{geometry.block[0]} * geometry.block[1] * geometry.block[2];
  if (device.max_threads_per_block > 0 && threads > static_cast<std::uint64_t>(device.max_threads_per_block)) {
    throw Error(Errc::bad_problem,
                fmt::format("its block has {} threads, but the GPU allows {}", threads, device.max_threads_per_block));
  }
  if (device.max_shared_per_block > 0 &&
      geometry.shared_bytes > static_cast<std::uint32_t>(device.max_shared_per_block)) {
    throw Error(Errc::bad_problem, fmt::format("it needs {} bytes of shared memory a block, but the GPU has {}",
                                               geometry.shared_bytes, device.max_shared_per_block));
  }
}

std::string why_exact(const cache::Decision& decision) {
  std::string why = "Stored for this problem on this GPU model";
  if (decision.effort == Effort::quick) {
    const std::string searched = searched_text(decision);
    why += fmt::format(", after a quick search{}{}", searched.empty() ? "" : " of ", searched);
  }
  if (const auto loss = packed_loss(decision)) {
    why += fmt::format(", by a pack in place of a winner that is {} faster", percent(*loss));
  }
  return why + ".";
}

void add_reservations(Provenance& provenance) {
  if (provenance.stale) provenance.why += " The driver has changed since it was measured.";
  if (provenance.contended) provenance.why += " It was measured while other work ran on the GPU.";
}

/// The configuration, if it is one that the space and the device allow. Throws Error with the reason if it is not.
Offer offer_of(const Task& task, Rung rung, search::Configuration configuration) {
  if (const auto why = task.space().why_invalid(configuration)) throw Error(Errc::bad_problem, *why);
  Offer offer;
  offer.geometry = task.geometry(configuration);
  require_launchable(offer.geometry, task.device());
  offer.provenance.rung = rung;
  offer.provenance.configuration = task.space().text(configuration);
  offer.configuration = std::move(configuration);
  return offer;
}

}  // namespace

Provenance stored_provenance(Rung rung, const cache::Decision& decision, const std::filesystem::path& database,
                             const DeviceInfo& device) {
  Provenance provenance;
  provenance.rung = rung;
  provenance.configuration = decision.configuration;
  provenance.problem = decision.key.problem;
  provenance.device = decision.key.device;
  provenance.expected_time = std::chrono::duration<double, std::nano>(decision.time_ns);
  provenance.speedup = decision.speedup;
  provenance.speedup_low = decision.speedup_low;
  provenance.speedup_high = decision.speedup_high;
  provenance.confidence = decision.confidence;
  for (const cache::Tie& tie : decision.ties) provenance.ties.push_back(tie.configuration);
  provenance.effort = decision.effort;
  provenance.database = database;
  provenance.decision_id = decision.row;
  const std::string& measured_with = decision.conditions.driver;
  provenance.stale = !device.driver_version.empty() && !measured_with.empty() &&
                     device.driver_version != measured_with && decision.key.device == device.identity();
  provenance.contended = decision.contended;
  provenance.noisy = decision.noisy;
  if (rung == Rung::exact) {
    provenance.why = why_exact(decision);
    add_reservations(provenance);
  }
  return provenance;
}

Offer stored_offer(const Task& task, Rung rung, const cache::Decision& decision,
                   const std::filesystem::path& database) {
  Offer offer = offer_of(task, rung, task.space().parse(decision.configuration));
  const std::string canonical = std::move(offer.provenance.configuration);
  offer.provenance = stored_provenance(rung, decision, database, task.device());
  offer.provenance.configuration = canonical;
  offer.decision = decision;
  return offer;
}

Ladder::Ladder(const Task& task, const LadderOptions& options, LayeredStores& stores, LookupState& lookup)
    : task_(task), options_(options), stores_(stores), lookup_(lookup), key_(task.key(to_string(options.timing))) {
  if (options_.frozen != nullptr) next_rung_ = NextRung::frozen;
  if (options_.look_up) return;
  next_rung_ = options_.exact_only ? NextRung::end : NextRung::baseline;
  add_reason("The mode is off, so the databases were not consulted.");
}

void Ladder::add_reason(const std::string& sentence) {
  reasons_ += (reasons_.empty() ? "" : " ") + sentence;
}

void Ladder::reject(const std::string& reason) {
  add_reason(reason);
}

std::optional<Offer> Ladder::next() {
  if (next_rung_ == NextRung::frozen) {
    next_rung_ = options_.exact_only ? NextRung::end : NextRung::baseline;
    if (auto offer = frozen()) return offer;
  }
  if (next_rung_ == NextRung::exact) {
    if (auto offer = exact()) return offer;
    next_rung_ = options_.exact_only ? NextRung::end : NextRung::sites;
    if (next_rung_ == NextRung::sites) find_sites();
  }
  while (next_rung_ == NextRung::sites) {
    if (sites_.empty()) {
      next_rung_ = NextRung::baseline;
      break;
    }
    const RankedSite site = std::move(sites_.back());
    sites_.pop_back();
    if (sites_.empty()) next_rung_ = NextRung::baseline;
    const auto found = stores_.read(site.found, lookup_);
    if (!found) continue;
    if (auto offer = stored(site.rung, *found, site.expected_loss)) return offer;
  }
  if (next_rung_ == NextRung::baseline) {
    next_rung_ = NextRung::end;
    return baseline();
  }
  return std::nullopt;
}

/// The user's decision first; where that cannot be used, that of the next database.
std::optional<Offer> Ladder::exact() {
  const bool is_first = next_layer_ == 0;
  while (const auto found = stores_.find(key_, next_layer_, lookup_)) {
    found_exact_ = true;
    if (auto offer = stored(Rung::exact, *found)) return offer;
  }
  if (is_first && !found_exact_) {
    add_reason(
        lookup_.complete()
            ? fmt::format("Nothing is stored for {} on this GPU model.", key_.problem)
            : fmt::format(
                  "It is unknown what is stored for {}: a database could not be read in time, and will be read again.",
                  key_.problem));
  }
  return std::nullopt;
}

std::optional<Ladder::Prediction> Ladder::predict() {
  const auto text = stores_.rule(key_, lookup_);
  if (!text) return std::nullopt;
  try {
    const KernelSizes sizes = sizes_from_json(*text);
    const auto leaf = sizes.rule.choose(task_.problem());
    if (!leaf) return std::nullopt;
    return Prediction{sizes.configurations[leaf->configuration], leaf->expected_loss, leaf->nearest};
  } catch (const Error& error) {
    add_reason(error.what());
    return std::nullopt;
  }
}

/// Near sizes that are better advisers than the rule; what the rule predicts; other near sizes; then other devices, and
/// there the problem itself before near sizes. Nearer ones and, of the same distance, newer ones first.
void Ladder::find_sites() {
  enum Rank { nearer, predicted, near_here, same_elsewhere, near_elsewhere };
  const KernelDescription& description = task_.description();
  const std::optional<Prediction> prediction = predict();
  bool unchecked = false;
  for (const LayeredStores::FoundSite& found : stores_.sites(key_, lookup_)) {
    const cache::Site& site = found.site;
    ProblemValues problem;
    try {
      problem = parse_problem(site.problem);
    } catch (const Error&) {
      continue;
    }
    const auto far = distance(description, problem, task_.problem());
    if (!far) continue;
    const bool here = site.device == key_.device;
    if (here && *far == 0) continue;  // the exact one
    if (!here && compute_capability(site.device) != compute_capability(key_.device)) continue;
    const bool is_predicted = here && prediction && prediction->configuration == site.configuration;
    if (!is_predicted && *far > kNear) continue;
    if (*far > 0 && site.awkward_sizes == 0) {
      unchecked = true;
      continue;
    }
    if (is_predicted) sites_.push_back({Rung::predicted, predicted, *far, found, prediction->expected_loss});
    if (*far > kNear) continue;
    const bool is_nearer = prediction && prediction->nearest;
    sites_.push_back({here ? Rung::near_size : Rung::other_device,
                      here        ? (is_nearer ? nearer : near_here)
                      : *far == 0 ? same_elsewhere
                                  : near_elsewhere,
                      *far, found});
  }
  if (unchecked) {
    add_reason("Decisions for near sizes serve their own size only, because they were not checked at others.");
  }
  std::stable_sort(sites_.begin(), sites_.end(), [](const RankedSite& a, const RankedSite& b) {
    if (a.rank != b.rank) return a.rank > b.rank;
    if (a.distance != b.distance) return a.distance > b.distance;
    return a.found.site.created_unix_ms < b.found.site.created_unix_ms;
  });
  if (sites_.empty()) next_rung_ = NextRung::baseline;
}

std::optional<Offer> Ladder::stored(Rung rung, const LayeredStores::Found& found, double expected_loss) {
  Offer result;
  try {
    result = stored_offer(task_, rung, found.decision, found.database);
  } catch (const Error& error) {
    refuse("stored", found.decision.configuration, error);
    return std::nullopt;
  }
  Provenance& provenance = result.provenance;
  if (rung == Rung::exact) return result;
  if (rung == Rung::predicted) {
    provenance.expected_loss = expected_loss;
    provenance.why = fmt::format("{} A rule over the sizes that were tuned expects this to lose {}; it won at {}.",
                                 reasons_, percent(expected_loss), provenance.problem);
  } else if (rung == Rung::near_size) {
    provenance.why = fmt::format("{} The nearest stored problem is {}.", reasons_, provenance.problem);
  } else {
    provenance.why = fmt::format("{} {} was tuned on {}, which has the same architecture.", reasons_,
                                 provenance.problem == key_.problem
                                     ? "This problem"
                                     : fmt::format("The nearest stored problem, {},", provenance.problem),
                                 provenance.device.substr(0, provenance.device.find('|')));
  }
  add_reservations(provenance);
  return result;
}

std::optional<Offer> Ladder::frozen() {
  const FrozenAnswer* answer = options_.frozen->find(key_);
  const bool is_here = answer != nullptr;
  if (!is_here) {
    answer = options_.frozen->find_elsewhere(key_);
    const std::string devices = options_.frozen->devices(key_);
    add_reason(devices.empty() ? fmt::format("The frozen decisions have none for {}.", key_.problem)
                               : fmt::format("The frozen decisions have {} on {} only, and this is {}.", key_.problem,
                                             devices, device_name(key_.device)));
    if (answer == nullptr) return std::nullopt;
  }
  const Rung rung = is_here ? answer->provenance.rung : Rung::other_device;
  found_exact_ = rung == Rung::exact;
  if (options_.exact_only && !found_exact_) {
    add_reason(
        fmt::format("What is frozen for it is served as {}, and only exact decisions are wanted.", to_string(rung)));
    return std::nullopt;
  }
  const std::string& configuration = answer->provenance.configuration;
  try {
    Offer result = offer_of(task_, rung, task_.space().parse(configuration));
    const std::string canonical = std::move(result.provenance.configuration);
    result.provenance = answer->provenance;
    result.provenance.rung = rung;
    result.provenance.configuration = canonical;
    result.provenance.why =
        is_here ? "Frozen: " + answer->provenance.why : reasons_ + " The GPUs have the same architecture.";
    result.frozen = answer;
    return result;
  } catch (const Error& error) {
    refuse("frozen", configuration, error);
    return std::nullopt;
  }
}

std::optional<Offer> Ladder::baseline() {
  const auto defaults = task_.baseline();
  if (!defaults) {
    add_reason("The defaults violate a constraint, so there is no baseline.");
    return std::nullopt;
  }
  try {
    Offer result = offer_of(task_, Rung::baseline, *defaults);
    result.provenance.problem = key_.problem;
    result.provenance.why = reasons_;
    return result;
  } catch (const Error& error) {
    refuse("default", task_.space().text(*defaults), error);
    return std::nullopt;
  }
}

void Ladder::refuse(std::string_view which, const std::string& configuration, const Error& error) {
  const std::string_view why = error.what();
  add_reason(fmt::format("The {} configuration {} is not served: {}{}", which, configuration, why,
                         why.ends_with('.') ? "" : "."));
}

}  // namespace tuner
