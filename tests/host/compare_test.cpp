#include "tuner/host/compare.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>

using namespace tuner;
using namespace tuner::host;

namespace {

std::vector<BoundArgument> one_output(std::uint64_t length) {
  BoundArgument argument;
  argument.name = "y";
  argument.role = Argument::Role::out;
  argument.type = ElementType::float32;
  argument.length = length;
  argument.rtol = 1e-4;
  return {argument};
}

std::vector<std::byte> bytes(const std::vector<float>& values) {
  std::vector<std::byte> result(values.size() * sizeof(float));
  std::memcpy(result.data(), values.data(), result.size());
  return result;
}

CaseOutcome outcome(const std::vector<float>& first) {
  CaseOutcome result;
  result.state = CaseOutcome::State::ended;
  result.outputs[0] = bytes(first);
  result.has_outputs[0] = true;
  return result;
}

void set(CaseOutcome& outcome, std::size_t run, const std::vector<float>& values) {
  outcome.outputs[run] = bytes(values);
  outcome.has_outputs[run] = true;
}

FindingKind only(const std::vector<Finding>& findings) {
  REQUIRE_EQ(findings.size(), 1);
  return findings[0].kind;
}

}  // namespace

TEST_CASE("outputs within the tolerance of what is expected, the same in all runs, are right") {
  const Expected expected{{bytes({1, 2})}, {}};
  CHECK(compare_outputs(outcome({1, 2.0001f}), one_output(2), &expected, false).empty());
  const auto findings = compare_outputs(outcome({1, 2.1f}), one_output(2), &expected, false);
  CHECK_EQ(only(findings), FindingKind::wrong_result);
  CHECK_EQ(findings[0].sentence, "`y`: element 1 is 2.1 and should be 2; 1 of 2 differ");
}

TEST_CASE("elements in any order are right as often as they are there, up to what counts them") {
  std::vector<BoundArgument> arguments = one_output(4);
  arguments[0].is_unordered = true;
  arguments[0].counted_by = 1;
  arguments.push_back(arguments[0]);
  arguments[1].is_unordered = false;
  arguments[1].counted_by.reset();
  arguments[1].name = "count";
  arguments[1].type = ElementType::int32;
  arguments[1].length = 1;
  const auto with_count = [&](std::vector<float> values, std::int32_t count) {
    values.push_back(std::bit_cast<float>(count));
    CaseOutcome result = outcome(values);
    put_in_order(result, arguments);
    return result;
  };
  const CaseOutcome reference = with_count({3, 1, 2, 77}, 3);
  const Expected expected = expected_of(reference, arguments);
  const auto findings = [&](const CaseOutcome& outcome) {
    return compare_outputs(outcome, arguments, &expected, false);
  };
  CHECK(findings(with_count({1, 2, 3, 5}, 3)).empty());
  CHECK_EQ(only(findings(with_count({1, 2, 2, 5}, 3))), FindingKind::wrong_result);  // one twice
  CHECK_EQ(only(findings(with_count({1, 0, 3, 5}, 3))), FindingKind::wrong_result);
  CHECK_EQ(findings(with_count({1, 2, 5, 5}, 2)).size(), 2);  // one is lost, and the count says so
  CHECK_EQ(findings(with_count({1, 2, 3, 4}, 9)).size(), 2);  // more than there is room for
}

TEST_CASE("values that are listed beside the keys of others are wrong, and records in any order are right") {
  std::vector<BoundArgument> arguments = one_output(4);
  arguments[0].is_unordered = true;
  arguments[0].counted_by = 2;
  arguments[0].name = "kept";
  arguments.push_back(arguments[0]);
  arguments[1].name = "place";
  arguments[1].type = ElementType::int32;
  arguments.push_back(arguments[1]);
  arguments[2].is_unordered = false;
  arguments[2].counted_by.reset();
  arguments[2].name = "count";
  arguments[2].length = 1;
  const auto records = [&](std::vector<float> kept, const std::vector<std::int32_t>& places) {
    for (const std::int32_t place : places) kept.push_back(std::bit_cast<float>(place));
    kept.push_back(std::bit_cast<float>(std::int32_t{3}));
    CaseOutcome result = outcome(kept);
    put_in_order(result, arguments);
    return result;
  };
  const CaseOutcome reference = records({3, 1, 1, 77}, {5, 6, 7, 77});
  const Expected expected = expected_of(reference, arguments);
  const auto findings = [&](const CaseOutcome& outcome) {
    return compare_outputs(outcome, arguments, &expected, false);
  };
  CHECK(findings(records({1, 3, 1, 0}, {7, 5, 6, 1})).empty());
  CHECK_EQ(only(findings(records({1, 3, 1, 0}, {5, 6, 7, 1}))), FindingKind::wrong_result);
}

