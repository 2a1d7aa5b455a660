#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuner/explain/rule_list.hpp"
#include "tuner/explain/wording.hpp"

namespace tuner::explain {
namespace {

// What a multiprocessor gets from L2, and puts there, in a cycle at most; what all of them together get is a third of
// it or less. So a sector takes between a half and two cycles.
constexpr double kBytesPerCycle = 64, kSectorBytes = 32, kAllTogether = 3.5;
// L1 itself finds four in a cycle where they lie in a line, one where each lies in another.
constexpr double kSectorsOfL1 = 4;

struct Accesses {
  Both requests, sectors;
  /// Sectors of a request, 1 to 32, and how many there are for each word of 32 bits that a thread accesses.
  Both a_request, a_word;
};

/// Words of 32 bits in a load of the code, on average; 1 where it is not known.
double words_in_load(const ConfigurationFacts& facts) {
  if (!facts.code) return 1;
  constexpr std::array<double, 4> kWords{1, 1, 2, 4};
  double loads = 0, words = 0;
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    loads += facts.code->loads.to_registers[i];
    words += kWords[i] * facts.code->loads.to_registers[i];
  }
  return loads > 0 ? words / loads : 1;
}

std::optional<Accesses> accesses(const Difference& difference, std::string_view requests, std::string_view sectors,
                                 Both words) {
  const auto asked = difference.counter(requests), got = difference.counter(sectors);
  if (!asked || !got || asked->slower <= 0 || asked->faster <= 0) return std::nullopt;
  const Both a_request{got->slower / asked->slower, got->faster / asked->faster};
  return Accesses{*asked, *got, a_request, {a_request.slower / words.slower, a_request.faster / words.faster}};
}

std::optional<Accesses> loads(const Difference& difference) {
  return accesses(difference, counter::kGlobalLoadRequests, counter::kGlobalLoadSectors,
                  {words_in_load(difference.slower()), words_in_load(difference.faster())});
}

std::optional<Finding> uncoalesced(const Difference& difference, const std::optional<Accesses>& some,
                                   const char* what) {
  if (!some || some->a_word.times_less() < 1.15 || some->a_request.times_less() < 1.1 ||
      some->sectors.times_less() < 1.15)
    return std::nullopt;
  const double more = (some->sectors.slower - some->sectors.faster) / difference.device().sm_count;
  const Both hit = difference.counter(counter::kL1HitRate).value_or(Both{});
  const double more_missed =
      (some->sectors.slower * (1 - hit.slower / 100) - some->sectors.faster * (1 - hit.faster / 100)) /
      difference.device().sm_count;
  const double from_l2 = more_missed * kSectorBytes / kBytesPerCycle;
  const double least = difference.share_of_cycles(std::max(from_l2, more / kSectorsOfL1));
  const double most = difference.share_of_cycles(std::max(kAllTogether * from_l2, more));
  const double stalls = difference.share_of_stalls({counter::kLongScoreboard, counter::kLgThrottle});
  const double share = std::max(least, std::min(most, stalls));
  if (share < kLeastShare) return std::nullopt;
  return Finding{.cause = "uncoalesced_access",
                 .claim = Claim::cause,
                 .sentence = fmt::format("sectors in a request of global {} {}, in all from {} to {}", what,
                                         moved_text(some->a_request.slower, some->a_request.faster),
                                         number_text(some->sectors.slower), number_text(some->sectors.faster)),
                 .slower = some->a_request.slower,
                 .faster = some->a_request.faster,
                 .strength = share};
}

}  // namespace

std::optional<Finding> uncoalesced_access(const Difference& difference) {
  if (!difference.counted()) return std::nullopt;
  const auto stores = accesses(difference, counter::kGlobalStoreRequests, counter::kGlobalStoreSectors, {1, 1});
  const auto of_loads = uncoalesced(difference, loads(difference), "loads");
  const auto of_stores = uncoalesced(difference, stores, "stores");
  if (!of_loads || !of_stores) return of_loads ? of_loads : of_stores;
  auto both = of_loads->strength >= of_stores->strength ? of_loads : of_stores;
  both->strength = std::min(1.0, of_loads->strength + of_stores->strength);
  return both;
}

std::optional<Finding> load_width(const Difference& difference) {
  if (!difference.counted() || !difference.slower().code || !difference.faster().code) return std::nullopt;
  const std::optional<Accesses> some = loads(difference);
  const int slower = difference.slower().code->loads.widest_bits();
  const int faster = difference.faster().code->loads.widest_bits();
  if (!some || faster <= slower || some->requests.times_less() < 1.2) return std::nullopt;
  return Finding{.cause = "load_width",
                 .claim = Claim::consequence,
                 .sentence = fmt::format("requests of global loads {}: {} loads {} bits at once, {} {}",
                                         moved_text(some->requests.slower, some->requests.faster),
                                         difference.faster().name, faster, difference.slower().name, slower),
                 .slower = some->requests.slower,
                 .faster = some->requests.faster,
                 .strength = difference.share_of_stalls({counter::kLgThrottle})};
}

std::optional<Finding> dram_traffic(const Difference& difference) {
  const auto bytes = difference.sum({counter::kDramRead, counter::kDramWritten});
  const auto busy = difference.counter(counter::kDramThroughput);
  if (!difference.counted() || !bytes || !busy || bytes->times_less() < 1.05 || busy->slower < 70) return std::nullopt;
  const double share = difference.share_of_factor(bytes->times_less());
  if (share < kLeastShare) return std::nullopt;
  return Finding{.cause = "dram_traffic",
                 .claim = Claim::cause,
                 .sentence = fmt::format(
                     "bytes of DRAM {} from {} to {}, with its throughput at {:.0f} and {:.0f} % of "
                     "the peak",
                     "fell", traffic_text(bytes->slower), traffic_text(bytes->faster), busy->slower, busy->faster),
                 .slower = bytes->slower,
                 .faster = bytes->faster,
                 .strength = share};
}

std::optional<Finding> writes_to_l2(const Difference& difference) {
  const auto bytes = difference.counter(counter::kL1ToL2Written);
  if (!difference.counted() || !bytes || bytes->times_less() < 1.25) return std::nullopt;
  const double cycles = (bytes->slower - bytes->faster) / difference.device().sm_count / kBytesPerCycle;
  const double share = difference.share_of_cycles(kAllTogether * cycles);
  if (share < kLeastShare) return std::nullopt;
  return Finding{.cause = "writes_to_l2",
                 .claim = Claim::cause,
                 .sentence = fmt::format("bytes written from L1 to L2 fell from {} to {}", traffic_text(bytes->slower),
                                         traffic_text(bytes->faster)),
                 .slower = bytes->slower,
                 .faster = bytes->faster,
                 .strength = share};
}

std::optional<Finding> bandwidth_binds(const Difference& difference) {
  const auto busy = difference.counter(counter::kDramThroughput);
  constexpr double kLimit = 80;  // percent; a copy reaches 85 to 92
  if (!difference.counted() || !busy || busy->faster < kLimit) return std::nullopt;
  return Finding{.cause = "bandwidth_binds",
                 .claim = Claim::consequence,
                 .sentence = busy->slower < kLimit
                                 ? fmt::format("DRAM throughput rose from {:.0f} to {:.0f} % of the peak: bandwidth "
                                               "binds {}",
                                               busy->slower, busy->faster, difference.faster().name)
                                 : fmt::format("DRAM throughput is at {:.0f} and {:.0f} % of the peak: bandwidth binds "
                                               "both",
                                               busy->slower, busy->faster),
                 .slower = busy->slower,
                 .faster = busy->faster};
}

}  // namespace tuner::explain
