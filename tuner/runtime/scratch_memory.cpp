#include "tuner/runtime/scratch_memory.hpp"

#include <exception>
#include <utility>

namespace tuner {
namespace {

/// So many streams have a buffer each, and cost nothing more. A stream's end is not to be seen, so beyond that the
/// launches are marked with events, and buffers whose work is done go to other streams.
constexpr std::size_t kFewStreams = 32;
/// What every allocation is aligned to, by the CUDA programming guide.
constexpr std::size_t kAlignment = 256;

/// While it lives, calls that would disturb a capture of another stream, if they waited for it, are allowed.
class AllowedInCaptures {
 public:
  explicit AllowedInCaptures(const cuda::Driver& driver) : driver_(driver) { driver_.exchange_capture_mode(&mode_); }
  ~AllowedInCaptures() { driver_.exchange_capture_mode(&mode_); }
  AllowedInCaptures(const AllowedInCaptures&) = delete;
  AllowedInCaptures& operator=(const AllowedInCaptures&) = delete;

 private:
  const cuda::Driver& driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

bool device_has_pools(const cuda::Driver& driver, int device) {
  int value = 0;
  return driver.device_attribute(&value, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, device) == CUDA_SUCCESS &&
         value != 0;
}

}  // namespace

ContextScratch::ContextScratch(const cuda::Driver& driver, const ContextPlace& place)
    : driver_(driver), place_(place), has_pools_(device_has_pools(driver, place.device)) {}

ContextScratch::~ContextScratch() {
  if (cuda::device_abandoned() || (buffers_.empty() && captured_.empty())) {
    for (auto& [id, buffer] : buffers_) static_cast<void>(buffer->done.release());
    return;
  }
  unsigned long long id = 0;
  try {
    const InContext in_context(place_.context);
    const bool is_it = driver_.context_id(nullptr, &id) == CUDA_SUCCESS && id == place_.id;
    // Where waiting fails, what is in use is better lost than given to others.
    if (is_it && driver_.wait_for_context() == CUDA_SUCCESS) {
      for (auto& [stream_id, buffer] : buffers_) {
        if (buffer->memory != 0) driver_.free(buffer->memory);
        buffer->done.reset();
      }
      for (const CUdeviceptr memory : captured_) driver_.free(memory);
    }
  } catch (const Error&) {
    // The context is gone, and the memory with it.
  }
  for (auto& [stream_id, buffer] : buffers_) static_cast<void>(buffer->done.release());
}

ContextScratch::Lease ContextScratch::take(Stream stream, std::size_t bytes, std::size_t alignment) noexcept {
  Lease lease(*this, stream);
  try {
    unsigned long long id = 0;
    if (driver_.context_id(nullptr, &id) != CUDA_SUCCESS || id != place_.id) {
      lease.result_ = CUDA_ERROR_INVALID_CONTEXT;
      return lease;
    }
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    lease.result_ = driver_.is_capturing(stream, &status);
    if (lease.result_ != CUDA_SUCCESS) return lease;
    const std::size_t room = alignment > kAlignment ? bytes + alignment - kAlignment : bytes;
    if (status != CU_STREAM_CAPTURE_STATUS_NONE) {
      take_for_graph(lease, room);
    } else {
      take_of_stream(lease, room);
    }
    lease.memory_ = (lease.memory_ + alignment - 1) / alignment * alignment;
  } catch (const std::exception&) {  // of the program's own memory
    lease.result_ = CUDA_ERROR_OUT_OF_MEMORY;
  }
  return lease;
}

/// Not of a pool: a graph's memory must be there before the graph is launched, and whenever it is.
void ContextScratch::take_for_graph(Lease& lease, std::size_t bytes) {
  const AllowedInCaptures allowed(driver_);
  CUdeviceptr memory = 0;
  lease.result_ = driver_.allocate(&memory, bytes);
  if (lease.result_ != CUDA_SUCCESS) return;
  lease.memory_ = lease.captured_ = memory;  // the lease frees it, should there be no room to remember it
  const std::lock_guard lock(mutex_);
  captured_.push_back(memory);
}

void ContextScratch::take_of_stream(Lease& lease, std::size_t bytes) {
  unsigned long long id = 0;
  lease.result_ = driver_.stream_id(lease.stream_, &id);
  if (lease.result_ != CUDA_SUCCESS) return;
  StreamBuffer& buffer = buffer_of(id, lease.mark_);
  lease.buffer_ = &buffer;
  lease.lock_ = std::unique_lock(buffer.mutex);
  if (buffer.bytes < bytes) lease.result_ = grow(buffer, lease.stream_, bytes);
  lease.memory_ = buffer.memory;
}

/// Found or made, and kept from being given to another stream while it has users.
ContextScratch::StreamBuffer& ContextScratch::buffer_of(std::uint64_t stream_id, bool& mark) {
  const std::lock_guard lock(mutex_);
  auto found = buffers_.find(stream_id);
  const bool is_new = found == buffers_.end();
  mark = buffers_.size() + (is_new ? 1 : 0) > kFewStreams;
  if (is_new) {
    std::unique_ptr<StreamBuffer> buffer = mark ? take_idle_one() : nullptr;
    if (!buffer) buffer = std::make_unique<StreamBuffer>();
    found = buffers_.emplace(stream_id, std::move(buffer)).first;
  }
  ++found->second->users;
  return *found->second;
}

/// One whose last launch is known to be done. Null if there is none.
std::unique_ptr<ContextScratch::StreamBuffer> ContextScratch::take_idle_one() {
  const AllowedInCaptures allowed(driver_);
  for (auto each = buffers_.begin(); each != buffers_.end(); ++each) {
    StreamBuffer* const buffer = each->second.get();
    if (buffer->users.load(std::memory_order_acquire) != 0 || !buffer->done) continue;
    if (driver_.query_event(buffer->done.get()) != CUDA_SUCCESS) continue;
    std::unique_ptr<StreamBuffer> taken = std::move(each->second);
    buffers_.erase(each);
    return taken;
  }
  return nullptr;
}

/// What the stream has queued goes on using the old memory, which is freed behind it.
CUresult ContextScratch::grow(StreamBuffer& buffer, Stream stream, std::size_t bytes) const {
  const AllowedInCaptures allowed(driver_);
  if (buffer.memory != 0) {
    if (!has_pools_) {
      if (const CUresult waited = driver_.wait_for_stream(stream); waited != CUDA_SUCCESS) return waited;
    }
    const CUresult freed = has_pools_ ? driver_.free_in_order(buffer.memory, stream) : driver_.free(buffer.memory);
    if (freed != CUDA_SUCCESS) return freed;
    buffer.memory = 0;
    buffer.bytes = 0;
  }
  const CUresult allocated =
      has_pools_ ? driver_.allocate_in_order(&buffer.memory, bytes, stream) : driver_.allocate(&buffer.memory, bytes);
  if (allocated != CUDA_SUCCESS) {
    buffer.memory = 0;
    return allocated;
  }
  buffer.bytes = bytes;
  // The memory is there from this point of the stream on, and what was recorded lies before it.
  buffer.done.reset();
  return CUDA_SUCCESS;
}

ContextScratch::Lease::Lease(Lease&& other) noexcept
    : scratch_(other.scratch_),
      stream_(other.stream_),
      result_(other.result_),
      memory_(other.memory_),
      buffer_(std::exchange(other.buffer_, nullptr)),
      captured_(std::exchange(other.captured_, 0)),
      mark_(other.mark_),
      lock_(std::move(other.lock_)) {}

void ContextScratch::Lease::launched() noexcept {
  captured_ = 0;
  if (!mark_) return;
  const cuda::Driver& driver = scratch_.driver_;
  CUevent made = buffer_->done.get();
  if (made == nullptr) {
    if (driver.create_event(&made, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) return;
    buffer_->done.reset(made);
  }
  // An event that says less than it should must not be believed.
  if (driver.record_event(made, stream_) != CUDA_SUCCESS) buffer_->done.reset();
}

ContextScratch::Lease::~Lease() {
  if (captured_ != 0) {
    {
      const std::lock_guard lock(scratch_.mutex_);
      std::erase(scratch_.captured_, captured_);
    }
    const AllowedInCaptures allowed(scratch_.driver_);
    scratch_.driver_.free(captured_);
  }
  if (buffer_ == nullptr) return;
  if (lock_.owns_lock()) lock_.unlock();
  buffer_->users.fetch_sub(1, std::memory_order_release);
}

ContextScratch& ScratchMemory::in(const cuda::Driver& driver, const ContextPlace& place) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<ContextScratch>& context = contexts_[place.id];
  if (!context) context = std::make_unique<ContextScratch>(driver, place);
  return *context;
}

}  // namespace tuner
