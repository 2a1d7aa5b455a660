// What the reference's results prove of a candidate that has the same.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "tuner/core/support/element_text.hpp"
#include "tuner/engine/device/worker/runner.hpp"

namespace tuner::engine {

namespace {

bool is_passed_by_impostor(const ArgumentState& state, const std::vector<Unproven>& unproven) {
  return std::any_of(unproven.begin(), unproven.end(), [&](const Unproven& one) {
    return one.buffer == state.argument.name &&
           (one.why == Unproven::Why::one_value || one.why == Unproven::Why::unchanged);
  });
}

}  // namespace

// Of the reference's elements; of vectors the first lane.
CUdeviceptr Runner::first_compared(const ArgumentState& state) const {
  std::uint64_t first = 0;
  if (state.left_unwritten.count > 0 && state.left_unwritten.first == 0) {
    constexpr std::uint64_t kChunk = std::uint64_t{1} << 16;
    bool is_found = false;
    for (std::uint64_t at = 0; at < state.mask_bytes() && !is_found; at += kChunk) {
      const std::vector<std::byte> mask =
          stream_.download(state.unwritten_by_reference.get() + at, std::min(kChunk, state.mask_bytes() - at));
      const auto compared =
          std::find_if(mask.begin(), mask.end(), [](std::byte byte) { return byte != std::byte{0xff}; });
      is_found = compared != mask.end();
      if (!is_found) continue;
      first = 8 * (at + static_cast<std::uint64_t>(compared - mask.begin())) +
              static_cast<std::uint64_t>(std::countr_one(std::to_integer<unsigned char>(*compared)));
    }
  }
  const auto lanes = static_cast<std::uint64_t>(std::max(state.argument.lanes, 1));
  return state.reference.get() + first / lanes * lanes * size_of(state.argument.type);
}

// What an in/out buffer held, in ascending order where its order is free. The buffer is restored before it is used.
CUdeviceptr Runner::before_launch(const ArgumentState& state) {
  if (!state.argument.is_unordered) return state.pristine.get();
  const CUdeviceptr data = state.place(Layout::plain).data();
  stream_.copy(data, state.pristine.get(), state.element_bytes());
  support_.put_in_order(data, state.elements, state.argument);
  return data;
}

// Judged as a candidate is that has this spread, or none.
Runner::AskedImpostors Runner::ask_impostors(ArgumentState& state, CUdeviceptr spread) {
  const CUdeviceptr truth = state.reference.get(), excluded = state.unwritten_by_reference.get();
  AskedImpostors asked{
      support_.compare_with_one(truth, first_compared(state), state.elements, state.argument, excluded, spread), {}};
  if (state.argument.role == Argument::Role::inout)
    asked.unchanged = support_.compare(before_launch(state), truth, state.elements, state.argument, excluded, spread);
  return asked;
}

FromImpostors Runner::AskedImpostors::told(const std::vector<Finding>& found, const ArgumentState& state) const {
  FromImpostors from{state.compared(), found[alike].sum, found[alike].count, {}};
  if (unchanged) from.changed = found[*unchanged].count;
  return from;
}

// An output that proves something by its tolerance alone may prove nothing by its spread, as where a kernel changes its
// data by less than that.
void Runner::drop_spreads_that_prove_nothing(const std::vector<ArgumentState*>& outputs) {
  std::vector<std::pair<AskedImpostors, AskedImpostors>> asked;
  for (ArgumentState* state : outputs)
    asked.emplace_back(ask_impostors(*state, 0), ask_impostors(*state, state->spread.get()));
  const std::vector<Finding> found = support_.findings();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    ArgumentState& state = *outputs[i];
    const auto is_passed = [&](const AskedImpostors& impostors) {
      std::vector<Unproven> unproven;
      add_unproven(state.argument, impostors.told(found, state), unproven);
      return is_passed_by_impostor(state, unproven);
    };
    state.spread_proves_nothing = !is_passed(asked[i].first) && is_passed(asked[i].second);
    if (state.spread_proves_nothing) state.spread = {};
  }
}

