#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tuner/explain/l2_path.hpp"
#include "tuner/explain/rule_list.hpp"
#include "tuner/explain/wording.hpp"

namespace tuner::explain {
namespace {

// L1 itself finds four in a cycle where they lie in a line, one where each lies in another.
constexpr double kSectorsOfL1 = 4;
/// A warp that loads 32 bits a thread from neighbouring places touches so many sectors.
constexpr double kSectorsOfWord = 4;

struct Accesses {
  Both requests, sectors;
  Both a_request;               ///< sectors, 1 to 32
  std::optional<double> ideal;  ///< so many would do for a request of the slower one, by the width of its loads
};

int widest(const ConfigurationFacts& facts) {
  return facts.code ? facts.code->loads.widest_bits() : 0;
}

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

std::optional<Accesses> accesses(const Difference& difference, std::string_view requests, std::string_view sectors) {
  const auto asked = difference.counter(requests), got = difference.counter(sectors);
  if (!asked || !got || asked->slower <= 0 || asked->faster <= 0) return std::nullopt;
  return Accesses{*asked, *got, {got->slower / asked->slower, got->faster / asked->faster}, std::nullopt};
}

std::optional<Accesses> loads(const Difference& difference) {
  auto some = accesses(difference, counter::kGlobalLoadRequests, counter::kGlobalLoadSectors);
  if (some) some->ideal = kSectorsOfWord * words_in_load(difference.slower());
  return some;
}

std::optional<Accesses> stores(const Difference& difference) {
  return accesses(difference, counter::kGlobalStoreRequests, counter::kGlobalStoreSectors);
}

std::optional<Both> dram_bytes(const Difference& difference) {
  return difference.sum({counter::kDramRead, counter::kDramWritten});
}

/// What fewer bytes of DRAM account for: nothing where it is not near its limit.
double share_of_dram(const Difference& difference) {
  const auto bytes = dram_bytes(difference);
  const auto busy = difference.counter(counter::kDramThroughput);
  if (!difference.counted() || !bytes || !busy || bytes->times_less() < 1.05 || busy->slower < 70) return 0;
  return difference.share_of_factor(bytes->times_less());
}

/// Sectors of the slower one that its requests would not need if neighbouring threads accessed neighbouring places.
double needless_sectors(const Accesses& some) {
  const double fewer = some.sectors.slower - some.sectors.faster;
  if (some.sectors.times_less() < 1.15) return 0;
  // How wide its stores are is not known; but they are wasteful if they need fewer sectors in the faster one.
  if (!some.ideal) return some.a_request.times_less() < 1.1 ? 0 : fewer;
  if (some.a_request.slower < 1.1 * *some.ideal) return 0;
  return std::min(fewer, some.sectors.slower - *some.ideal * some.requests.slower);
}

/// So many of the needless sectors came from L2, or went there: all that are stored, but of those that are loaded no
/// more than L1 missed more sectors of either.
double from_l2(const Difference& difference, const Accesses& some, double needless) {
  const auto hit = difference.counter(counter::kL1HitRate);
  if (!some.ideal || !hit) return needless;
  const auto stored = difference.counter(counter::kGlobalStoreSectors).value_or(Both{});
  const double missed = (some.sectors.slower + stored.slower) * (1 - hit->slower / 100) -
                        (some.sectors.faster + stored.faster) * (1 - hit->faster / 100);
  return std::clamp(missed, 0.0, needless);
}

double share_of_needless(const Difference& difference, const Accesses& some, double sectors) {
  const int sms = difference.device().sm_count;
  const double l2_cycles = from_l2(difference, some, sectors) / sms * kSectorBytes / kL2BytesPerCycle;
  const double in_l1 = sectors / sms;
  const double least = difference.share_of_cycles(std::max(l2_cycles, in_l1 / kSectorsOfL1));
  const double most = difference.share_of_cycles(std::max(kL2AllTogether * l2_cycles, in_l1));
  const double stalls = difference.share_of_stalls({counter::kLongScoreboard, counter::kLgThrottle, counter::kDrain});
  const double share = std::max(least, std::min(most, stalls));
  // What DRAM delivers beyond what is needed comes of them too.
  const auto bytes = dram_bytes(difference);
  const bool in_dram = bytes && bytes->slower - bytes->faster <= 1.2 * kSectorBytes * sectors;
  return in_dram ? std::max(share, share_of_dram(difference)) : share;
}

std::string sectors_text(const Difference& difference, const Accesses& some, const char* what) {
  const std::string in_all =
      fmt::format("in all from {} to {}", number_text(some.sectors.slower), number_text(some.sectors.faster));
  if (some.ideal && widest(difference.slower()) < widest(difference.faster())) {
    return fmt::format(
        "a request of global {} takes {} sectors in {}, where {} would do, and {} in {}, with loads of "
        "up to {} bits; {}",
        what, number_text(some.a_request.slower), difference.slower().name, number_text(*some.ideal),
        number_text(some.a_request.faster), difference.faster().name, widest(difference.faster()), in_all);
  }
  return fmt::format("sectors in a request of global {} {}, {}{}", what,
                     moved_text(some.a_request.slower, some.a_request.faster),
                     some.ideal ? fmt::format("where {} would do, ", number_text(*some.ideal)) : "", in_all);
}

std::optional<Finding> uncoalesced(const Difference& difference, const std::optional<Accesses>& some,
                                   const char* what) {
  if (!difference.counted() || !some) return std::nullopt;
  const double sectors = needless_sectors(*some);
  const double share = sectors > 0 ? share_of_needless(difference, *some, sectors) : 0;
  if (share < kLeastShare) return std::nullopt;
  return Finding{.cause = "uncoalesced_access",
                 .claim = Claim::cause,
                 .sentence = sectors_text(difference, *some, what),
                 .slower = some->a_request.slower,
                 .faster = some->a_request.faster,
                 .strength = share};
}

/// Loads, with asynchronous copies, and stores in the code.
std::pair<int, int> in_code(const MachineCode& code) {
  int loads = 0;
  for (std::size_t i = 0; i < code.loads.to_registers.size(); ++i)
    loads += code.loads.to_registers[i] + code.loads.to_shared[i];
  return {loads, std::max(0, code.all.of(Work::global) - loads)};
}

}  // namespace

double more_local_bytes(const Difference& difference) {
  const auto written = difference.counter(counter::kL1ToL2Written);
  const auto local = difference.counter(counter::kLocalStores);
  const auto sectors = difference.counter(counter::kGlobalStoreSectors);
  if (!written || !local || local->slower <= local->faster) return 0;
  const double of_stores = sectors ? kSectorBytes * (sectors->slower - sectors->faster) : 0;
  return std::max(0.0, written->slower - written->faster - std::max(0.0, of_stores));
}

bool fetches_nearer(const Difference& difference) {
  constexpr double kPart = 0.3;
  const auto hits = difference.counter(counter::kL1HitRate);
  if (hits && hits->faster - hits->slower > 100 * kPart) return true;
  const auto read = difference.counter(counter::kDramRead), sectors = difference.counter(counter::kGlobalLoadSectors);
  return read && sectors && read->slower - read->faster > kPart * kSectorBytes * sectors->slower;
}

bool copies_to_shared(const ConfigurationFacts& facts) {
  return facts.code && facts.code->loads.to_shared != GlobalLoads::ByWidth{};
}

double most_of_loading(const Difference& difference) {
  // Cycles. In the pairs and studies that are slow for want of bytes under way it is 700 to 1,700 on an H200, and 3,000
  // in a launch of 18 us, with its begin and end; where atomics hold everything up, 47,000.
  constexpr double kLongestLatency = 4000;
  const ConfigurationFacts& slower = difference.slower();
  const auto requests = difference.counter(counter::kGlobalLoadRequests);
  const auto loaded = difference.counter(counter::kGlobalLoadSectors);
  if (!requests || !loaded || !slower.bytes_under_way || *slower.bytes_under_way <= 0 || copies_to_shared(slower))
    return 1;
  // All threads of a warp may load one word: under way are as many bytes as if each loaded its own.
  const double sectors = std::max(loaded->slower, kSectorsOfWord * words_in_load(slower) * requests->slower);
  const double read = difference.counter(counter::kDramRead).value_or(Both{}).slower;
  const double bytes = std::max(kSectorBytes * sectors, read);
  return difference.share_of_cycles(bytes / difference.device().sm_count / *slower.bytes_under_way * kLongestLatency);
}

std::optional<Finding> uncoalesced_access(const Difference& difference) {
  const auto of_loads = uncoalesced(difference, loads(difference), "loads");
  const auto of_stores = uncoalesced(difference, stores(difference), "stores");
  if (!of_loads || !of_stores) return of_loads ? of_loads : of_stores;
  // What would do is known of loads only.
  auto both = 2 * of_loads->strength >= of_stores->strength ? of_loads : of_stores;
  both->strength = std::min(1.0, of_loads->strength + of_stores->strength);
  return both;
}

std::optional<Finding> load_width(const Difference& difference) {
  const std::optional<Accesses> some = loads(difference);
  const int slower = widest(difference.slower()), faster = widest(difference.faster());
  if (!difference.counted() || !some || faster <= slower || slower == 0) return std::nullopt;
  // Wider loads are fewer by as much; where there are fewer still, something else is the reason.
  const double fewer = some->requests.times_less();
  if (fewer < 1.2 || fewer > 1.3 * faster / slower) return std::nullopt;
  return Finding{.cause = "load_width",
                 .claim = Claim::consequence,
                 .sentence = fmt::format("requests of global loads {}: {} loads {} bits at once, {} {}",
                                         moved_text(some->requests.slower, some->requests.faster),
                                         difference.faster().name, faster, difference.slower().name, slower),
                 .slower = some->requests.slower,
                 .faster = some->requests.faster,
                 .strength = difference.share_of_stalls({counter::kLgThrottle})};
}

std::optional<Finding> memory_requests(const Difference& difference) {
  const auto loaded = difference.counter(counter::kGlobalLoadRequests);
  const auto stored = difference.counter(counter::kGlobalStoreRequests);
  if (!difference.counted() || !loaded || !stored) return std::nullopt;
  const double wider = static_cast<double>(widest(difference.faster())) / std::max(1, widest(difference.slower()));
  const Both all{loaded->slower + stored->slower, loaded->faster + stored->faster};
  if (all.times_less() < 1.5 * std::max(1.0, wider) || copies_to_shared(difference.faster())) return std::nullopt;
  std::string rest;
  if (stored->times_less() >= 1.1)
    rest = fmt::format(", of stores from {} to {}", number_text(stored->slower), number_text(stored->faster));
  if (difference.slower().code && difference.faster().code) {
    const auto slower = in_code(*difference.slower().code), faster = in_code(*difference.faster().code);
    if (slower.first > faster.first) {
      rest += fmt::format(": the code of {} has {} and {}, that of {} {} and {}", difference.slower().name,
                          count_text(slower.first, "load"), count_text(slower.second, "store"),
                          difference.faster().name, faster.first, faster.second);
    }
  }
  return Finding{
      .cause = "memory_requests",
      .claim = Claim::consequence,
      .sentence = "requests of global loads " + moved_text(loaded->slower, loaded->faster) + rest,
      .slower = all.slower,
      .faster = all.faster,
      .strength = difference.share_of_stalls({counter::kLongScoreboard, counter::kLgThrottle, counter::kDrain})};
}

std::optional<Finding> dram_traffic(const Difference& difference) {
  const double share = share_of_dram(difference);
  if (share < kLeastShare) return std::nullopt;
  const Both bytes = *dram_bytes(difference), busy = *difference.counter(counter::kDramThroughput);
  return Finding{
      .cause = "dram_traffic",
      .claim = Claim::cause,
      .sentence = fmt::format("bytes of DRAM fell from {} to {}, with its throughput at {:.0f} and {:.0f} % "
                              "of the peak",
                              traffic_text(bytes.slower), traffic_text(bytes.faster), busy.slower, busy.faster),
      .slower = bytes.slower,
      .faster = bytes.faster,
      .strength = share};
}

std::optional<Finding> writes_to_l2(const Difference& difference) {
  const auto bytes = difference.counter(counter::kL1ToL2Written);
  if (!difference.counted() || !bytes || bytes->times_less() < 1.25) return std::nullopt;
  const double fewer = bytes->slower - bytes->faster, share = most_of_l2_bytes(difference, fewer);
  if (share < kLeastShare) return std::nullopt;
  // What local memory writes, and what scattered stores write needlessly, are not stores that are saved.
  const auto scattered = uncoalesced(difference, stores(difference), "stores");
  const double own =
      most_of_l2_bytes(difference, fewer - more_local_bytes(difference)) - (scattered ? scattered->strength : 0);
  const bool is_cause = own >= std::min(kSmallShare, share);
  return Finding{.cause = "writes_to_l2",
                 .claim = is_cause ? Claim::cause : Claim::consequence,
                 .sentence = fmt::format("bytes written from L1 to L2 fell from {} to {}", traffic_text(bytes->slower),
                                         traffic_text(bytes->faster)),
                 .slower = bytes->slower,
                 .faster = bytes->faster,
                 .strength = is_cause ? own : share};
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
