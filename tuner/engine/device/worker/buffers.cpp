#include "tuner/engine/device/worker/buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

#include "tuner/core/support/generators.hpp"
#include "tuner/core/task/input_file.hpp"
#include "tuner/engine/device/lane/memory_needed.hpp"

namespace tuner::engine {
namespace {

FencedBuffer::Use use_of(const ArgumentState& state) {
  return state.argument.role == Argument::Role::in ? FencedBuffer::Use::input : FencedBuffer::Use::output;
}

GuardedBuffer guarded(const BoundArgument& argument, std::uint64_t bytes) {
  return {bytes, plain_alignment(argument), guard_bytes(argument)};
}

FencedBuffer::Shape fenced_shape(const BoundArgument& argument, std::uint64_t bytes) {
  return {bytes, fenced_alignment(argument), argument.padding};
}

template <typename Integer>
bool put_integer(const search::Value& value, std::vector<std::byte>& bytes) {
  Integer integer = 0;
  if (value.is_real() && sizeof(Integer) == 8) {
    // Beyond 2^63 only a real can say it; as_integer would refuse.
    const double real = value.as_real();
    if (real < static_cast<double>(std::numeric_limits<Integer>::min()) ||
        real >= 2.0 * static_cast<double>(std::numeric_limits<Integer>::max() / 2 + 1)) {
      return false;
    }
    integer = static_cast<Integer>(real);
    if (static_cast<double>(integer) != real) return false;
  } else {
    const std::int64_t wide = value.as_integer();
    if (wide < 0 && !std::numeric_limits<Integer>::is_signed) return false;
    integer = static_cast<Integer>(wide);
    if (static_cast<std::int64_t>(integer) != wide) return false;
  }
  std::memcpy(bytes.data(), &integer, sizeof integer);
  return true;
}

}  // namespace

std::uint64_t plain_alignment(const BoundArgument& argument) {
  constexpr std::uint64_t kAlways = 256;
  return std::max(argument.alignment, kAlways);
}

std::vector<std::pair<CUdeviceptr, std::uint64_t>> ArgumentState::kept() const {
  std::vector<std::pair<CUdeviceptr, std::uint64_t>> memory;
  if (pristine) memory.emplace_back(pristine.get(), element_bytes());
  if (reference) memory.emplace_back(reference.get(), element_bytes());
  if (spread) memory.emplace_back(spread.get(), spread_bytes());
  if (unwritten_by_reference) memory.emplace_back(unwritten_by_reference.get(), mask_bytes());
  return memory;
}

Verdict scalar_bytes(const BoundArgument& argument, std::vector<std::byte>& bytes) {
  using Put = bool (*)(const search::Value&, std::vector<std::byte>&);
  static const std::map<ElementType, Put> integers{
      {ElementType::int8, put_integer<std::int8_t>},   {ElementType::uint8, put_integer<std::uint8_t>},
      {ElementType::int16, put_integer<std::int16_t>}, {ElementType::uint16, put_integer<std::uint16_t>},
      {ElementType::int32, put_integer<std::int32_t>}, {ElementType::uint32, put_integer<std::uint32_t>},
      {ElementType::int64, put_integer<std::int64_t>}, {ElementType::uint64, put_integer<std::uint64_t>}};
  bytes.assign(size_of(argument.type), std::byte{0});
  bool fits = true;
  if (argument.type == ElementType::boolean) {
    bytes[0] = std::byte{argument.value.as_boolean()};
  } else if (const auto integer = integers.find(argument.type); integer != integers.end()) {
    fits = integer->second(argument.value, bytes);
  } else {
    // The filling kernel knows how to round to every real type.
    BoundArgument one = argument;
    one.length = 1;
    one.lanes = 1;
    one.generators = {{Generator::Kind::constant, {argument.value.as_real(), 0}}};
    bytes = generate(one, 0, 0);
  }
  if (!fits) {
    return {Outcome::launch_refused,
            fmt::format("The scalar '{}' is {}, which does not fit its type {}; choose a smaller problem or "
                        "a wider type.",
                        argument.name, argument.value.text(), to_string(argument.type))};
  }
  const std::vector<std::byte> lane = bytes;
  for (int i = 1; i < argument.lanes; ++i) bytes.insert(bytes.end(), lane.begin(), lane.end());
  return {};
}

Buffers::Buffers(std::span<const BoundArgument> arguments, std::uint64_t seed, DeviceSupport& support,
                 WorkStream& stream)
    : support_(support), stream_(stream), seed_(seed) {
  arguments_.reserve(arguments.size());
  for (const BoundArgument& argument : arguments) {
    ArgumentState& state = arguments_.emplace_back();
    state.argument = argument;
    state.position = arguments_.size() - 1;
    if (is_by_value(argument.role)) continue;
    state.elements = element_count(argument);
    state.guard_seed = 0x67756172647321ull + (state.position << 40);
    // Never nothing, so that every copy has an address.
    const std::uint64_t copy_bytes = std::max<std::uint64_t>(state.element_bytes(), 8);
    if (argument.role == Argument::Role::constant) {
      state.pristine = allocate(copy_bytes);
      continue;
    }
    state.buffer.emplace(guarded(argument, state.element_bytes()));
    if (argument.role == Argument::Role::inout) {
      state.pristine = allocate(copy_bytes);
      restores_ = true;
    }
    if (state.is_output()) state.reference = allocate(copy_bytes);
    if (argument.expected) upload(state.reference.get(), *argument.expected);
    if (argument.role == Argument::Role::out) {
      const std::uint64_t mask_bytes = std::max<std::uint64_t>(state.mask_bytes(), 8);
      state.unwritten_by_reference = allocate(mask_bytes);
      state.unwritten = allocate(mask_bytes);
      stream_.set_bytes(state.unwritten_by_reference.get(), 0, mask_bytes);
    }
    plant_guards(state);
  }
  fill_inputs(seed);
}

Verdict Buffers::set_scalars() {
  for (ArgumentState& state : arguments_) {
    if (state.argument.role != Argument::Role::scalar) continue;
    if (Verdict verdict = scalar_bytes(state.argument, state.scalar); !verdict.ok()) return verdict;
  }
  return {};
}

bool Buffers::depends_on_seed() const {
  return std::any_of(arguments_.begin(), arguments_.end(),
                     [](const ArgumentState& state) { return is_seeded(state.argument); });
}

std::vector<CUdeviceptr> Buffers::addresses(Layout layout) const {
  std::vector<CUdeviceptr> result;
  for (const ArgumentState& state : arguments_) {
    result.push_back(state.buffer ? state.place(layout).data() : 0);
  }
  return result;
}

std::string Buffers::raise_fences() {
  if (std::string why = why_no_fences(); !why.empty()) return why;
  const std::uint64_t granularity = fence_granularity();
  std::uint64_t needed = 0;
  for (const ArgumentState& state : arguments_) {
    if (!state.buffer) continue;
    needed +=
        FencedBuffer::memory_needed(use_of(state), fenced_shape(state.argument, state.element_bytes()), granularity);
  }
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  std::size_t free_bytes = 0, all = 0;
  check(driver().memory_info(&free_bytes, &all), "cuMemGetInfo");
  const auto lacks_memory = [&] {
    return fmt::format("A second set of buffers takes {:.3f} GiB, but the device has {:.3f} GiB free of {:.3f}.",
                       static_cast<double>(needed) / kGiB, static_cast<double>(free_bytes) / kGiB,
                       static_cast<double>(all) / kGiB);
  };
  if (needed + all / 8 > free_bytes) return lacks_memory();
  try {
    for (ArgumentState& state : arguments_) {
      if (state.buffer) state.fenced.emplace(use_of(state), fenced_shape(state.argument, state.element_bytes()));
    }
    fill_fenced_inputs();
  } catch (const CallFailed& failure) {
    if (is_sticky(failure.result())) throw;
    for (ArgumentState& state : arguments_) state.fenced.reset();
    if (failure.result() == CUDA_ERROR_OUT_OF_MEMORY) return lacks_memory();
    return fmt::format("Memory could not be mapped: {}", failure.what());
  }
  fenced_ = true;
  return {};
}

void Buffers::plant_guards(const ArgumentState& state, Layout layout) {
  const Placement place = state.place(layout);
  support_.plant(place.memory, place.guard_begin, place.begin, state.guard_seed);
  support_.plant(place.memory, place.end, place.guard_end, state.guard_seed);
}

void Buffers::fill_inputs(std::uint64_t seed) {
  seed_ = seed;
  repair_inputs();
  if (fenced_) fill_fenced_inputs();
}

void Buffers::repair_inputs() {
  std::vector<ArgumentState*> inputs;
  for (ArgumentState& state : arguments_) {
    if (state.argument.role == Argument::Role::in) {
      const CUdeviceptr data = state.place(Layout::plain).data();
      fill(data, state);
      support_.checksum(data, state.element_bytes());
      inputs.push_back(&state);
    } else if (is_filled(state.argument.role)) {
      fill(state.pristine.get(), state);
    }
  }
  restore();
  const std::vector<Finding> found = support_.findings();
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i]->input_sum = found[i].sum;
}

