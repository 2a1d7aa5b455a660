#include "tuner/host/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

#include "tuner/core/support/element_text.hpp"
#include "tuner/core/support/free_orders.hpp"
#include "tuner/core/support/support.hpp"

namespace tuner::host {
namespace {

constexpr std::byte kPoison{0xff}, kOtherPoison{0x3b};  // as in shim/runs.hpp

using Bytes = std::span<const std::byte>;
using Mask = std::vector<std::uint32_t>;

std::size_t elements_of(const BoundArgument& argument) {
  return static_cast<std::size_t>(argument.length) * static_cast<std::size_t>(argument.lanes);
}

bool holds(Bytes element, std::byte poison) {
  return std::all_of(element.begin(), element.end(), [poison](std::byte byte) { return byte == poison; });
}

/// Elements that hold the poison of both runs.
Mask unwritten(Bytes first, Bytes second, const BoundArgument& argument) {
  const std::size_t elements = elements_of(argument), size = size_of(argument.type);
  Mask mask(elements / 32 + 1, 0);
  if (argument.role != Argument::Role::out) return mask;
  for (std::size_t i = 0; i < elements; ++i) {
    if (holds(first.subspan(i * size, size), kPoison) && holds(second.subspan(i * size, size), kOtherPoison))
      mask[i / 32] |= 1u << (i % 32);
  }
  return mask;
}

std::uint64_t address_of(std::span<std::byte> bytes) {
  return reinterpret_cast<std::uintptr_t>(bytes.data());
}

struct Difference {
  std::uint64_t count = 0, first = 0;
};

/// What tuner_compare of support.cu finds.
tuner::Finding compare_on_host(Bytes found, Bytes expected, const BoundArgument& argument, const Mask& excluded,
                               std::uint64_t period) {
  tuner::Finding result;
  std::uint64_t elements = elements_of(argument);
  const std::byte* found_data = found.data();
  const std::byte* expected_data = expected.data();
  int type = support_number(argument.type);
  double rtol = argument.rtol, atol = argument.atol;
  const float* spread = nullptr;
  double accepted = 0, alike = 0;
  const std::uint32_t* mask = excluded.data();
  tuner::Finding* into = &result;
  std::array<void*, 12> arguments{&found_data, &expected_data, &elements, &period, &type, &rtol,
                                  &atol,       &spread,        &accepted, &alike,  &mask, &into};
  run_support_kernel_on_host("tuner_compare", arguments.data());
  return result;
}

Difference compare(Bytes found, Bytes expected, const BoundArgument& argument, const Mask& excluded, bool exact) {
  if (exact) {
    const std::uint64_t elements = elements_of(argument);
    Difference difference;
    const std::size_t size = size_of(argument.type);
    for (std::size_t i = 0; i < elements; ++i) {
      if (excluded[i / 32] >> (i % 32) & 1u) continue;
      if (std::equal(found.begin() + static_cast<std::ptrdiff_t>(i * size),
                     found.begin() + static_cast<std::ptrdiff_t>((i + 1) * size),
                     expected.begin() + static_cast<std::ptrdiff_t>(i * size)))
        continue;
      if (difference.count++ == 0) difference.first = i;
    }
    return difference;
  }
  const tuner::Finding result = compare_on_host(found, expected, argument, excluded, 0);
  if (result.count <= argument.may_differ) return {};
  return {result.count, result.first};
}

/// The bits of `mask` that `among` has too, word by word.
template <typename Among>
Difference count(const Mask& mask, const Among& among) {
  Difference counted;
  for (std::size_t word = mask.size(); word-- > 0;) {
    const std::uint32_t bits = mask[word] & among(word);
    if (bits == 0) continue;
    counted.count += static_cast<std::uint64_t>(std::popcount(bits));
    counted.first = 32 * word + static_cast<std::uint64_t>(std::countr_zero(bits));
  }
  return counted;
}

std::string element(Bytes bytes, const BoundArgument& argument, std::uint64_t i) {
  const std::size_t size = size_of(argument.type);
  return element_text(argument.type, bytes.subspan(static_cast<std::size_t>(i) * size, size));
}

std::string described(const Difference& difference, Bytes found, Bytes other, const BoundArgument& argument,
                      std::string_view other_is) {
  return fmt::format("element {} is {} and {} {}; {} of {} differ", difference.first,
                     element(found, argument, difference.first), other_is, element(other, argument, difference.first),
                     difference.count, elements_of(argument));
}

/// What to do where another thread order wrote the same elements to other places.
std::string other_order(Bytes found, Bytes other, const BoundArgument& argument, const Mask& not_written) {
  const Difference left = count(not_written, [](std::size_t) { return ~0u; });
  const std::uint64_t written = left.count > 0 ? left.first : elements_of(argument);
  if (argument.is_unordered || left.count != elements_of(argument) - written) return {};
  std::vector<std::byte> sorted[2];
  for (const Bytes bytes : {found, other}) {
    std::vector<std::byte>& one = sorted[bytes.data() == other.data() ? 1 : 0];
    one.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(written * size_of(argument.type)));
    put_in_order_on_host({{sort_column(address_of(one), argument)}},
                         written / static_cast<std::uint64_t>(std::max(argument.lanes, 1)));
  }
  if (sorted[0] != sorted[1]) return {};
  return fmt::format("; they are the same elements: if any order is right, declare the output `unordered{}",
                     left.count > 0 ? " by NAME`, where NAME is the output that says how many there are" : "`");
}

/// What is wrong with one output, if anything is.
std::optional<Finding> look_at(const std::array<Bytes, kRunsOfCase>& runs, const BoundArgument& argument,
                               const Bytes* expected, const Mask* expected_unwritten, bool deterministic) {
  const auto found = [&](FindingKind kind, const std::string& what) {
    return Finding{.kind = kind, .sentence = fmt::format("`{}`: {}", argument.name, what)};
  };
  Mask not_written = unwritten(runs[0], runs[1], argument);
  if (expected != nullptr) {
    const Difference missing = count(not_written, [&](std::size_t word) {
      return expected_unwritten == nullptr ? ~0u : ~(*expected_unwritten)[word];
    });
    if (missing.count > 0) {
      return found(FindingKind::unwritten_output, fmt::format("element {} is never written; {} of {} are not",
                                                              missing.first, missing.count, elements_of(argument)));
    }
  }
  for (std::size_t run = 1; run < kRunsOverPoison; ++run) {
    const Difference poison = compare(runs[run], runs[0], argument, not_written, false);
    if (poison.count == 0) continue;
    return found(FindingKind::uninitialised_read,
                 described(poison, runs[run], runs[0], argument, "with other initial memory it was"));
  }
  for (std::size_t run = kRunsOverPoison; run < kRunsOfCase; ++run) {
    const Difference order = compare(runs[run], runs[0], argument, not_written, deterministic);
    if (order.count == 0) continue;
    return found(FindingKind::order_dependent_result,
                 described(order, runs[run], runs[0], argument, "in another thread order it was") +
                     other_order(runs[run], runs[0], argument, not_written));
  }
  if (expected == nullptr) return std::nullopt;
  const Mask none(not_written.size(), 0);
  const Difference wrong =
      compare(runs[0], *expected, argument, expected_unwritten == nullptr ? none : *expected_unwritten, false);
  if (wrong.count > 0) {
    return found(FindingKind::wrong_result, described(wrong, runs[0], *expected, argument, "should be"));
  }
  if (expected_unwritten == nullptr || argument.is_partial) return std::nullopt;
  const Difference extra = count(*expected_unwritten, [&](std::size_t word) { return ~not_written[word]; });
  if (extra.count == 0) return std::nullopt;
  return found(FindingKind::wrong_result,
               fmt::format("element {} is written, but the reference leaves it unwritten; so are {} of {}. If the "
                           "reference needs another launch, name it: reference(NAME; grid(...) block(...)); if they do "
                           "not matter, declare the output `partial`",
                           extra.first, extra.count, elements_of(argument)));
}

}  // namespace

