// Which context and GPU an instance belongs to.
#include <thread>

#include "tests/runtime/machine.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

std::string id_of(const Instance& instance) {
  return instance.provenance().configuration;
}

}  // namespace

TEST_CASE("without a context the primary one of the first GPU is made current, and stays so") {
  Machine machine;
  machine.tuned();
  Runtime runtime(machine.options());
  const Instance& instance = runtime.kernel(wave()).request({100, 1000});
  CHECK(instance.rung() == Rung::exact);
  REQUIRE(current_context() != nullptr);
  CHECK(launch(instance));
  CHECK(&runtime.kernel(wave()).request({100, 1000}) != nullptr);
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
  const auto launches = inspector().take_launches();
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].context == own.get());
  CHECK(inspector().primary_holds() == holds);
}

TEST_CASE("each context has an instance of its own, and a thread gets that of the context which is current to it") {
  Machine machine;
  machine.tuned();
  OwnContext first;
  OwnContext second;
  Runtime runtime(machine.options());
  const Kernel kernel = runtime.kernel(wave());
  const Instance& in_second = kernel.request({100, 1000});
  make_current(first.get());
  const Instance& in_first = kernel.request({100, 1000});
  CHECK(&in_first != &in_second);
  CHECK(launch(in_first));
  CHECK(launch(in_second).code == CUDA_ERROR_INVALID_HANDLE);
  CHECK(&kernel.request({100, 1000}) == &in_first);
  make_current(second.get());
  CHECK(&kernel.request({100, 1000}) == &in_second);
  CHECK(launch(in_second));
  std::thread([&] {
    make_current(first.get());
    CHECK(&kernel.request({100, 1000}) == &in_first);
    CHECK(launch(in_first));
  }).join();
}

TEST_CASE("a context at the address of a destroyed one is another one") {
  Machine machine;
  machine.tuned();
  const Instance* old = nullptr;
  CUcontext address = nullptr;
  Runtime runtime(machine.options());
  const Kernel kernel = runtime.kernel(wave());
  {
    OwnContext own;
    address = own.get();
    old = &kernel.request({100, 1000});
  }
  OwnContext own;
  REQUIRE(own.get() == address);
  const Instance& now = kernel.request({100, 1000});
  CHECK(&now != old);
  CHECK(launch(now));
}

TEST_CASE("each GPU gets the decision for its kind") {
  Machine machine;
  const std::string there = "BLOCK=64,ITEMS=4,STORE=plain";
  machine.tuned();
  machine.tuned({.configuration = there, .device = gpu(1)});
  CHECK(gpu(0).identity() == gpu(2).identity());
  CHECK(gpu(0).identity() != gpu(1).identity());
  Runtime runtime(machine.options());
  const Kernel kernel = runtime.kernel(wave());
  const auto on = [&](int device) {
    OwnContext own(device);
    const Instance& instance = kernel.request({100, 1000});
    CHECK(instance.rung() == Rung::exact);
    CHECK(launch(instance));
    return id_of(instance);
  };
  CHECK(on(0) == Stored{}.configuration);
  CHECK(on(1) == there);
  CHECK(on(2) == Stored{}.configuration);
}

TEST_CASE("a named GPU is used through its primary context") {
  Machine machine;
  machine.tuned();
  machine.tuned({.configuration = "BLOCK=64,ITEMS=4,STORE=plain", .device = gpu(1)});
  RuntimeOptions options = machine.options();
  options.device = 1;
  const std::size_t holds = inspector().primary_holds();
  {
    Runtime runtime(options);
    const Kernel kernel = runtime.kernel(wave());
    const Instance& instance = kernel.request({100, 1000});
    CHECK(id_of(instance) == "BLOCK=64,ITEMS=4,STORE=plain");
    CHECK(launch(instance));
    CHECK(&kernel.request({100, 1000}) == &instance);
    CHECK(inspector().primary_holds() == holds + 1);
    // From a thread that never heard of CUDA, too.
    std::thread([&] {
      CHECK(&kernel.request({100, 1000}) == &instance);
      CHECK(launch(instance));
    }).join();
  }
  CHECK(inspector().primary_holds() == holds);
}

TEST_CASE("a GPU that does not exist is unrunnable, with the number of those that do") {
  Machine machine;
  machine.tuned();
  for (const int device : {3, -1}) {
    RuntimeOptions options = machine.options();
    options.device = device;
    Runtime runtime(options);
    const Instance& instance = runtime.kernel(wave()).request({100, 1000});
    CHECK(instance.rung() == Rung::unrunnable);
    CHECK(contains(instance.provenance().why, "GPU " + std::to_string(device)));
    CHECK(contains(instance.provenance().why, "3"));
    CHECK(&runtime.kernel(wave()).request({100, 1000}) != nullptr);
  }
}

TEST_CASE("Runtimes that come after one another in a thread without a context all work") {
  Machine machine;
  machine.tuned();
  for (int i = 0; i < 3; ++i) {
    Runtime runtime(machine.options());
    const Instance& instance = runtime.kernel(wave()).request({100, 1000});
    INFO(instance.provenance().why);
    CHECK(instance.rung() == Rung::exact);
    CHECK(launch(instance));
  }
  CHECK(current_context() == nullptr);
}

TEST_CASE("a context that ended while it was current to another thread is as good as none") {
  Machine machine;
  machine.tuned();
  auto first = std::make_unique<Runtime>(machine.options());
  CHECK(first->kernel(wave()).request({100, 1000}).runnable());
  std::thread([&] { first.reset(); }).join();
  Runtime second(machine.options());
  const Instance& instance = second.kernel(wave()).request({100, 1000});
  INFO(instance.provenance().why);
  CHECK(instance.rung() == Rung::exact);
  CHECK(launch(instance));
}
