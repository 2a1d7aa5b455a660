#include "tuner/engine/device/worker/device_support.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tuner/engine/device/worker/spread.hpp"

namespace tuner::engine {
namespace {

std::vector<Module> load(std::span<const std::vector<std::byte>> cubins) {
  std::vector<Module> modules;
  for (const std::vector<std::byte>& cubin : cubins) modules.push_back(load_module(cubin));
  return modules;
}

CUfunction find(std::span<const Module> modules, const char* name) {
  CUfunction function = nullptr;
  CUresult result = CUDA_ERROR_NOT_FOUND;
  for (std::size_t i = 0; i < modules.size() && result == CUDA_ERROR_NOT_FOUND; ++i)
    result = driver().module_function(&function, modules[i].get(), name);
  check(result, fmt::format("cuModuleGetFunction(\"{}\")", name));
  return function;
}

}  // namespace

DeviceSupport::DeviceSupport(std::span<const std::vector<std::byte>> cubins, WorkStream& stream)
    : stream_(stream),
      modules_(load(cubins)),
      fill_(find(modules_, "tuner_fill")),
      sort_step_(find(modules_, "tuner_sort_step")),
      plant_(find(modules_, "tuner_plant")),
      check_planted_(find(modules_, "tuner_check_planted")),
      checksum_(find(modules_, "tuner_checksum")),
      checksum_elements_(find(modules_, "tuner_checksum_elements")),
      find_unwritten_(find(modules_, "tuner_find_unwritten")),
      find_overwritten_(find(modules_, "tuner_find_overwritten")),
      compare_(find(modules_, "tuner_compare")),
      widen_spread_(find(modules_, "tuner_widen_spread")),
      drop_spread_(find(modules_, "tuner_drop_spread")),
      count_kind_(find(modules_, "tuner_count_kind")),
      level_spread_(find(modules_, "tuner_level_spread")),
      findings_(allocate(kMaxFindings * sizeof(Finding))) {}

template <typename... Arguments>
void DeviceSupport::launch(CUfunction function, std::uint64_t items, Arguments... arguments) {
  constexpr unsigned kThreads = 256;
  constexpr std::uint64_t kMaxBlocks = 4096;
  if (items == 0) return;
  const auto blocks = static_cast<unsigned>(std::min((items + kThreads - 1) / kThreads, kMaxBlocks));
  void* pointers[] = {&arguments...};
  check(driver().launch(function, blocks, 1, 1, kThreads, 1, 1, 0, stream_.get(), pointers, nullptr), "cuLaunchKernel");
}

template <typename... Arguments>
std::size_t DeviceSupport::ask(CUfunction function, std::uint64_t items, Arguments... arguments) {
  const std::size_t number = new_finding();
  launch(function, items, arguments..., next_finding(number));
  return number;
}

std::size_t DeviceSupport::new_finding() {
  if (used_ == kMaxFindings)
    throw Error(Errc::internal, "More checks were requested than are read at once; read findings() earlier.");
  const CUdeviceptr at = next_finding(used_);
  stream_.set_bytes(at, 0, sizeof(Finding));
  stream_.set_bytes(at + offsetof(Finding, first), 0xff, sizeof(Finding::first));
  return used_++;
}

CUdeviceptr DeviceSupport::next_finding(std::size_t number) const {
  return findings_.get() + number * sizeof(Finding);
}

void DeviceSupport::fill(CUdeviceptr data, const BoundArgument& argument, std::uint64_t elements,
                         std::uint64_t position, std::uint64_t seed) {
  const int type = support_number(argument.type);
  const std::uint64_t stride = argument.generators.size();
  const std::uint64_t count = elements / stride;
  for (std::uint64_t lane = 0; lane < stride; ++lane) {
    const BoundGenerator& generator = argument.generators[static_cast<std::size_t>(lane)];
    launch(fill_, count, data, count, lane, stride, type, support_number(generator.kind), seed, position,
           generator.parameters[0], generator.parameters[1]);
    if (!generator.is_sorted) continue;
    const auto size = static_cast<int>(size_of(argument.type));
    put_in_order({{{data + lane * size_of(argument.type), stride, 1, type, size}}}, count);
  }
}

void DeviceSupport::plant(CUdeviceptr allocation, std::uint64_t begin, std::uint64_t end, std::uint64_t seed) {
  launch(plant_, end - begin, allocation, begin, end, seed);
}

std::size_t DeviceSupport::check_planted(CUdeviceptr allocation, std::uint64_t begin, std::uint64_t end,
                                         std::uint64_t seed) {
  return ask(check_planted_, end - begin, allocation, begin, end, seed);
}

std::size_t DeviceSupport::checksum(CUdeviceptr data, std::uint64_t bytes) {
  return ask(checksum_, (bytes + 7) / 8, data, bytes);
}

std::size_t DeviceSupport::checksum_elements(CUdeviceptr data, std::uint64_t elements, ElementType type,
                                             CUdeviceptr excluded) {
  return ask(checksum_elements_, elements, data, elements, static_cast<int>(size_of(type)), excluded);
}

std::size_t DeviceSupport::find_unwritten(CUdeviceptr data, std::uint64_t elements, ElementType type,
                                          unsigned char poison, bool narrow_down, CUdeviceptr mask,
                                          CUdeviceptr excluded) {
  return ask(find_unwritten_, (elements + 31) / 32, data, elements, static_cast<int>(size_of(type)),
             static_cast<int>(poison), static_cast<int>(narrow_down), mask, excluded);
}

std::size_t DeviceSupport::find_overwritten(CUdeviceptr unwritten, CUdeviceptr by_reference, std::uint64_t elements) {
  const std::uint64_t words = (elements + 31) / 32;
  return ask(find_overwritten_, words, unwritten, by_reference, words);
}

std::size_t DeviceSupport::compare(CUdeviceptr found, CUdeviceptr expected, std::uint64_t elements,
                                   const BoundArgument& argument, CUdeviceptr excluded, CUdeviceptr spread) {
  return compare_in_periods(found, expected, elements, 0, argument, excluded, spread);
}

std::size_t DeviceSupport::compare_with_one(CUdeviceptr found, CUdeviceptr expected, std::uint64_t elements,
                                            const BoundArgument& argument, CUdeviceptr excluded, CUdeviceptr spread) {
  const auto lanes = static_cast<std::uint64_t>(std::max(argument.lanes, 1));
  return compare_in_periods(found, expected, elements, lanes, argument, excluded, spread);
}

// With so many elements that are expected again and again; 0: each has its own.
std::size_t DeviceSupport::compare_in_periods(CUdeviceptr found, CUdeviceptr expected, std::uint64_t elements,
                                              std::uint64_t period, const BoundArgument& argument, CUdeviceptr excluded,
                                              CUdeviceptr spread) {
  // A tolerance that somebody chose is meant.
  const double accepted = argument.chosen_tolerance ? 0 : kAcceptedSpread;
  const double alike = argument.chosen_tolerance ? kAcceptedSpread : kAlikeSpread;
  return ask(compare_, elements, found, expected, elements, period, support_number(argument.type), argument.rtol,
             argument.atol, spread, accepted, alike, excluded);
}

void DeviceSupport::put_in_order(const SortColumns& columns, std::uint64_t records) {
  for (const std::uint64_t flip : sort_flips(records)) launch(sort_step_, records, columns, records, flip);
}

void DeviceSupport::put_in_order(CUdeviceptr data, std::uint64_t elements, const BoundArgument& argument) {
  put_in_order({{sort_column(data, argument)}}, elements / static_cast<std::uint64_t>(std::max(argument.lanes, 1)));
}

void DeviceSupport::widen_spread(CUdeviceptr found, CUdeviceptr expected, std::uint64_t elements,
                                 const BoundArgument& argument, CUdeviceptr excluded, CUdeviceptr spread) {
  launch(widen_spread_, elements, found, expected, elements, support_number(argument.type), excluded, spread);
}

std::size_t DeviceSupport::drop_spread(CUdeviceptr spread, CUdeviceptr reference, std::uint64_t elements,
                                       const BoundArgument& argument) {
  return ask(drop_spread_, elements, spread, reference, elements,
             static_cast<std::uint64_t>(std::max(argument.lanes, 1)), support_number(argument.type),
             static_cast<float>(kMostSpread));
}

std::size_t DeviceSupport::count_kind(CUdeviceptr spread, CUdeviceptr reference, std::uint64_t elements,
                                      const BoundArgument& argument, Kind kind) {
  return ask(count_kind_, elements, spread, reference, elements, support_number(argument.type),
             static_cast<int>(kind == Kind::zero));
}

void DeviceSupport::level_spread(CUdeviceptr spread, CUdeviceptr reference, std::uint64_t elements,
                                 const BoundArgument& argument, bool some_move, bool zero_is_exact,
                                 bool whole_is_exact) {
  const double of_size = some_move && size_of(argument.type) >= 4 ? kPartOfTolerance * argument.rtol : 0;
  launch(level_spread_, elements, spread, reference, elements, static_cast<std::uint64_t>(std::max(argument.lanes, 1)),
         support_number(argument.type), static_cast<float>(kPartOfNeighbours), static_cast<float>(of_size),
         static_cast<float>(kSureSpread / kAcceptedSpread), static_cast<float>(1 / kAcceptedSpread),
         static_cast<int>(zero_is_exact), static_cast<int>(whole_is_exact));
}

std::vector<Finding> DeviceSupport::findings() {
  std::vector<Finding> result(used_);
  const std::vector<std::byte> bytes = stream_.download(findings_.get(), used_ * sizeof(Finding));
  if (!bytes.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
  used_ = 0;
  return result;
}

}  // namespace tuner::engine
