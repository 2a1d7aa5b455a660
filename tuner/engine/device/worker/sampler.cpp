#include "tuner/engine/device/worker/sampler.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/engine/device/lane/lead_in.hpp"

namespace tuner::engine {

Sampler::Sampler(Buffers& buffers, WorkStream& stream, const DeviceInfo& device, Timing mode,
                 std::chrono::milliseconds launch_timeout)
    : buffers_(buffers),
      copies_(buffers, stream),
      stream_(stream),
      device_(device),
      mode_(mode),
      launch_timeout_(launch_timeout),
      flush_bytes_(mode == Timing::cold ? flush_bytes(device.l2_bytes) : 0),
      start_(make_event()),
      stop_(make_event()) {
  if (flush_bytes_ > 0) flush_ = allocate(flush_bytes_);
}

int Sampler::provide_for(int launches) {
  copies_.provide(launches, mode_ == Timing::cold ? BufferCopies::What::everything : BufferCopies::What::inout);
  return copies_.launches();
}

Verdict Sampler::launch(const LoadedKernel& kernel, int number) {
  ++launches_;
  return launch_kernel(kernel, buffers_.arguments(), copies_.addresses(number), device_, stream_);
}

Verdict Sampler::lead_in(const LoadedKernel& kernel, int launches) {
  if (mode_ == Timing::cold) {
    // The copies first: they leave the restored data in L2. Queueing takes the host 2 to 3 us a launch, for which one
    // flush is long enough only if they are few.
    constexpr int kLaunchesToAFlush = 8;
    copies_.restore(launches);
    for (int flush = 0; flush <= (launches - 1) / kLaunchesToAFlush; ++flush) {
      stream_.set_bytes(flush_.get(), static_cast<unsigned char>(launches_ + flush), flush_bytes_);
    }
    return {};
  }
  // Enough untimed launches to keep the device busy for 50 us. In/out data is changed by each, so there only one.
  int repeats = 1;
  if (!buffers_.restores_anything()) {
    repeats = kernel.last_ns > 0
                  ? static_cast<int>(std::clamp(std::ceil(kLeadInNs / kernel.last_ns), 1.0, double{kMaxLeadIn}))
                  : 4;
  }
  buffers_.restore();
  for (int i = 0; i < repeats; ++i) {
    if (Verdict verdict = launch(kernel); !verdict.ok()) return verdict;
  }
  copies_.restore(launches);
  return {};
}

Verdict Sampler::sample_once(LoadedKernel& kernel, int launches, double& nanoseconds) {
  const int before = launches_;
  if (Verdict verdict = lead_in(kernel, launches); !verdict.ok()) return verdict;
  const int leading = launches_ - before;
  check(driver().record_event(start_.get(), stream_.get()), "cuEventRecord");
  for (int number = 0; number < launches; ++number) {
    if (Verdict verdict = launch(kernel, number); !verdict.ok()) return verdict;
  }
  check(driver().record_event(stop_.get(), stream_.get()), "cuEventRecord");
  WorkStream::wait_for(stop_.get(), limit_of(kernel, leading, launches));
  float milliseconds = 0;
  check(driver().elapsed_time(&milliseconds, start_.get(), stop_.get()), "cuEventElapsedTime");
  // The clock of events ticks in half microseconds; no launch takes no time.
  nanoseconds = std::max(static_cast<double>(milliseconds) * 1e6 / launches, 1.0);
  kernel.last_ns = nanoseconds;
  last_activity_ = Clock::now();
  return {};
}

// Many launches belong to short kernels, and one of those that hangs is noticed as soon as a long one: what is known to
// be short is granted twenty times that. A batch is asked only of a kernel that is known.
std::chrono::milliseconds Sampler::limit_of(const LoadedKernel& kernel, int leading, int batch) const {
  constexpr double kSlower = 20;
  constexpr std::chrono::milliseconds kRestoring{100};
  const double timeout_ms = static_cast<double>(launch_timeout_.count());
  const double each_ms = kernel.last_ns > 0 ? std::min(kSlower * kernel.last_ns * 1e-6, timeout_ms) : timeout_ms;
  const double others_ms = (leading + batch - 1) * each_ms;
  return launch_timeout_ + std::chrono::milliseconds(static_cast<std::int64_t>(others_ms)) + kRestoring;
}

Verdict Sampler::sample(LoadedKernel& kernel, int launches, double& nanoseconds) {
  constexpr std::chrono::milliseconds kIdle{5};
  // How long a batch may take is not known before its kernel was timed once.
  const bool unknown = launches > 1 && kernel.last_ns <= 0;
  if (unknown || Clock::now() - last_activity_ > kIdle) {
    if (Verdict verdict = sample_once(kernel, unknown ? 1 : launches, nanoseconds); !verdict.ok()) return verdict;
  }
  return sample_once(kernel, launches, nanoseconds);
}

Verdict Sampler::launch_alone(const LoadedKernel& kernel, const std::function<void()>& begin) {
  const int before = launches_;
  if (Verdict verdict = lead_in(kernel, 1); !verdict.ok()) return verdict;
  stream_.wait(limit_of(kernel, launches_ - before, 0));
  begin();
  if (Verdict verdict = launch(kernel); !verdict.ok()) return verdict;
  stream_.wait(limit_of(kernel, 0, 1));
  note_activity();
  return {};
}

Verdict Sampler::use(LoadedKernel& kernel, int launches, std::chrono::nanoseconds most) {
  // In pieces, each waited for: so many are queued at most, and about so long they run.
  constexpr int kQueued = 64;
  constexpr double kPieceNs = 20e6;
  double spent_ns = 0;
  double each_ns = buffers_.restores_anything() ? 0 : kernel.last_ns;  // with what is restored before it
  for (int left = launches; left > 0 && spent_ns < static_cast<double>(most.count());) {
    const double left_ns = static_cast<double>(most.count()) - spent_ns;
    const double fitting = each_ns > 0 ? std::min(kPieceNs, left_ns) / each_ns : 1;
    const int piece = static_cast<int>(std::clamp(fitting, 1.0, static_cast<double>(std::min(left, kQueued))));
    check(driver().record_event(start_.get(), stream_.get()), "cuEventRecord");
    for (int i = 0; i < piece; ++i) {
      buffers_.restore();
      if (Verdict verdict = launch(kernel); !verdict.ok()) return verdict;
    }
    check(driver().record_event(stop_.get(), stream_.get()), "cuEventRecord");
    WorkStream::wait_for(stop_.get(), limit_of(kernel, 0, piece));
    float milliseconds = 0;
    check(driver().elapsed_time(&milliseconds, start_.get(), stop_.get()), "cuEventElapsedTime");
    each_ns = std::max(each_ns, static_cast<double>(milliseconds) * 1e6 / piece);
    if (kernel.last_ns <= 0) kernel.last_ns = each_ns;
    spent_ns += static_cast<double>(milliseconds) * 1e6;
    left -= piece;
  }
  note_activity();
  return {};
}

bool ClockWatch::moved() {
  constexpr std::chrono::milliseconds kInterval{50};
  constexpr double kTolerance = 0.03;
  const auto now = std::chrono::steady_clock::now();
  if (read_at_ != std::chrono::steady_clock::time_point{} && now - read_at_ < kInterval) return false;
  read_at_ = now;
  const std::optional<unsigned> reading = monitor_.sm_clock_mhz();
  const std::optional<double> before = mhz_;
  mhz_.reset();
  if (reading) mhz_ = *reading;
  if (monitor_.slowed_down()) return true;
  return before && mhz_ && std::abs(*mhz_ - *before) > kTolerance * *before;
}

}  // namespace tuner::engine
