// What a program can learn about the configuration that it launches.
#include <thread>

#include "tests/runtime/partial_sums.hpp"
#include "tests/support/errors.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

std::string misuse(const std::function<void()>& action) {
  return error_of(Errc::bad_usage, action);
}

}  // namespace

TEST_CASE_FIXTURE(TunedSums<8>, "the values of the configuration in force are had by name and type") {
  CHECK(instance.value<int>("SPLIT") == 8);
  CHECK(instance.value<unsigned char>("SPLIT") == 8);
  CHECK(instance.value<std::uint64_t>("SPLIT") == 8);
  CHECK(instance.value<double>("SPLIT") == 8);
  CHECK(instance.value<float>("SHARE") == 0.5f);
  CHECK(instance.value<std::string>("ORDER") == "rows");
  CHECK(instance.value<std::string_view>("ORDER") == "rows");
  CHECK_FALSE(instance.value<bool>("EARLY"));
}

TEST_CASE_FIXTURE(TunedSums<64>,
                  "a value that is asked for by a wrong name or as a wrong type is an error that says what there is") {
  CHECK(misuse([&] { instance.value<int>("SPLITS"); }) ==
        "The kernel has no parameter `SPLITS`; its parameters are SPLIT, ORDER, SHARE, EARLY.");
  CHECK(misuse([&] { instance.value<int>("ORDER"); }) ==
        "The parameter `ORDER` is the name rows, which is not an integer.");
  CHECK(misuse([&] { instance.value<int>("SHARE"); }) == "The parameter `SHARE` is 0.5, which is not an integer.");
  CHECK(misuse([&] { instance.value<std::string>("SPLIT"); }) == "The parameter `SPLIT` is 64, which is not a name.");
  CHECK(misuse([&] { instance.value<bool>("SPLIT"); }) ==
        "The parameter `SPLIT` is 64, which is neither true nor false.");
  CHECK(misuse([&] { instance.value<double>("ORDER"); }) ==
        "The parameter `ORDER` is the name rows, which is not a number.");
  const TunedValues large({{"BYTES", std::int64_t{70000}}, {"SIGNED", std::int64_t{-1}}});
  CHECK(misuse([&] { large.get<short>("BYTES"); }) ==
        "The parameter `BYTES` is 70000, which does not fit the requested type.");
  CHECK(contains(misuse([&] { large.get<unsigned>("SIGNED"); }), "is -1, which does not fit"));
  CHECK(large.get<long long>("SIGNED") == -1);
}

TEST_CASE_FIXTURE(PartialSums, "the baseline has values and lengths, and what is no configuration has none") {
  machine.compile(stored_sum(1));
  const Instance& baseline = kernel.request({1000});
  REQUIRE(baseline.rung() == Rung::baseline);
  CHECK(baseline.value<int>("SPLIT") == 1);
  CHECK(baseline.snapshot().argument("partials").bytes == 1024);

  const PartialSums nothing({.fallback = [](Stream, std::span<void* const>) { return 0; }});
  for (const Instance* instance : {&nothing.kernel.request({2000}), &nothing.kernel.request({-1})}) {
    CHECK(instance->rung() == Rung::fallback);
    CHECK(contains(misuse([&] { instance->value<int>("SPLIT"); }), "There is no value of `SPLIT`"));
    CHECK(instance->snapshot().values.empty());
    CHECK(contains(misuse([&] { instance->snapshot().argument("x"); }), "no configuration is in force"));
  }
}

TEST_CASE_FIXTURE(TunedSums<8>,
                  "a snapshot says how long every buffer must be, and stays what it was when a winner takes over") {
  const Instance& large = winner(64);
  const Instance::Snapshot before = instance.snapshot();
  swap_to(instance, large);
  REQUIRE(before.arguments.size() == 4);
  CHECK(before.arguments[0].name == "x");
  CHECK(before.argument("x").elements == 1000);
  CHECK(before.argument("x").bytes == 4000);
  CHECK(before.argument("partials").elements == 2048);
  CHECK(before.argument("partials").bytes == partials_bytes(8));
  CHECK(before.argument("flags").bytes == 16);
  CHECK(misuse([&] { before.argument("n"); }) ==
        "The kernel has no buffer `n`; its buffers are x, y, partials, flags.");
  CHECK(before.shape.grid[0] == 8);
  CHECK(before.value<int>("SPLIT") == 8);
  CHECK(before.provenance.rung == Rung::exact);
  CHECK(instance.snapshot().argument("partials").bytes == partials_bytes(64));
}

TEST_CASE_FIXTURE(TunedSums<1>, "a winner that takes over while a snapshot is taken does not tear it") {
  const Instance& small = winner(1);
  const Instance& large = winner(64);
  std::atomic<bool> stop = false;
  std::thread swapping([&] {
    for (int i = 0; i < 2000; ++i) swap_to(instance, i % 2 == 0 ? large : small);
    stop = true;
  });
  while (!stop) {
    const Instance::Snapshot seen = instance.snapshot();
    const auto split = seen.value<unsigned>("SPLIT");
    REQUIRE(seen.shape.grid[0] == split);
    REQUIRE(seen.argument("partials").bytes == partials_bytes(split));
    REQUIRE(seen.provenance.configuration == stored_sum(static_cast<int>(split)).configuration);
  }
  swapping.join();
}
