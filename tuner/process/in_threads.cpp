#include "tuner/process/in_threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "tuner/error.hpp"
#include "tuner/process/quiet_thread.hpp"
#include "tuner/process/usable_cores.hpp"

namespace tuner {

void in_threads(std::size_t count, std::size_t most, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex mutex;
  const auto take = [&] {
    for (std::size_t number = next++; number < count; number = next++) {
      try {
        work(number);
      } catch (...) {
        next = count;
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(std::min(most, count));
  try {
    for (std::size_t i = 1; i < std::min(most, count); ++i) threads.push_back(quiet_thread(take));
  } catch (const Error&) {  // those that there are do the work of the others
  }
  take();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

void in_threads(std::size_t count, const std::function<void(std::size_t)>& work) {
  // Finding out how many there are reads files, which takes longer than a small piece of work.
  in_threads(count, count <= 1 ? 1 : static_cast<std::size_t>(usable_cores()), work);
}

}  // namespace tuner
