#include "tuner/engine/compile/nvcc_lane.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "tuner/engine/compile/kernel_search.hpp"

namespace tuner::engine {
namespace {

/// Answers at once, and keeps what it was asked.
class Asked final : public CompileLane {
 public:
  void submit(TicketId ticket, CompileRequest request) override {
    requests.push_back(request);
    done_.push_back({ticket, {.toolkit = toolkit}});
  }
  std::vector<Completion> poll() override { return std::exchange(done_, {}); }
  void cancel(TicketId) override {}
  std::size_t room() const override { return 1; }
  double width() const override { return 1; }
  std::vector<int> wait_fds() const override { return {}; }
  std::chrono::steady_clock::time_point next_deadline() const override { return std::chrono::steady_clock::now(); }

  std::vector<CompileRequest> requests;
  std::string toolkit = "13.0.88";

 private:
  std::vector<Completion> done_;
};

CompileRequest of_file(const std::string& file, bool front_end_only = false) {
  return {.file_name = file, .front_end_only = front_end_only};
}

}  // namespace

TEST_CASE("one source goes to nvcc, and everything is said to be of its toolkit") {
  Asked compilers;
  NvccLane lane(compilers);
  lane.submit(1, of_file("main.cu"));
  CHECK_FALSE(compilers.requests.back().nvcc);
  CHECK(lane.poll().front().reply.toolkit == "13.0.88");
  lane.use({.recorded = {.command = {}, .source = "/main.cu", .linked = {}}, .toolkit = "nvcc 13.0.88 key"}, "main.cu");
  lane.submit(2, of_file("main.cu"));
  REQUIRE(compilers.requests.back().nvcc);
  CHECK(compilers.requests.back().nvcc->recorded.source == "/main.cu");
  lane.submit(3, of_file("support.cu"));
  CHECK_FALSE(compilers.requests.back().nvcc);
  lane.submit(4, of_file("main.cu", true));
  CHECK_FALSE(compilers.requests.back().nvcc);
  for (const CompileLane::Completion& completion : lane.poll()) CHECK(completion.reply.toolkit == "nvcc 13.0.88 key");
  // A compiler that was lost has none.
  compilers.toolkit.clear();
  lane.submit(5, of_file("main.cu"));
  CHECK(lane.poll().front().reply.toolkit.empty());
}

TEST_CASE("a marker names its kernel, and a binary without one has none") {
  CHECK(kernel_marker("scale<float, 128>").find("&scale<float, 128>") != std::string::npos);
  CHECK(marked_kernel({}).empty());
}

}  // namespace tuner::engine