std::vector<std::size_t> output_sizes(const std::vector<BoundArgument>& arguments) {
  std::vector<std::size_t> sizes;
  for (const BoundArgument& argument : arguments) {
    if (is_output(argument)) sizes.push_back(elements_of(argument) * size_of(argument.type));
  }
  return sizes;
}

void put_in_order(const std::vector<std::span<std::byte>>& outputs, const std::vector<BoundArgument>& arguments) {
  std::vector<std::size_t> number_of(arguments.size());
  std::vector<const BoundArgument*> all;
  for (std::size_t i = 0, next = 0; i < arguments.size(); ++i) {
    number_of[i] = is_output(arguments[i]) ? next++ : next;
    all.push_back(&arguments[i]);
  }
  for (const std::vector<std::size_t>& group : free_orders(all)) {
    SortColumns columns;
    std::uint64_t records = 0;
    for (std::size_t column = 0; column < group.size(); ++column) {
      const BoundArgument& argument = arguments[group[column]];
      const std::span<std::byte> output = outputs[number_of[group[column]]];
      records = argument.length;
      if (argument.counted_by) {
        const BoundArgument& counting = arguments[*argument.counted_by];
        const std::uint64_t elements = counted(argument, counting, outputs[number_of[*argument.counted_by]]);
        std::ranges::fill(output.subspan(elements * size_of(argument.type)), std::byte{0});
        records = elements / static_cast<std::uint64_t>(std::max(argument.lanes, 1));
      }
      columns.columns[column] = sort_column(address_of(output), argument);
    }
    put_in_order_on_host(columns, records);
  }
}

