#include "bench/kernels/stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tuner/core/support/support.hpp"
#include "tuner/driver/device_query.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/device/lane/lead_in.hpp"
#include "tuner/error.hpp"

namespace tuner::bench {

namespace {

constexpr std::uint64_t kSeed = 0;

void require(const engine::Verdict& verdict, const std::string& what) {
  if (!verdict.ok()) throw Error(Errc::device_lost, fmt::format("{}: {}", what, verdict.message));
}

engine::CompileReply compiled(const engine::NvrtcCompiler& compiler, const engine::CompileRequest& request) {
  engine::CompileReply reply = compiler.compile(request);
  if (reply.outcome != Outcome::ok)
    throw Error(Errc::bad_description, fmt::format("{} does not compile: {}", request.file_name, reply.message));
  return reply;
}

}  // namespace

DeviceInfo use_first_gpu() {
  CUdevice device = 0;
  CUcontext context = nullptr;
  engine::check(engine::driver().device(&device, 0), "cuDeviceGet");
  engine::check(engine::driver().retain_context(&context, device), "cuDevicePrimaryCtxRetain");
  engine::check(engine::driver().set_context(context), "cuCtxSetCurrent");
  return cuda::query_device(0);
}

engine::DeviceMemory occupy(const std::string& mebibytes) {
  if (mebibytes.empty()) return {};
  std::uint64_t number = 0;
  const char* const end = mebibytes.data() + mebibytes.size();
  const auto [rest, error] = std::from_chars(mebibytes.data(), end, number);
  if (error != std::errc() || rest != end || number > 1'000'000)
    throw Error(Errc::bad_usage, fmt::format("MIB is a whole number, such as 300; `{}` is none.", mebibytes));
  return number > 0 ? engine::allocate(number << 20) : engine::DeviceMemory();
}

Stage::Stage(const Task& task) : task_(task), compiler_({}) {
  std::vector<std::vector<std::byte>> support;
  for (const std::string& source : support_sources()) {
    const engine::CompileRequest request = engine::support_request(source, task.device().architecture());
    support.push_back(compiled(compiler_, request).cubin.bytes);
  }
  support_ = std::make_unique<engine::DeviceSupport>(support, stream_);
  buffers_ = std::make_unique<engine::Buffers>(task.arguments_with_data(), kSeed, *support_, stream_);
  require(buffers_->set_scalars(), "The problem's numbers");
}

engine::LoadedKernel Stage::load(const std::string& text) {
  const search::Configuration configuration = task_.space().parse(text);
  const engine::CompileReply reply = compiled(compiler_, engine::compile_request(task_, configuration));
  engine::Candidate candidate;
  candidate.configuration = task_.space().text(configuration);
  candidate.cubin = reply.cubin;
  candidate.parameters = reply.parameters;
  candidate.geometry = task_.geometry(configuration);
  candidate.scratch_lengths = task_.scratch_lengths(configuration);
  engine::LoadedKernel kernel;
  require(engine::load_kernel(candidate, buffers_->arguments(), task_.device(), kernel), candidate.configuration);
  engine::fill_constants(kernel, buffers_->arguments(), stream_);
  return kernel;
}

void Stage::launch(const engine::LoadedKernel& kernel) {
  require(buffers_->resize_scratch(kernel.scratch_lengths), "Its scratch buffers");
  require(engine::launch_kernel(kernel, buffers_->arguments(), buffers_->addresses(engine::Layout::plain),
                                task_.device(), stream_),
          kernel.configuration);
}

CUdeviceptr Stage::address(std::string_view argument) const {
  const std::vector<CUdeviceptr> addresses = buffers_->addresses(engine::Layout::plain);
  for (const engine::ArgumentState& state : buffers_->arguments()) {
    if (state.argument.name == argument) return addresses[state.position];
  }
  throw Error(Errc::bad_usage, fmt::format("The kernel has no buffer {}.", argument));
}

ColdTimer::ColdTimer(const DeviceInfo& device, engine::WorkStream& stream)
    : stream_(stream),
      bytes_(engine::flush_bytes(device.l2_bytes)),
      memory_(engine::allocate(bytes_)),
      start_(engine::make_event()),
      stop_(engine::make_event()) {}

void ColdTimer::flush() {
  stream_.set_bytes(memory_.get(), ++byte_, bytes_);
}

void ColdTimer::begin() {
  engine::check(engine::driver().record_event(start_.get(), stream_.get()), "cuEventRecord");
}

double ColdTimer::end() {
  engine::check(engine::driver().record_event(stop_.get(), stream_.get()), "cuEventRecord");
  engine::WorkStream::wait_for(stop_.get(), engine::kOwnWorkLimit);
  float milliseconds = 0;
  engine::check(engine::driver().elapsed_time(&milliseconds, start_.get(), stop_.get()), "cuEventElapsedTime");
  return std::max(1.0, 1e6 * static_cast<double>(milliseconds));
}

}  // namespace tuner::bench
