// Buffers with their sizes, and pointers that are not enough.
#include <array>
#include <thread>

#include "tests/runtime/partial_sums.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

float* const kPartials = reinterpret_cast<float*>(0x3000);
unsigned* const kFlags = reinterpret_cast<unsigned*>(0x4000);

const Buffer kSummands{kSumX, 4000};
const Buffer kTotal{kSumY, 4};

std::string refused(const LaunchStatus& status) {
  CHECK(status.code == -1);
  CHECK(inspector().take_launches().empty());
  return std::string(status.message);
}

}  // namespace

TEST_CASE_FIXTURE(
    TunedSums<1>,
    "a bare pointer for scratch whose length depends on the configuration is refused, whatever its type") {
  inspector().take_launches();
  void* const untyped = kPartials;
  const CUdeviceptr address = 0x3000;
  for (const LaunchStatus& status : {instance.launch(nullptr, kSumX, kSumY, kPartials, kFlags, 1000),
                                     instance.launch(nullptr, kSumX, kSumY, untyped, kFlags, 1000),
                                     instance.launch(nullptr, kSumX, kSumY, address, kFlags, 1000),
                                     instance.launch(nullptr, kSumX, kSumY, nullptr, scratch, 1000)}) {
    CHECK(refused(status) ==
          "Argument 3 of the kernel `sum`, `partials`, is scratch whose length depends on the configuration, but the "
          "call passes a pointer, which does not tell its length: pass tuner::scratch, and the library provides the "
          "memory, or tuner::Buffer{pointer, bytes}.");
  }
}

TEST_CASE_FIXTURE(TunedSums<1>, "scratch of a fixed length may be a bare pointer") {
  inspector().take_launches();
  CHECK(instance.launch(nullptr, kSumX, kSumY, Buffer{kPartials, 1024}, kFlags, 1000));
  CHECK(instance.launch(nullptr, kSumX, kSumY, scratch, kFlags, 1000));
  for (const fake::Launch& launch : inspector().take_launches()) {
    if (launch.kernel == "sum") CHECK(argument<unsigned*>(launch, 3) == kFlags);
  }
}

TEST_CASE_FIXTURE(TunedSums<8>,
                  "a buffer arrives as its pointer, and one of any kind that is too small is refused with both sizes") {
  const auto launch = [&](Buffer x, Buffer y, Buffer partials, Buffer flags) {
    return instance.launch(nullptr, x, y, partials, flags, 1000);
  };
  const Buffer partials{kPartials, partials_bytes(8)}, flags{CUdeviceptr{0x4000}, 16};
  inspector().take_launches();
  REQUIRE(launch(kSummands, kTotal, partials, flags));
  const fake::Launch launched = only_launch();
  CHECK(argument<const float*>(launched, 0) == kSumX);
  CHECK(argument<float*>(launched, 1) == kSumY);
  CHECK(argument<float*>(launched, 2) == kPartials);
  CHECK(argument<unsigned*>(launched, 3) == kFlags);

  CHECK(refused(launch({kSumX, 3999}, kTotal, partials, flags)) ==
        "Argument 1 of the kernel `sum`, `x`, needs 4000 bytes, but the call passes a tuner::Buffer of 3999: make it "
        "larger.");
  CHECK(contains(refused(launch(kSummands, {kSumY, 0}, partials, flags)), "`y`, needs 4 bytes"));
  CHECK(refused(launch(kSummands, kTotal, {kPartials, 1024}, flags)) ==
        "Argument 3 of the kernel `sum`, `partials`, needs 8192 bytes, but the call passes a tuner::Buffer of 1024: "
        "make it larger, or pass tuner::scratch.");
  CHECK(contains(refused(launch(kSummands, kTotal, partials, {kFlags, 15})), "`flags`, needs 16 bytes"));
  CHECK(launch(kSummands, kTotal, partials, flags));
  CHECK(machine.heard(Notice::Kind::launch).size() == 4);
}

TEST_CASE_FIXTURE(TunedSums<1>,
                  "a buffer that was large enough is refused when a winner that needs more has taken over") {
  const Instance& small = winner(1);
  const Instance& large = winner(8);
  const auto launch = [&] { return instance.launch(nullptr, kSumX, kSumY, Buffer{kPartials, 1024}, kFlags, 1000); };
  CHECK(launch());
  swap_to(instance, large);
  inspector().take_launches();
  CHECK(contains(refused(launch()), "needs 8192 bytes"));
  swap_to(instance, small);
  CHECK(launch());
}

TEST_CASE_FIXTURE(
    TunedSums<1>,
    "a winner that takes over between the check of a buffer and the launch does not get the unchecked buffer") {
  const Instance& small = winner(1);
  const Instance& large = winner(8);
  inspector().take_launches();
  std::atomic<bool> stop = false;
  std::thread swapping([&] {
    for (int i = 0; i < 3000 && !stop; ++i) swap_to(instance, i % 2 == 0 ? large : small);
    stop = true;
  });
  int queued = 0;
  while (!stop) queued += instance.launch(nullptr, kSumX, kSumY, Buffer{kPartials, 1024}, kFlags, 1000) ? 1 : 0;
  swapping.join();
  const auto launches = inspector().take_launches();
  CHECK(static_cast<int>(launches.size()) == queued);
  for (const fake::Launch& launch : launches) REQUIRE(launch.grid[0] == 1);
}

TEST_CASE_FIXTURE(
    TunedSums<1>,
    "memory in the place of a scalar, and tuner::scratch in that of a buffer with a content, are refused") {
  inspector().take_launches();
  CHECK(contains(refused(instance.launch(nullptr, kSumX, kSumY, scratch, scratch, kSummands)), "Argument 5"));
  CHECK(contains(refused(instance.launch(nullptr, kSumX, kSumY, scratch, scratch, scratch)), "passes tuner::scratch"));
  CHECK(contains(refused(instance.launch(nullptr, scratch, kSumY, scratch, scratch, 1000)),
                 "`x`, is not scratch, but the call passes tuner::scratch"));
  CHECK(contains(refused(instance.launch(nullptr, scratch, kSumY)), "takes 5 arguments"));
  CHECK(contains(refused(instance.launch(nullptr, kSummands, kTotal, scratch, scratch, 999)), "`n`, must be 1000"));
}

TEST_CASE_FIXTURE(TunedSums<8>, "an untyped launch takes a null for scratch, and no address whose size nothing says") {
  const float* x = kSumX;
  float *y = kSumY, *partials = kPartials;
  unsigned* flags = kFlags;
  int n = 1000;
  inspector().take_launches();
  CHECK(instance.launch_untyped(stream.get(), std::array<void*, 5>{&x, &y, nullptr, &flags, &n}));
  const auto launches = inspector().take_launches();
  REQUIRE(launches.size() == 2);
  CHECK(argument<std::size_t>(launches[0], 1) >= partials_bytes(8));
  CHECK(argument<CUdeviceptr>(launches[1], 2) == argument<CUdeviceptr>(launches[0], 0));
  CHECK(argument<unsigned*>(launches[1], 3) == kFlags);
  CHECK(contains(refused(instance.launch_untyped(stream.get(), std::array<void*, 5>{&x, &y, &partials, &flags, &n})),
                 "`partials`, is scratch whose length depends on the configuration: pass null instead of its address"));
  CHECK(
      contains(refused(instance.launch_untyped(stream.get(), std::array<void*, 5>{nullptr, &y, nullptr, nullptr, &n})),
               "`x`, is not scratch"));
}
