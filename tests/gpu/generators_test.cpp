// Inputs are generated on the device, and a program that checks results on the host must get the same bits. Where there
// is no GPU this is skipped.
#define DOCTEST_CONFIG_IMPLEMENT
#include "tuner/core/support/generators.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/gpu/run_on_gpu.hpp"
#include "tuner/driver/device_query.hpp"
#include "tuner/engine/compile/nvrtc_compiler.hpp"
#include "tuner/engine/device/memory/cuda.hpp"
#include "tuner/engine/device/worker/device_support.hpp"

namespace tuner::engine {
namespace {

std::vector<std::vector<std::byte>> compile_support(const DeviceInfo& device) {
  std::vector<std::vector<std::byte>> cubins;
  for (const std::string& source : support_sources()) {
    CompileRequest request;
    request.source = source;
    request.file_name = "support.cu";
    request.architecture = device.architecture();
    CompileReply reply = NvrtcCompiler({}).compile(request);
    REQUIRE_MESSAGE(reply.outcome == Outcome::ok, reply.log);
    cubins.push_back(std::move(reply.cubin.bytes));
  }
  return cubins;
}

void use_first_device() {
  CUdevice device = 0;
  CUcontext context = nullptr;
  check(driver().device(&device, 0), "cuDeviceGet");
  check(driver().retain_context(&context, device), "cuDevicePrimaryCtxRetain");
  check(driver().set_context(context), "cuCtxSetCurrent");
}

TEST_CASE("every generator gives the same bits on host and device, for every type") {
  const DeviceInfo info = query_device(0);
  use_first_device();
  WorkStream stream;
  DeviceSupport support(compile_support(info), stream);
  using Kind = Generator::Kind;
  const std::vector<BoundGenerator> generators{{Kind::constant, {3, 0}},         {Kind::iota, {1, 2}},
                                               {Kind::uniform, {0, 100}},        {Kind::normal, {50, 7}},
                                               {Kind::index, {97, 0}},           {Kind::permutation, {97, 0}},
                                               {Kind::permutation, {100003, 0}}, {Kind::offsets, {1.25, 1}},
                                               {Kind::uniform, {0, 100}, true},  {Kind::normal, {50, 7}, true}};
  for (const ElementType type :
       {ElementType::int8, ElementType::uint8, ElementType::int16, ElementType::uint16, ElementType::int32,
        ElementType::uint32, ElementType::int64, ElementType::uint64, ElementType::float16, ElementType::bfloat16,
        ElementType::float32, ElementType::float64}) {
    for (const BoundGenerator& generator : generators) {
      BoundArgument argument;
      argument.name = "x";
      argument.type = type;
      argument.generators = {generator};
      argument.length = 100003;
      CAPTURE(std::string(to_string(type)));
      CAPTURE(static_cast<int>(generator.kind));
      CAPTURE(generator.is_sorted);
      const std::size_t bytes = argument.length * size_of(type);
      const DeviceMemory memory = allocate(bytes);
      support.fill(memory.get(), argument, argument.length, 2, 11);
      CHECK(stream.download(memory.get(), bytes) == generate(argument, 2, 11));
    }
  }
}

TEST_CASE("every lane with a generator of its own gives the same bits on host and device") {
  const DeviceInfo info = query_device(0);
  use_first_device();
  WorkStream stream;
  DeviceSupport support(compile_support(info), stream);
  using Kind = Generator::Kind;
  BoundArgument argument;
  argument.name = "x";
  argument.lanes = 4;
  argument.length = 25001;
  argument.generators = {
      {Kind::uniform, {-1, 1}, true}, {Kind::permutation, {25001, 0}}, {Kind::iota, {1, 2}}, {Kind::constant, {1, 0}}};
  const DeviceMemory memory = allocate(argument.length * element_size(argument));
  support.fill(memory.get(), argument, 4 * argument.length, 2, 11);
  CHECK(stream.download(memory.get(), argument.length * element_size(argument)) == generate(argument, 2, 11));
}

}  // namespace
}  // namespace tuner::engine

int main(int argc, char** argv) {
  return tuner::test::run_on_gpu(argc, argv, [] { tuner::cuda::query_device(0); });
}