void put_in_order(CaseOutcome& outcome, const std::vector<BoundArgument>& arguments) {
  for (std::size_t run = 0; run < kRunsOfCase; ++run) {
    if (!outcome.has_outputs[run]) continue;
    std::vector<std::span<std::byte>> outputs;
    std::size_t at = 0;
    for (const std::size_t size : output_sizes(arguments)) {
      outputs.push_back(std::span(outcome.outputs[run]).subspan(at, size));
      at += size;
    }
    put_in_order(outputs, arguments);
  }
}

Expected expected_of(const CaseOutcome& reference, const std::vector<BoundArgument>& arguments) {
  Expected expected;
  std::size_t at = 0;
  for (const BoundArgument& argument : arguments) {
    if (!is_output(argument)) continue;
    const std::size_t size = elements_of(argument) * size_of(argument.type);
    const Bytes first = Bytes(reference.outputs[0]).subspan(at, size);
    const Bytes second = reference.has_outputs[1] ? Bytes(reference.outputs[1]).subspan(at, size) : first;
    expected.outputs.emplace_back(first.begin(), first.end());
    expected.unwritten.push_back(unwritten(first, second, argument));
    at += size;
  }
  return expected;
}

std::vector<NotCompared> not_compared(const Expected& expected, const std::vector<BoundArgument>& arguments) {
  std::vector<NotCompared> result;
  std::size_t output = 0;
  for (const BoundArgument& argument : arguments) {
    if (!is_output(argument)) continue;
    const std::size_t number = output++;
    if (number >= expected.unwritten.size()) continue;
    const Difference left = count(expected.unwritten[number], [](std::size_t) { return ~0u; });
    if (left.count > 0) result.push_back({argument.name, left.count, left.first, elements_of(argument)});
  }
  return result;
}

std::vector<std::pair<const BoundArgument*, std::uint64_t>> compared(const Expected& expected,
                                                                     const std::vector<BoundArgument>& arguments) {
  std::vector<std::pair<const BoundArgument*, std::uint64_t>> result;
  for (const BoundArgument& argument : arguments) {
    if (is_output(argument)) result.emplace_back(&argument, elements_of(argument));
  }
  for (const NotCompared& left : not_compared(expected, arguments)) {
    for (auto& [argument, elements] : result) elements -= argument->name == left.buffer ? left.elements : 0;
  }
  return result;
}

std::vector<Unproven> unproven(const Expected& expected, const std::vector<BoundArgument>& arguments,
                               const std::vector<std::vector<std::byte>>& contents) {
  std::vector<Unproven> result;
  std::size_t output = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const BoundArgument& argument = arguments[i];
    if (!is_output(argument)) continue;
    const std::size_t number = output++, elements = elements_of(argument);
    const Mask mask = number < expected.unwritten.size() ? expected.unwritten[number] : Mask(elements / 32 + 1, 0);
    const auto lanes = static_cast<std::size_t>(std::max(argument.lanes, 1));
    std::size_t first = 0;
    while (first < elements && (mask[first / 32] >> (first % 32) & 1u)) ++first;
    if (first == elements) continue;
    const std::uint64_t all = elements - count(mask, [](std::size_t) { return ~0u; }).count;
    const Bytes truth(expected.outputs[number]);
    const Bytes one = truth.subspan(first / lanes * lanes * size_of(argument.type));
    const tuner::Finding alike = compare_on_host(truth, one, argument, mask, lanes);
    FromImpostors found{.compared = all, .not_numbers = alike.sum, .other_than_first = alike.count, .changed = {}};
    if (argument.role == Argument::Role::inout) {
      std::vector<std::byte> before = contents[i];
      if (argument.is_unordered) put_in_order_on_host({{sort_column(address_of(before), argument)}}, argument.length);
      found.changed = compare_on_host(before, truth, argument, mask, 0).count;
    }
    add_unproven(argument, found, result);
  }
  return result;
}

std::vector<Finding> compare_outputs(const CaseOutcome& outcome, const std::vector<BoundArgument>& arguments,
                                     const Expected* expected, bool deterministic) {
  std::vector<Finding> findings;
  std::size_t at = 0, output = 0;
  for (const BoundArgument& argument : arguments) {
    if (!is_output(argument)) continue;
    const std::size_t size = elements_of(argument) * size_of(argument.type);
    std::array<Bytes, kRunsOfCase> runs;
    for (std::size_t run = 0; run < kRunsOfCase; ++run)
      runs[run] = Bytes(outcome.outputs[outcome.has_outputs[run] ? run : 0]).subspan(at, size);
    const Bytes should_be = expected == nullptr ? Bytes() : Bytes(expected->outputs[output]);
    const Mask* excluded = expected == nullptr || expected->unwritten.empty() ? nullptr : &expected->unwritten[output];
    if (auto finding = look_at(runs, argument, expected == nullptr ? nullptr : &should_be, excluded, deterministic))
      findings.push_back(std::move(*finding));
    at += size;
    ++output;
  }
  return findings;
}

}  // namespace tuner::host
