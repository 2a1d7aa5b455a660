// How a kernel is asked for.
#include <array>
#include <limits>

#include "tests/runtime/machine.hpp"

using namespace tuner;
using namespace tuner::test;

TEST_CASE_FIXTURE(Program, "a request that was made before gives the same instance, whatever its spelling") {
  const std::size_t before = inspector().modules_loaded();
  const Instance* const first = &tuned_instance();
  CHECK(first->rung() == Rung::exact);
  CHECK(&request() == first);
  CHECK(&kernel.request({100, 1000, 1}) == first);
  CHECK(&kernel.request({100, 1000, 1, "float"}) == first);
  CHECK(&kernel.request({100u, 1000l, short{1}, std::string_view("float")}) == first);
  CHECK(&kernel.request({100.0, 1000.0}) == first);
  CHECK(&kernel.request({{"rows", 100}, {"columns", 1000}}) == first);
  CHECK(&kernel.request({{"TYPE", "float"}, {"columns", 1000}, {"halo", 1}, {"rows", 100}}) == first);
  const std::array<ProblemValue, 2> values{100, 1000};
  CHECK(&kernel.request(std::span<const ProblemValue>(values)) == first);
  CHECK(&kernel.request({101, 1000}) != first);
  CHECK(&kernel.request({1000, 100}) != first);
  CHECK(inspector().modules_loaded() - before <= 2);
}

TEST_CASE_FIXTURE(Program, "every problem has an instance of its own, also where the configuration is the same") {
  const std::size_t before = inspector().modules_loaded();
  const Instance& one = tuned_instance();
  const Instance& two = request({50, 2000});
  CHECK(&one != &two);
  CHECK(one.shape().grid == std::array<std::uint32_t, 3>{2, 100, 1});
  CHECK(two.shape().grid == std::array<std::uint32_t, 3>{4, 50, 1});
  CHECK(one.shape().block == std::array<std::uint32_t, 3>{256, 1, 1});
  CHECK(one.shape().shared_bytes == 1024);
  // The same binary is loaded once.
  CHECK(one.shape().function == two.shape().function);
  CHECK(inspector().modules_loaded() == before + 1);
}

TEST_CASE("modules stay loaded as long as the Runtime, and no longer") {
  const std::size_t loaded = inspector().modules_loaded(), unloaded = inspector().modules_unloaded();
  const std::size_t holds = inspector().primary_holds();
  {
    Program program;
    CHECK(program.tuned_instance().runnable());
    CHECK(program.request({9000, 1000}).runnable());
    CHECK(inspector().modules_loaded() == loaded + 2);
    CHECK(inspector().modules_unloaded() == unloaded);
    Runtime moved(std::move(program.runtime));
    CHECK(launched(program.request()) == Stored{}.configuration);
  }
  CHECK(inspector().modules_unloaded() == unloaded + 2);
  CHECK(inspector().primary_holds() == holds);
}

TEST_CASE_FIXTURE(Program, "what is no problem of the kernel is unrunnable with a sentence, and no crash") {
  tuned();
  const auto why = [](const Instance& instance) {
    CHECK(instance.rung() == Rung::unrunnable);
    CHECK(launch(instance).code == -1);
    return instance.provenance().why;
  };
  CHECK(contains(why(kernel.request({100})), "columns"));
  CHECK(contains(why(kernel.request(std::initializer_list<ProblemValue>{})), "rows"));
  CHECK(contains(why(kernel.request({100, 1000, 1, "float", 5})), "5 values"));
  CHECK(contains(why(kernel.request({"many", 1000})), "rows"));
  CHECK(contains(why(kernel.request({100.5, 1000})), "rows"));
  CHECK(contains(why(kernel.request({-1, 1000})), "rows"));
  CHECK(contains(why(kernel.request({0, 1000})), "rows"));
  CHECK(contains(why(kernel.request({100, 100001})), "columns"));
  CHECK(contains(why(kernel.request({100, 1000, 9})), "halo"));
  CHECK(contains(why(kernel.request({100, 1000, 1, "floating"})), "floating"));
  CHECK(contains(why(kernel.request({100, 1000, 1, 3})), "TYPE"));
  CHECK(contains(why(kernel.request({std::numeric_limits<double>::quiet_NaN(), 1000})), "rows"));
  CHECK(contains(why(kernel.request({1e300, 1000})), "rows"));
  CHECK(contains(why(kernel.request({std::numeric_limits<std::int64_t>::max(), 1000})), "rows"));
  CHECK(contains(why(kernel.request({{"rows", 100}})), "columns"));
  CHECK(contains(why(kernel.request({{"rows", 100}, {"colums", 1000}})), "colums"));
  CHECK(contains(why(kernel.request({{"rows", 100}, {"columns", 1000}, {"rows", 200}})), "twice"));
  CHECK(contains(why(kernel.request({{"", 100}, {"columns", 1000}})), "rows"));
  // None of that disturbs what is right.
  CHECK(request().rung() == Rung::exact);
}

TEST_CASE("what is no problem goes to the fallback where there is one") {
  int calls = 0;
  const Program program({}, {.fallback = [&](Stream, std::span<void* const>) {
                          ++calls;
                          return 0;
                        }});
  const Instance& instance = program.request({0, 1000});
  CHECK(instance.rung() == Rung::fallback);
  CHECK(launch(instance));
  CHECK(calls == 1);
}

TEST_CASE("there are no more instances than were allowed, and those there are stay") {
  Program program({.max_instances = 2});
  const Instance& first = program.tuned_instance();
  const Instance& second = program.request({101, 1000});
  const Instance& third = program.request({102, 1000});
  CHECK(first.runnable());
  CHECK(second.runnable());
  CHECK(third.rung() == Rung::unrunnable);
  CHECK(contains(third.provenance().why, "max_instances"));
  CHECK(&program.request() == &first);
  CHECK(launched(second) == Stored{}.configuration);
}

TEST_CASE("what is no problem of the kernel takes no place from what is") {
  Program program({.max_instances = 2});
  program.tuned();
  for (int i = 1; i < 200; ++i) CHECK(program.request({-i, 1000}).rung() == Rung::unrunnable);
  CHECK(program.request().rung() == Rung::exact);
}

TEST_CASE("limits may be longer than the clock runs") {
  constexpr auto kEver = std::chrono::milliseconds::max();
  Program program({.compile_limit = kEver, .tune_limit = kEver});
  CHECK(program.tuned_instance().rung() == Rung::exact);
  CHECK(program.runtime.wait_for_tuning(kEver));
}

TEST_CASE_FIXTURE(Program, "kernels of one Runtime are apart, copies of a handle are not") {
  const Instance& instance = tuned_instance();
  const Kernel copy = kernel;
  CHECK(&copy.request({100, 1000}) == &instance);
  CHECK(&runtime.kernel(wave()).request({100, 1000}) != &instance);
}

TEST_CASE("two Runtimes do not disturb each other") {
  Program one;
  const Instance& instance = one.tuned_instance();
  {
    Runtime two(one.options());
    CHECK(launched(two.kernel(wave()).request({100, 1000})) == Stored{}.configuration);
  }
  make_current(nullptr);
  CHECK(one.request().runnable());
  CHECK(launched(instance) == Stored{}.configuration);
}
