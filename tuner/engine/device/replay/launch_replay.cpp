#include "tuner/engine/device/replay/launch_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tuner/capture/stored/capture_folder.hpp"
#include "tuner/core/binary/cubin.hpp"
#include "tuner/engine/device/replay/comparison.hpp"
#include "tuner/engine/device/replay/pattern_comparison.hpp"
#include "tuner/error.hpp"
#include "tuner/process/usable_memory.hpp"

namespace tuner::engine {
namespace {

using capture::NumberedFact;
using capture::StoredLaunch;

constexpr std::uint64_t kAddresses = std::uint64_t{1} << 57;  // more than a GPU has
/// cudaMalloc's addresses are multiples of this; more is kept of what a program aligned itself.
constexpr std::uint64_t kAlignment = 512;

StoredLaunch read_launch(const std::filesystem::path& folder, std::uint64_t position) {
  capture::Capture capture = capture::read_capture(folder);
  if (position >= capture.launches.size())
    throw CannotReplay{fmt::format("The capture has no launch {}.", position + 1)};
  return std::move(capture.launches[position]);
}

bool is_settable(int attribute) {
  return attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ||
         attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT ||
         attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED ||
         attribute == CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE;
}

/// How many its binary says that it takes; the driver reads so many, whatever it is given. 0: it does not say.
std::uint64_t parameter_bytes(std::span<const std::byte> image, const std::string& kernel) {
  std::uint64_t bytes = 0;
  if (const auto facts = facts_from_cubin(image, kernel))
    for (const KernelParameter& each : facts->parameters)
      bytes = std::max<std::uint64_t>(bytes, std::uint64_t{each.offset} + each.size);
  return bytes;
}

/// What the driver refuses is the launch's doing, unless the context has died.
void demand(CUresult result, std::string_view call) {
  if (result == CUDA_SUCCESS) return;
  if (is_sticky(result)) check(result, call);
  throw CannotReplay{fmt::format("The driver refuses it: {} returned {}.", call, error_text(result))};
}

}  // namespace

LaunchReplay::LaunchReplay(const ReplayLaunch& request, WorkStream& stream)
    : folder_(request.folder),
      position_(request.launch),
      at_own_addresses_(request.at_own_addresses),
      stream_(stream),
      launch_(read_launch(folder_, position_)),
      map_(launch_),
      held_(map_.size()),
      parameters_(capture::parameter_block(launch_)) {
  if (const std::string why = why_no_fences(); !why.empty()) throw CannotReplay{why};
  reserve_addresses();
  load_memory();
  place_allocations();
  load_kernel();
}

bool LaunchReplay::serves(const ReplayLaunch& request) const {
  return folder_ == request.folder && position_ == request.launch && at_own_addresses_ == request.at_own_addresses;
}

void LaunchReplay::load_memory() {
  std::size_t free_bytes = 0, all = 0;
  check(driver().memory_info(&free_bytes, &all), "cuMemGetInfo");
  const std::uint64_t of_machine = usable_memory();
  std::uint64_t loaded = 0, held_here = 0;
  const auto load = [&](std::size_t memory) -> std::span<const std::byte> {
    Held& held = held_[memory];
    // A short file may unpack to more than there is.
    const std::uint64_t bytes = map_[memory].before.size;
    if (bytes > all - loaded) throw CannotReplay{fmt::format("It needs more than the {} bytes of this GPU.", all)};
    loaded += bytes;
    const bool is_changed = map_[memory].after != map_[memory].before;
    const std::uint64_t copies = is_changed ? 2 : 1;
    if (bytes > (of_machine - held_here) / copies)
      throw CannotReplay{fmt::format(
          "What its memory held before and after needs more than the {} bytes that a worker may take on this machine.",
          of_machine)};
    held_here += copies * bytes;
    held.before = capture::load_blob(folder_, map_[memory].before);
    if (is_changed) held.after = capture::load_blob(folder_, map_[memory].after);
    return held.before;
  };
  reach_ = capture::reach_of(launch_, map_, load);
  if (!at_own_addresses_) return;
  for (std::size_t memory = 0; memory < map_.size(); ++memory) {
    if (!reach_.is_reached[memory]) load(memory);
    reach_.is_reached[memory] = true;
  }
}

bool LaunchReplay::is_placeable(std::size_t memory) const {
  const Piece lay = piece(memory);
  return lay.address < kAddresses && lay.size < kAddresses;
}

/// Before anything is loaded: several gigabytes of this process may lie where the program had the GPU's.
void LaunchReplay::reserve_addresses() {
  first_address_ = AddressSpan::first_address();
  std::vector<Piece> pieces;
  for (std::size_t memory = 0; memory < launch_.allocations.size(); ++memory)
    if (is_placeable(memory)) pieces.push_back(piece(memory));
  own_addresses_.emplace(std::move(pieces));
}

void LaunchReplay::place_allocations() {
  const auto lies_where_it_lay = [&](std::size_t memory) {
    return reach_.is_reached[memory] && is_placeable(memory) && (at_own_addresses_ || reach_.is_pointed_to[memory]);
  };
  std::vector<Piece> pieces;
  for (std::size_t memory = 0; memory < launch_.allocations.size(); ++memory)
    if (lies_where_it_lay(memory)) pieces.push_back(piece(memory));
  own_addresses_->map_memory(std::move(pieces));
  for (std::size_t memory = 0; memory < launch_.allocations.size(); ++memory) {
    Held& held = held_[memory];
    if (!reach_.is_reached[memory]) continue;
    if (lies_where_it_lay(memory)) {
      held.is_there = own_addresses_->has(piece(memory));
      held.address = piece(memory).address;
    } else {
      const std::uint64_t shift = piece(memory).address % kAlignment;
      held.elsewhere.emplace(shift + piece(memory).size, kAlignment);
      held.address = held.elsewhere->address() + shift;
      held.is_there = true;
    }
  }
}

void LaunchReplay::load_kernel() {
  if (launch_.module.size == 0) throw CannotReplay{"The capture does not have its module."};
  set_limits();
  const std::vector<std::byte> image = capture::load_blob(folder_, launch_.module);
  try {
    module_ = load_module(image);
  } catch (const CallFailed& failure) {
    if (is_sticky(failure.result()) || failure.result() == CUDA_ERROR_OUT_OF_MEMORY) throw;
    throw CannotReplay{fmt::format("The driver does not load its module: {}", failure.what())};
  }
  demand(driver().module_function(&function_, module_.get(), launch_.kernel.c_str()), "cuModuleGetFunction");
  if (const std::uint64_t bytes = parameter_bytes(image, launch_.kernel); bytes > parameters_.size())
    throw CannotReplay{
        fmt::format("The kernel takes {} bytes of parameters, and the capture has {}.", bytes, parameters_.size())};
  for (const NumberedFact& fact : launch_.attributes) {
    if (!is_settable(fact.number)) continue;
    const auto attribute = static_cast<CUfunction_attribute>(fact.number);
    int value = 0;
    if (driver().function_attribute(&value, attribute, function_) == CUDA_SUCCESS && value == fact.value) continue;
    demand(driver().set_function_attribute(function_, attribute, static_cast<int>(fact.value)), "cuFuncSetAttribute");
  }
  find_variables();
  for (const capture::PointerWord& pointer : capture::pointers_in(parameters_, map_)) {
    const std::uint64_t address = held_[pointer.leads_to.memory].address + pointer.leads_to.offset;
    std::memcpy(parameters_.data() + pointer.offset, &address, sizeof address);
  }
}

/// The stack alone matters to kernels that are replayed.
void LaunchReplay::set_limits() const {
  for (const NumberedFact& fact : launch_.limits) {
    if (fact.number == CU_LIMIT_STACK_SIZE && driver().set_context_limit)
      driver().set_context_limit(CU_LIMIT_STACK_SIZE,
                                 static_cast<std::size_t>(std::clamp<std::int64_t>(fact.value, 0, 512 << 10)));
  }
}

void LaunchReplay::find_variables() {
  for (std::size_t memory = launch_.allocations.size(); memory < map_.size(); ++memory) {
    std::size_t bytes = 0;
    demand(driver().module_global(&held_[memory].address, &bytes, module_.get(), map_[memory].name.c_str()),
           "cuModuleGetGlobal");
    if (bytes != held_[memory].before.size())
      throw CannotReplay{fmt::format("The variable {} of its module has {} bytes, and {} of it were stored.",
                                     map_[memory].name, bytes, held_[memory].before.size())};
    held_[memory].is_there = true;
  }
}

std::vector<std::size_t> LaunchReplay::changeable(const ReplayLaunch& request) const {
  std::vector<std::size_t> memories;
  const auto add = [&](std::size_t memory) {
    if (memory < map_.size() && held_[memory].is_there) memories.push_back(memory);
  };
  if (request.written) {
    std::ranges::for_each(*request.written, add);
  } else {
    for (std::size_t memory = 0; memory < map_.size(); ++memory) add(memory);
  }
  return memories;
}

void LaunchReplay::restore(std::size_t memory) {
  Held& held = held_[memory];
  if (held.pristine) return stream_.copy(held.address, held.pristine->get(), held.before.size());
  stream_.upload(held.address, held.before);
  // The next ones are made from memory of the GPU, which is faster, if that leaves it some.
  std::size_t free_bytes = 0, all = 0;
  check(driver().memory_info(&free_bytes, &all), "cuMemGetInfo");
  if (free_bytes < held.before.size() + all / 8) return;
  held.pristine.emplace(allocate(held.before.size()));
  stream_.copy(held.pristine->get(), held.address, held.before.size());
}

void LaunchReplay::restore_all() {
  for (std::size_t memory = 0; memory < map_.size(); ++memory)
    if (held_[memory].is_there) restore(memory);
}

void LaunchReplay::launch(std::chrono::milliseconds limit) {
  const capture::FactsOfLaunch& facts = launch_.launch;
  std::vector<CUlaunchAttribute> attributes;
  if (facts.cluster[0] != 0) {
    CUlaunchAttribute cluster{.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    cluster.value.clusterDim = {facts.cluster[0], facts.cluster[1], facts.cluster[2]};
    attributes.push_back(cluster);
  }
  if (facts.cooperative != 0) {
    CUlaunchAttribute cooperative{.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE};
    cooperative.value.cooperative = 1;
    attributes.push_back(cooperative);
  }
  CUlaunchConfig config{};
  config.gridDimX = facts.grid[0], config.gridDimY = facts.grid[1], config.gridDimZ = facts.grid[2];
  config.blockDimX = facts.block[0], config.blockDimY = facts.block[1], config.blockDimZ = facts.block[2];
  config.sharedMemBytes = facts.dynamic_shared;
  config.hStream = stream_.get();
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  std::size_t size = parameters_.size();
  void* block[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, parameters_.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  if (!driver().launch_with) throw CannotReplay{"The driver has no cuLaunchKernelEx; install driver 525 or later."};
  demand(driver().launch_with(&config, function_, nullptr, size == 0 ? nullptr : block), "cuLaunchKernelEx");
  ++launches_;
  stream_.wait(limit);
}

void LaunchReplay::make_read_only(const std::vector<std::uint64_t>& memories, bool is_read_only) {
  if (!memories.empty()) stream_.wait(kOwnWorkLimit);  // a copy that is under way would fault
  for (const std::uint64_t memory : memories) {
    if (memory >= launch_.allocations.size() || !held_[memory].is_there) continue;
    Held& held = held_[memory];
    if (held.elsewhere) {
      held.elsewhere->set_writable(!is_read_only);
    } else {
      own_addresses_->set_writable(piece(memory), !is_read_only);
    }
  }
}

template <typename Visit>
void LaunchReplay::read_pieces(std::size_t memory, Visit visit) {
  const std::span<const std::byte> expected = held_[memory].expected();
  for (std::size_t at = 0; at < expected.size(); at += MemoryComparison::kPieceBytes) {
    const std::size_t count = std::min(MemoryComparison::kPieceBytes, expected.size() - at);
    piece_.resize(std::max(piece_.size(), count));
    const std::span<std::byte> seen = std::span(piece_).first(count);
    stream_.download(seen, held_[memory].address + at);
    visit(seen, expected.subspan(at, count));
  }
}

std::uint64_t LaunchReplay::compare(std::size_t memory, const ReplayLaunch& request, ReplayedMemory& said) {
  using Bytes = std::span<const std::byte>;
  MemoryComparison comparison(memory < request.elements.size() ? request.elements[memory] : std::nullopt);
  read_pieces(memory, [&](Bytes seen, Bytes expected) { comparison.add(seen, expected); });
  if (comparison.may_be_permuted())
    read_pieces(memory, [&](Bytes seen, Bytes expected) { comparison.add_records(seen, expected); });
  comparison.tell(said);
  return comparison.fingerprint();
}

void LaunchReplay::repeat(const ReplayLaunch& request, ReplayResult& result) {
  std::vector<std::size_t> memories = changeable(request);
  std::vector<std::uint64_t> first(map_.size());
  for (int time = 0; time < request.times; ++time) {
    for (const std::size_t memory : memories) restore(memory);
    make_read_only(request.read_only, true);
    launch(request.launch_timeout);
    make_read_only(request.read_only, false);
    for (const std::size_t memory : memories) {
      const std::uint64_t fingerprint = compare(memory, request, result.memories[memory]);
      if (time == 0) first[memory] = fingerprint;
      if (fingerprint != first[memory]) result.memories[memory].varies = true;
    }
    // Of what neither the program's launch nor this one changed little new is expected, and comparing it takes longest.
    std::erase_if(memories, [&](std::size_t memory) {
      return !request.written && held_[memory].after.empty() && result.memories[memory].different == 0;
    });
  }
}

void LaunchReplay::run_over_patterns(const ReplayLaunch& request, ReplayResult& result) {
  const std::size_t patterned = *request.patterned;
  if (patterned >= map_.size() || !held_[patterned].is_there) throw CannotReplay{"It has no such memory."};
  const std::vector<std::size_t> memories = changeable(request);
  const Held& held = held_[patterned];
  std::vector<std::byte> left[std::size(kPatterns)];
  for (std::size_t i = 0; i < std::size(kPatterns); ++i) {
    for (const std::size_t memory : memories) restore(memory);
    stream_.set_bytes(held.address, kPatterns[i], held.before.size());
    launch(request.launch_timeout);
    left[i] = stream_.download(held.address, held.before.size());
    for (const std::size_t memory : memories) {
      if (memory != patterned) compare(memory, request, result.memories[memory]);
    }
  }
  result.pattern =
      compare_patterned({.left = {left[0], left[1], left[2]},
                         .before = held.before,
                         .after = held.expected(),
                         .element = patterned < request.elements.size() ? request.elements[patterned] : std::nullopt,
                         .records = request.records});
  // Whatever a launch over nonsense did, it did here.
  restore_all();
}

void LaunchReplay::run(const ReplayLaunch& request, ReplayResult& result) {
  result.memories.resize(map_.size());
  result.first_address = first_address_;
  for (std::size_t memory = 0; memory < map_.size(); ++memory) {
    const Held& held = held_[memory];
    const bool is_own = !held.elsewhere && !map_.is_variable(memory);
    result.memories[memory] = {
        .is_reached = reach_.is_reached[memory],
        .is_at_own_address = held.is_there && is_own,
        .is_missing = reach_.is_reached[memory] && !held.is_there,
        .can_be_read_only = held.elsewhere || (is_own && held.is_there && own_addresses_->is_alone(piece(memory))),
        .pointers = reach_.pointers[memory]};
  }
  // Without it a launch would fault, or worse.
  if (std::ranges::any_of(result.memories, &ReplayedMemory::is_missing)) return;
  // What launches before this one may have changed beyond what it restores itself.
  if (launches_ == 0) restore_all();
  if (request.patterned) {
    run_over_patterns(request, result);
  } else {
    repeat(request, result);
  }
}

}  // namespace tuner::engine