void Buffers::fill(CUdeviceptr memory, const ArgumentState& state) {
  if (!state.argument.file) return support_.fill(memory, state.argument, state.elements, state.position, seed_);
  upload(memory, *state.argument.file);
}

void Buffers::upload(CUdeviceptr memory, const DataFile& file) {
  read_data(file, [&](std::span<const std::byte> piece) {
    stream_.upload(memory, piece);
    memory += piece.size();
  });
}

// Access is only switched here, and nothing may be running then: the plain inputs have just been waited for.
void Buffers::fill_fenced_inputs() {
  for (ArgumentState& state : arguments_) {
    if (state.argument.role != Argument::Role::in) continue;
    state.fenced->set_writable(true);
    for (const Layout layout : {Layout::at_end, Layout::at_start}) {
      stream_.copy(state.place(layout).data(), state.place(Layout::plain).data(), state.element_bytes());
      plant_guards(state, layout);
      if (state.fenced->fills_mapping()) break;
    }
  }
  stream_.wait(kOwnWorkLimit);
  for (ArgumentState& state : arguments_) {
    if (state.argument.role == Argument::Role::in) state.fenced->set_writable(false);
  }
}

// Where there is no memory for it, this kernel is checked in the plain layout.
void Buffers::fence_scratch(ArgumentState& state, std::uint64_t bytes) {
  if (!fenced_ || (state.fenced && state.fenced->resize(bytes))) return;
  state.fenced.reset();
  try {
    state.fenced.emplace(FencedBuffer::Use::output, fenced_shape(state.argument, bytes));
  } catch (const CallFailed& failure) {
    if (is_sticky(failure.result())) throw;
    scratch_fenced_ = false;
  }
}

