#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "cache/file/trust.hpp"
#include "tuner/cli/given/stores.hpp"
#include "tuner/cli/stored/wanted_entries.hpp"
#include "tuner/cli/tune/tune_request.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/engine/workplace/find_devices.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

using Clock = std::chrono::steady_clock;
using Entries = std::deque<cache::Wanted>;

/// So many problems of a kernel in a row may fail before it is left alone: each costs new workers.
constexpr int kMostFailures = 2;
constexpr std::size_t kLongestTrouble = 1000;

/// Whether another entry may well be tuned where one met this.
bool is_of_one_entry(Errc code) {
  return code == Errc::bad_description || code == Errc::bad_problem || code == Errc::empty_space ||
         code == Errc::file_not_found || code == Errc::baseline_failed;
}

std::string entries_text(std::size_t count) {
  return fmt::format("{} {}", grouped(count), count == 1 ? "entry" : "entries");
}

/// The GPU with this number, as workers see it.
DeviceInfo device_of_number(int number) {
  const std::vector<DeviceInfo> devices = engine::find_devices();
  engine::refuse_number_without_gpu(number);
  return devices.at(static_cast<std::size_t>(number));
}

/// Works off a list.
class ListTuning {
 public:
  ListTuning(const TuneRequest& request, const TuneContext& context,
             const std::function<void(const std::string&)>& tell)
      : request_(request), context_(context), tell_(tell) {}

  bool run() {
    WantedEntries entries = wanted_entries(location_, list_, request_.kernel);
    if (!entries.open.empty() || !entries.tuned.empty()) require_trusted();
    for (const cache::Wanted& tuned : entries.tuned) list_.forget(tuned.key);
    if (entries.open.empty()) {
      tell_(fmt::format("Nothing is wanted: {} lists no problem without a decision.", list_.path().string()));
      return true;
    }
    device_ = device_of_number(request_.devices.front());
    for (Entries& group : groups_here(std::move(entries.open))) {
      if (is_over()) {
        left_ += group.size();
      } else {
        tune(std::move(group));
      }
    }
    if (left_ > 0 && !context_.stop)
      tell_(fmt::format("The time is spent: {} not tuned and stay on the list.",
                        left_ == 1 ? "1 entry is" : entries_text(left_) + " are"));
    return all_well_;
  }

 private:
  void require_trusted() const {
    if (const auto reason = cache::reason_to_distrust(list_.path(), cache::trusted_owners())) {
      throw Error(Errc::store_unavailable,
                  fmt::format("Sources in {} are not compiled: {}. Delete it, or name another database with --db.",
                              list_.path().string(), *reason));
    }
  }

  bool is_over() const { return context_.stop || (request_.begin_before && Clock::now() >= *request_.begin_before); }

  /// Those that can be tuned here, by kernel and mode: in the order of the best of each.
  std::vector<Entries> groups_here(std::vector<ValuedWanted> entries) {
    std::vector<Entries> groups;
    std::size_t elsewhere = 0;
    for (ValuedWanted& entry : entries) {
      cache::Wanted& wanted = entry.wanted;
      if (wanted.key.device != device_.identity()) {
        ++elsewhere;
        continue;
      }
      if (request_.mode && wanted.key.mode != to_string(*request_.mode)) continue;
      const auto group = std::find_if(groups.begin(), groups.end(), [&](const Entries& some) {
        return some.front().source == wanted.source && some.front().key.kernel_identity == wanted.key.kernel_identity &&
               some.front().key.mode == wanted.key.mode;
      });
      (group != groups.end() ? *group : groups.emplace_back()).push_back(std::move(wanted));
    }
    if (elsewhere > 0) {
      tell_(fmt::format("{} for other kinds of GPU than the {} here and stay on the list.",
                        elsewhere == 1 ? "1 entry is" : entries_text(elsewhere) + " are", device_.name));
    }
    return groups;
  }

  void note_trouble(const cache::Wanted& wanted, std::string_view why) {
    all_well_ = false;
    const std::string sentence = one_line(why, kLongestTrouble);
    tell_(fmt::format("`{}` is not tuned for {}: {}", one_line(wanted.key.kernel_name), one_line(wanted.key.problem),
                      sentence));
    list_.note_trouble(wanted.key, sentence);
  }

