// Which context and GPU an instance belongs to.
#include <thread>

#include "tests/runtime/machine.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

const std::string kOther = "BLOCK=64,ITEMS=4,STORE=plain";

}  // namespace

TEST_CASE_FIXTURE(Program, "without a context the primary one of the first GPU is made current, and stays so") {
  const Instance& instance = tuned_instance();
  CHECK(instance.rung() == Rung::exact);
  REQUIRE(current_context() != nullptr);
  CHECK(launch(instance));
  CHECK(&request() == &instance);
}

TEST_CASE("a program's own context is used and left as it is") {
  Machine machine;
  machine.tuned();
  OwnContext own;
  const std::size_t holds = inspector().primary_holds();
  Runtime runtime(machine.options());
  const Instance& instance = runtime.kernel(wave()).request({100, 1000});
  CHECK(instance.rung() == Rung::exact);
  CHECK(current_context() == own.get());
  inspector().take_launches();
  CHECK(launch(instance));
  CHECK(only_launch().context == own.get());
  CHECK(inspector().primary_holds() == holds);
}

TEST_CASE("each context has an instance of its own, and a thread gets that of the context which is current to it") {
  Program program;
  OwnContext first, second;
  const Instance& in_second = program.tuned_instance();
  make_current(first.get());
  const Instance& in_first = program.request();
  CHECK(&in_first != &in_second);
  CHECK(launch(in_first));
  CHECK(launch(in_second).code == CUDA_ERROR_INVALID_HANDLE);
  CHECK(&program.request() == &in_first);
  make_current(second.get());
  CHECK(&program.request() == &in_second);
  CHECK(launch(in_second));
  std::thread([&] {
    make_current(first.get());
    CHECK(&program.request() == &in_first);
    CHECK(launch(in_first));
  }).join();
}

TEST_CASE_FIXTURE(Program, "a context at the address of a destroyed one is another one") {
  tuned();
  const Instance* old = nullptr;
  CUcontext address = nullptr;
  {
    OwnContext own;
    address = own.get();
    old = &request();
  }
  OwnContext own;
  REQUIRE(own.get() == address);
  const Instance& now = request();
  CHECK(&now != old);
  CHECK(launch(now));
}

TEST_CASE_FIXTURE(Program, "each GPU gets the decision for its kind") {
  tuned();
  tuned({.configuration = kOther, .device = gpu(1)});
  CHECK(gpu(0).identity() == gpu(2).identity());
  CHECK(gpu(0).identity() != gpu(1).identity());
  const auto on = [&](int device) {
    OwnContext own(device);
    const Instance& instance = request();
    CHECK(instance.rung() == Rung::exact);
    CHECK(launch(instance));
    return instance.provenance().configuration;
  };
  CHECK(on(0) == Stored{}.configuration);
  CHECK(on(1) == kOther);
  CHECK(on(2) == Stored{}.configuration);
}

TEST_CASE("a named GPU is used through its primary context") {
  const std::size_t holds = inspector().primary_holds();
  {
    Program program({.device = 1});
    program.tuned();
    program.tuned({.configuration = kOther, .device = gpu(1)});
    const Instance& instance = program.request();
    CHECK(instance.provenance().configuration == kOther);
    CHECK(launch(instance));
    CHECK(&program.request() == &instance);
    CHECK(inspector().primary_holds() == holds + 1);
    // From a thread that never heard of CUDA, too.
    std::thread([&] {
      CHECK(&program.request() == &instance);
      CHECK(launch(instance));
    }).join();
  }
  CHECK(inspector().primary_holds() == holds);
}

TEST_CASE("a GPU that does not exist is unrunnable, with the number of those that do") {
  for (const int device : {3, -1}) {
    Program program({.device = device});
    const Instance& instance = program.tuned_instance();
    CHECK(instance.rung() == Rung::unrunnable);
    CHECK(contains(instance.provenance().why, "GPU " + std::to_string(device)));
    CHECK(contains(instance.provenance().why, "3"));
    CHECK(program.request().rung() == Rung::unrunnable);
  }
}

TEST_CASE_FIXTURE(Machine, "Runtimes that come after one another in a thread without a context all work") {
  tuned();
  for (int i = 0; i < 3; ++i) {
    Runtime runtime(options());
    const Instance& instance = runtime.kernel(wave()).request({100, 1000});
    INFO(instance.provenance().why);
    CHECK(instance.rung() == Rung::exact);
    CHECK(launch(instance));
  }
  CHECK(current_context() == nullptr);
}

TEST_CASE_FIXTURE(Machine, "a context that ended while it was current to another thread is as good as none") {
  tuned();
  auto first = std::make_unique<Runtime>(options());
  CHECK(first->kernel(wave()).request({100, 1000}).runnable());
  std::thread([&] { first.reset(); }).join();
  Runtime second(options());
  const Instance& instance = second.kernel(wave()).request({100, 1000});
  INFO(instance.provenance().why);
  CHECK(instance.rung() == Rung::exact);
  CHECK(launch(instance));
}