Verdict Buffers::resize_scratch(std::span<const std::uint64_t> lengths) {
  std::size_t next = 0;
  scratch_fenced_ = true;
  for (ArgumentState& state : arguments_) {
    if (state.argument.role != Argument::Role::scratch) continue;
    if (next == lengths.size()) {
      return {Outcome::launch_refused,
              fmt::format("The scratch buffer '{}' has no length for this configuration.", state.argument.name)};
    }
    const std::uint64_t elements = lengths[next++] * static_cast<std::uint64_t>(std::max(state.argument.lanes, 1));
    const std::uint64_t bytes = elements * size_of(state.argument.type);
    if (!state.buffer || !state.buffer->resize(bytes)) {
      state.buffer.reset();
      try {
        state.buffer.emplace(guarded(state.argument, bytes));
      } catch (const CallFailed& failure) {
        // The next configuration starts from an empty buffer.
        state.elements = 0;
        if (failure.result() != CUDA_ERROR_OUT_OF_MEMORY) throw;
        state.buffer.emplace(guarded(state.argument, 0));
        plant_guards(state);
        return {Outcome::out_of_memory, fmt::format("The scratch buffer '{}' needs {} bytes, which the device does not "
                                                    "have; limit its length with a constraint.",
                                                    state.argument.name, bytes)};
      }
    }
    state.elements = elements;
    // Also where the length stays: in a race, a finalist of a longer scratch has rightly written where the guard of a
    // shorter one lies.
    plant_guards(state);
    fence_scratch(state, bytes);
  }
  return {};
}

void Buffers::poison(unsigned char value, Layout layout) {
  for (const ArgumentState& state : arguments_) {
    if (state.argument.role == Argument::Role::in || !state.buffer) continue;
    // The data of one layout lies where the guard of the other is.
    if (layout != Layout::plain) plant_guards(state, layout);
    if (state.argument.role == Argument::Role::inout) continue;
    stream_.set_bytes(state.place(layout).data(), value, state.element_bytes());
  }
  restore(layout);
}

void Buffers::restore(Layout layout) {
  for (const ArgumentState& state : arguments_) {
    if (state.argument.role == Argument::Role::inout) {
      stream_.copy(state.place(layout).data(), state.pristine.get(), state.element_bytes());
    }
  }
}

}  // namespace tuner::engine