  /// Why an entry is not what it says, as a sentence; nothing if it is.
  std::optional<std::string> why_not(const cache::Wanted& wanted,
                                     const std::shared_ptr<const KernelDescription>& kernel) const try {
    const Task task(kernel, parse_problem(wanted.key.problem), device_, {}, request_.session.include_folders,
                    search::Listing::when_needed);
    if (task.key(wanted.key.mode) == wanted.key) return std::nullopt;
    return "Its source and its problem are not those that were noted: have the program list it again.";
  } catch (const Error& error) {
    return error.what();
  }

  /// What these have in common is the kernel and the mode.
  void tune(Entries group) {
    StoredKernel stored = wanted_kernel(group.front(), list_);
    const auto mode = timing_from_string(group.front().key.mode);
    if (!stored.description || !mode) {
      const std::string why =
          mode ? stored.why_not + ": tune its file with `tuner tune FILE`."
               : "Its mode is unknown: delete what the list has of it with `tuner wanted KERNEL --forget`.";
      for (const cache::Wanted& wanted : group) note_trouble(wanted, why);
      return;
    }
    const auto kernel = std::make_shared<const KernelDescription>(*std::move(stored.description));
    std::erase_if(group, [&](const cache::Wanted& wanted) {
      const auto why = why_not(wanted, kernel);
      if (why) note_trouble(wanted, *why);
      return why.has_value();
    });
    if (!group.empty()) tune(kernel, *mode, group);
    if (is_over()) {
      left_ += group.size();
    } else if (!group.empty()) {
      tell_(fmt::format("{} more of `{}` left for another time.", entries_text(group.size()),
                        group.front().key.kernel_name));
    }
  }

  void tune(const std::shared_ptr<const KernelDescription>& kernel, Timing mode, Entries& group) {
    TuneRequest request = request_;
    request.description = *kernel;
    request.session.mode = mode;
    request.session.started = Clock::now();
    for (const cache::Wanted& wanted : group) request.problems.push_back({parse_problem(wanted.key.problem), {}});
    int failures = 0;
    TuneContext context{context_.observer, context_.stop, [&](TuneReport report) {
                          failures = 0;
                          settle(report.decision.key, group);
                          context_.deliver(std::move(report));
                        }};
    context.failed = [&](const ProblemValues& problem, const Error& error) {
      const auto entry = std::find_if(group.begin(), group.end(), [&](const cache::Wanted& wanted) {
        return wanted.key.problem == problem_text(problem);
      });
      if (entry == group.end()) return;  // it was tuned, but could not be measured once more
      note_trouble(*entry, error.what());
      group.erase(entry);
      if (++failures == kMostFailures) throw error;
    };
    try {
      tune_live(request, context);
    } catch (const Error& error) {
      if (!is_of_one_entry(error.code())) throw;
      if (failures < kMostFailures && !group.empty()) note_trouble(group.front(), error.what());
    }
  }

  /// An entry leaves the list when its decision is stored, and not before.
  void settle(const cache::DecisionKey& key, Entries& group) {
    const auto entry = std::find_if(group.begin(), group.end(), [&](const auto& wanted) { return wanted.key == key; });
    if (entry == group.end()) return;
    const std::unique_ptr<cache::Database> store = open_for_reading(location_);
    if (store && store->find_decision(key)) {
      list_.forget(key);
    } else if (!context_.stop) {
      note_trouble(*entry, "No decision of it was stored.");
    }
    group.erase(entry);
  }

  const TuneRequest& request_;
  const TuneContext& context_;
  const std::function<void(const std::string&)>& tell_;
  const cache::Location location_ = cache::locate(request_.database);
  const cache::WantedStore list_{location_.decisions};
  DeviceInfo device_;
  std::size_t left_ = 0;
  bool all_well_ = true;
};

}  // namespace

bool tune_wanted(const TuneRequest& request, const TuneContext& context,
                 const std::function<void(const std::string&)>& tell) {
  return ListTuning(request, context, tell).run();
}

}  // namespace tuner::cli