std::vector<Unproven> Runner::unproven() {
  struct Asked {
    ArgumentState* state;
    std::size_t bits;
    AskedImpostors impostors;
  };
  std::vector<Asked> asked;
  for (ArgumentState& state : buffers_.arguments()) {
    if (state.compared() == 0) continue;
    const std::size_t bits = support_.checksum_elements(state.reference.get(), state.elements, state.argument.type,
                                                        state.unwritten_by_reference.get());
    asked.push_back({&state, bits, ask_impostors(state, 0)});
  }
  const std::vector<Finding> found = support_.findings();
  std::vector<Unproven> result;
  for (const auto& [state, bits, impostors] : asked) {
    state->reference_sum = found[bits].sum;
    add_unproven(state->argument, impostors.told(found, *state), result);
    if (state->behind_count > 0)
      result.push_back({state->argument.name, Unproven::Why::behind_count, state->behind_count, state->elements});
  }
  return result;
}

std::vector<Unproven> Runner::unproven_on_other_inputs() {
  std::vector<std::pair<const ArgumentState*, std::size_t>> asked;
  if (!buffers_.depends_on_seed()) return {};
  for (const ArgumentState& state : buffers_.arguments()) {
    if (state.compared() == 0 || !state.reference_sum || state.argument.is_trivial) continue;
    // What it held before is the same, as of a counter.
    if (state.argument.role == Argument::Role::inout && !is_seeded(state.argument)) continue;
    asked.emplace_back(&state, support_.checksum_elements(state.reference.get(), state.elements, state.argument.type,
                                                          state.unwritten_by_reference.get()));
  }
  const std::vector<Finding> found = support_.findings();
  std::vector<Unproven> result;
  for (const auto& [state, bits] : asked) {
    if (found[bits].sum != *state->reference_sum) continue;
    result.push_back({state->argument.name, Unproven::Why::same_for_seeds, state->compared(), state->compared()});
  }
  return result;
}

Verdict Runner::something_is_proven(const std::vector<Unproven>& unproven) const {
  std::vector<const ArgumentState*> asked;
  for (const ArgumentState& state : buffers_.arguments()) {
    if (state.compared() > 0 && !state.argument.is_trivial) asked.push_back(&state);
  }
  // One element is as easily filled in as found out: it proves something only where there is no more.
  const auto of_one = std::stable_partition(asked.begin(), asked.end(), [](const ArgumentState* state) {
    return !has_one_element(state->argument, state->compared());
  });
  if (of_one != asked.begin()) asked.erase(of_one, asked.end());
  if (asked.empty() || !std::all_of(asked.begin(), asked.end(), [&](const ArgumentState* state) {
        return is_passed_by_impostor(*state, unproven);
      }))
    return {};
  const ArgumentState* first = asked.front();
  const BoundArgument& argument = first->argument;
  const bool is_filled = std::any_of(unproven.begin(), unproven.end(), [&](const Unproven& one) {
    return one.buffer == argument.name && one.why == Unproven::Why::one_value;
  });
  const std::string value =
      element_text(argument.type, stream_.download(first_compared(*first), size_of(argument.type)));
  // No tolerance makes NaN differ from NaN.
  const bool is_nan = std::any_of(unproven.begin(), unproven.end(), [&](const Unproven& one) {
    return one.buffer == argument.name && one.why == Unproven::Why::not_a_number && one.elements == one.of;
  });
  const std::string within =
      is_nan ? ""
      : argument.rtol > 0 || argument.atol > 0
          ? fmt::format(", within the tolerance (rtol {}, atol {})", argument.rtol, argument.atol)
          : "";
  return {
      Outcome::wrong_result,
      fmt::format(
          "Its results prove nothing: {}, so a kernel that {} would pass. Give its inputs contents from "
          "which it computes something{}. Declare the output `trivial` if this is what it computes.",
          is_filled ? fmt::format("all {} elements of '{}' are {}{}", first->compared(), argument.name, value, within)
                    : fmt::format("'{}' still holds what it held before{}", argument.name, within),
          is_filled ? "only fills it" : "does nothing", is_nan ? "" : ", or the output a smaller `rtol` and `atol`")};
}

}  // namespace tuner::engine
