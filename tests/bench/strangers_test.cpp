// The kernels that searches are judged by and were not chosen on (bench/search/strangers), as far as they can be tried
// without a GPU.
#include <doctest/doctest.h>

#include <filesystem>

#include "tuner/core/device/device.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/signature/check_signatures.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/compile/nvrtc_compiler.hpp"

using namespace tuner;
namespace fs = std::filesystem;

TEST_CASE("every stranger is described, has a space worth searching, and compiles at its defaults") {
  const engine::NvrtcCompiler compiler({});
  int files = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(TUNER_SOURCE_DIR) / "bench/search/strangers")) {
    if (entry.path().extension() != ".cu") continue;
    CAPTURE(entry.path().string());
    const Task task(load_description(entry.path()), {}, known_device("H200"));
    check_written_signatures(task.description(), task.headers());
    CHECK(task.space().size() >= 300);
    CHECK(task.space().size() <= 13000);
    REQUIRE(task.baseline());
    CHECK((task.work_bytes(*task.baseline()) || task.work_flops(*task.baseline())));
    const engine::CompileReply reply = compiler.compile(engine::compile_request(task, *task.baseline()));
    CHECK_MESSAGE(reply.outcome == Outcome::ok, reply.message);
    ++files;
  }
  CHECK(files == 28);
}