TEST_CASE("outputs with which a kernel agrees that computes nothing are named") {
  using Why = Unproven::Why;
  const float nan = std::nanf("");
  const auto of = [](const std::vector<float>& values, std::vector<BoundArgument> arguments,
                     const std::vector<float>& before = {}) {
    return unproven({{bytes(values)}, {}}, arguments, {bytes(before)});
  };
  CHECK(of({1, 2, 1}, one_output(3)).empty());
  CHECK(of({2, 2, 2.0001f}, one_output(3)) == std::vector<Unproven>{{"y", Why::one_value, 3, 3}});
  CHECK(of({2}, one_output(1)).empty());  // what it computes may well be one number
  CHECK(of({nan}, one_output(1)) == std::vector<Unproven>{{"y", Why::not_a_number, 1, 1}, {"y", Why::one_value, 1, 1}});
  CHECK(of({1, nan, 3}, one_output(3)) == std::vector<Unproven>{{"y", Why::not_a_number, 1, 3}});
  std::vector<BoundArgument> both = one_output(2);
  both[0].role = Argument::Role::inout;
  CHECK(of({1, 3}, both, {1, 3}) == std::vector<Unproven>{{"y", Why::unchanged, 2, 2}});
  CHECK(of({1, 3}, both, {1, 4}).empty());
  both[0].is_trivial = true;
  CHECK(of({1, 1}, both, {1, 1}).empty());
}

TEST_CASE("so many elements as may differ do, and no more") {
  const Expected expected{{bytes({1, 2, 3})}, {}};
  std::vector<BoundArgument> arguments = one_output(3);
  arguments[0].may_differ = 1;
  CHECK(compare_outputs(outcome({1, 2.1f, 3}), arguments, &expected, false).empty());
  const auto findings = compare_outputs(outcome({1, 2.1f, 3.1f}), arguments, &expected, false);
  CHECK_EQ(only(findings), FindingKind::wrong_result);
  CHECK_EQ(findings[0].sentence, "`y`: element 1 is 2.1 and should be 2; 2 of 3 differ");
}

TEST_CASE("a difference over other poison is an uninitialised read, one in another order depends on the order") {
  for (const std::size_t run : {1, 2}) {
    CaseOutcome poisoned = outcome({1, 2});
    set(poisoned, run, {1, 3});
    CHECK_EQ(only(compare_outputs(poisoned, one_output(2), nullptr, false)), FindingKind::uninitialised_read);
  }
  CaseOutcome ordered = outcome({1, 2});
  set(ordered, 4, {1, 3});
  CHECK_EQ(only(compare_outputs(ordered, one_output(2), nullptr, false)), FindingKind::order_dependent_result);
}

TEST_CASE("what depends on the order by less than the tolerance matters to deterministic kernels only") {
  CaseOutcome rounded = outcome({1, 2});
  set(rounded, 3, {1, 2.00001f});
  CHECK(compare_outputs(rounded, one_output(2), nullptr, false).empty());
  CHECK_EQ(only(compare_outputs(rounded, one_output(2), nullptr, true)), FindingKind::order_dependent_result);
}

TEST_CASE(
    "an element that holds the poison of both runs was not written, unless the reference does not write it either") {
  CaseOutcome missing = outcome({1, 0});
  std::memset(missing.outputs[0].data() + 4, 0xff, 4);
  set(missing, 1, {1, 0});
  std::memset(missing.outputs[1].data() + 4, 0x3b, 4);
  const Expected all_written{{bytes({1, 2})}, {}};
  CHECK_EQ(only(compare_outputs(missing, one_output(2), &all_written, false)), FindingKind::unwritten_output);
  const Expected same = expected_of(missing, one_output(2));
  CHECK(compare_outputs(missing, one_output(2), &same, false).empty());
}

TEST_CASE(
    "an element that the reference leaves unwritten and a kernel writes is a wrong result, unless it is partial") {
  const float poison = std::bit_cast<float>(0xffffffffu), other = std::bit_cast<float>(0x3b3b3b3bu);
  CaseOutcome reference = outcome({1, poison, poison});
  set(reference, 1, {1, other, other});
  std::vector<BoundArgument> arguments = one_output(3);
  const Expected expected = expected_of(reference, arguments);
  CHECK(not_compared(expected, arguments) == std::vector<NotCompared>{{"y", 2, 1, 3}});
  CHECK(compare_outputs(reference, arguments, &expected, false).empty());
  CaseOutcome writes = outcome({1, 12345, poison});
  set(writes, 1, {1, 12345, other});
  const auto findings = compare_outputs(writes, arguments, &expected, false);
  CHECK_EQ(only(findings), FindingKind::wrong_result);
  CHECK(findings[0].sentence.find("`y`: element 1 is written, but the reference leaves it unwritten; so are 1 of 3") ==
        0);
  arguments[0].is_partial = true;
  CHECK(compare_outputs(writes, arguments, &expected, false).empty());
}
