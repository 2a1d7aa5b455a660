// Buffers beside which a kernel may read.
#include <array>

#include "tests/runtime/machine.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

const std::string kShift = R"(
#pragma tuner kernel(shift)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 100000)
#pragma tuner param(BLOCK, 64, 128; default 64)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n, pad 100) out(y, float, n) scratch(room, float, 4, pad 300) scalar(n, int32)
extern "C" __global__ void shift(const float* x, float* y, float* room, int n) {}
)";

const float* const kX = reinterpret_cast<const float*>(0x1000);
float* const kY = reinterpret_cast<float*>(0x2000);
float* const kRoom = reinterpret_cast<float*>(0x3000);

struct TunedMachine : Machine {
  TunedMachine() { tuned({.configuration = "BLOCK=128", .problem = "n=1000", .text = kShift}); }
};

struct Shift {
  std::string refused(const LaunchStatus& status) const {
    CHECK(status.code == -1);
    CHECK(inspector().take_launches().empty());
    return std::string(status.message);
  }

  TunedMachine machine;
  OwnContext context;
  OwnStream stream;
  Runtime runtime{machine.options()};
  const Instance& instance = runtime.kernel(Description::from_text(kShift, {.name = "shift.cu"})).request({1000});
};

}  // namespace

TEST_CASE_FIXTURE(Shift, "a buffer with a padding is a tuner::Buffer that has it behind the data") {
  INFO(instance.provenance().why);
  REQUIRE(instance.rung() == Rung::exact);
  inspector().take_launches();
  const auto launch = [&](std::uint64_t bytes, std::uint64_t room) {
    return instance.launch(stream.get(), Buffer{kX, bytes}, kY, Buffer{kRoom, room}, 1000);
  };
  CHECK(launch(4100, 316));
  CHECK(argument<const float*>(only_launch(), 0) == kX);
  CHECK(refused(launch(4099, 316)) ==
        "Argument 1 of the kernel `shift`, `x`, needs 4000 bytes and a padding of 100 behind them and before them, but "
        "the call passes a tuner::Buffer of 4099: make it larger.");
  CHECK(contains(refused(launch(4100, 315)), "`room`, needs 16 bytes and a padding of 300 behind them"));
  const Instance::Snapshot snapshot = instance.snapshot();
  CHECK(snapshot.argument("x").bytes == 4000);
  CHECK(snapshot.argument("x").padding == 100);
  CHECK(snapshot.argument("y").padding == 0);
}

TEST_CASE_FIXTURE(Shift, "a bare pointer to a buffer with a padding is refused, typed or not") {
  inspector().take_launches();
  CHECK(
      refused(instance.launch(stream.get(), kX, kY, scratch, 1000)) ==
      "Argument 1 of the kernel `shift`, `x`, has a padding of 100 bytes, which the kernel may read before and behind "
      "it, but the call passes a pointer, which does not tell how much memory is there: pass tuner::Buffer{pointer, "
      "bytes} with the bytes of the padding behind it, and have as many before it.");
  CHECK(contains(refused(instance.launch(stream.get(), CUdeviceptr{0x1000}, kY, scratch, 1000)), "a padding of 100"));
  CHECK(contains(refused(instance.launch(stream.get(), Buffer{kX, 5000}, kY, kRoom, 1000)),
                 "pass tuner::scratch, or tuner::Buffer{pointer, bytes}"));
  const float* x = kX;
  float *y = kY, *room = kRoom;
  int n = 1000;
  CHECK(contains(refused(instance.launch_untyped(stream.get(), std::array<void*, 4>{&x, &y, &room, &n})),
                 "there: use `launch` with tuner::Buffer{pointer, bytes}."));
}

TEST_CASE_FIXTURE(Shift, "scratch of the library has the padding before and behind it") {
  inspector().take_launches();
  REQUIRE(instance.launch(stream.get(), Buffer{kX, 4100}, kY, scratch, 1000));
  const auto launches = inspector().take_launches();
  REQUIRE(launches.size() == 2);
  const auto memory = argument<CUdeviceptr>(launches[0], 0);
  const auto bytes = argument<std::size_t>(launches[0], 1);
  const auto room = argument<CUdeviceptr>(launches[1], 2);
  CHECK(room % 256 == 0);
  CHECK(room >= memory + 300);
  CHECK(room + 16 + 300 <= memory + bytes);
}
